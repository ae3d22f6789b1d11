internal import Synchronization

/// Takes note of the properties that a key path reads.
///
/// Key paths do not tell the names of wrapped properties, so one is applied to an instance that
/// does nothing but note what is read.
public final class _KeyPathTracer {
  private(set) var names: [String] = []

  init() {}

  @usableFromInline
  func note(_ position: Int, of object: ObjectBase) {
    names.append(object.descriptor.property(at: position).name)
  }
}

extension _Storable {
  /// An element of a collection on the path that is being traced.
  static func _tracedElement(_ tracer: _KeyPathTracer) -> Self? {
    if let target = _storedType.target { return target.traced(tracer) as? Self }
    return (Self.self as? any _Persistable.Type)?._default() as? Self
  }
}

/// The names that key paths spell, found once each.
enum KeyPathNames {
  /// SAFETY: key paths are immutable; those of model classes capture nothing.
  private struct Path: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
  }

  private static let known = Mutex<[Path: String]>([:])

  static func name<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String {
    let path = Path(keyPath: keyPath)
    if let name = known.withLock({ $0[path] }) { return name }
    let tracer = _KeyPathTracer()
    let object = Root.traced(tracer)
    _ = object[keyPath: keyPath]
    let name = tracer.names.joined(separator: ".")
    guard !name.isEmpty else {
      Misuse.trap("the key path \(keyPath) reads no persisted property of '\(Root.className())'")
    }
    known.withLock { $0[path] = name }
    return name
  }
}

/// The name of the property that a key path leads to: `address.city`.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
  KeyPathNames.name(of: keyPath)
}
