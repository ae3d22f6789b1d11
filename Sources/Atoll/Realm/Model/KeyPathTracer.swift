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
    return (Self.self as? any _Persistable.Type)?._defaultIfAny() as? Self
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
    name(of: keyPath, on: Root.className()) { _ = Root.traced($0)[keyPath: keyPath] }
  }

  /// Returns the names of the properties that are read on a key path, with points between them.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - type: The name of the type that it begins at.
  ///   - read: Goes along the key path, with objects that note what is read.
  /// - Returns: The names; a path that reads no property ends the process.
  static func name(
    of keyPath: AnyKeyPath, on type: @autoclosure () -> String, _ read: (_KeyPathTracer) -> Void
  ) -> String {
    let path = Path(keyPath: keyPath)
    if let name = known.withLock({ $0[path] }) { return name }
    let tracer = _KeyPathTracer()
    read(tracer)
    let name = tracer.names.joined(separator: ".")
    guard !name.isEmpty else {
      Misuse.trap("the key path \(keyPath) reads no persisted property of '\(type())'")
    }
    known.withLock { $0[path] = name }
    return name
  }
}

/// The name of the property that a key path leads to: `address.city`.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
  KeyPathNames.name(of: keyPath)
}
