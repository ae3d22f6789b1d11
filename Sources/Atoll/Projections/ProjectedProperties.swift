internal import Synchronization

/// A property of a class of projections.
struct ProjectedProperty {
  let name: String
  private let spell: () -> String
  private let read: (ObjectBase) -> Any?

  fileprivate init<Root: ObjectBase, Value>(_ name: String, _ keyPath: KeyPath<Root, Value>) {
    self.name = name
    spell = { KeyPathNames.name(of: keyPath) }
    read = { object in (object as? Root)?[keyPath: keyPath] }
  }

  /// The path that it shows, by names in Swift with points between them; one that reads no persisted
  /// property ends the process.
  var path: String { spell() }

  /// Reads what it shows of an object.
  ///
  /// - Parameter object: An object of the class that is projected.
  /// - Returns: The value; nil for null.
  func value(of object: ObjectBase) -> Any? { AnyBridge.unwrapped(read(object)) }
}

/// The properties of classes of projections, found once each.
enum ProjectedProperties {
  // SAFETY: the key paths in it are immutable; those of model classes capture nothing.
  private struct Content: @unchecked Sendable {
    var known: [ObjectIdentifier: [ProjectedProperty]] = [:]
  }

  private static let content = Mutex(Content())

  /// Finds the properties of a class of projections.
  ///
  /// - Parameter projection: One of the class.
  /// - Returns: The properties, in the order of their declarations.
  static func of(_ projection: some ProjectionObservable) -> [ProjectedProperty] {
    let type = ObjectIdentifier(type(of: projection))
    if let known = content.withLock({ $0 }).known[type] { return known }
    var properties: [ProjectedProperty] = []
    var mirror: Mirror? = Mirror(reflecting: projection)
    while let level = mirror {
      properties = level.children.compactMap(Self.property) + properties
      mirror = level.superclassMirror
    }
    let found = Content(known: [type: properties])
    content.withLock { $0.known.merge(found.known) { $1 } }
    return properties
  }

  /// Spells the properties that key paths lead to, and what they go on to behind these.
  ///
  /// - Parameters:
  ///   - keyPaths: Key paths of a class of projections.
  ///   - projection: One of the class.
  /// - Returns: The names, each of a property of the projection, followed by names of properties of
  ///   what it shows. A key path that leads to none ends the process.
  static func names<P: ProjectionObservable>(
    of keyPaths: [PartialKeyPath<P>], _ projection: P
  ) -> [String] {
    keyPaths.flatMap { keyPath in
      let path = _name(for: keyPath)
      let passed = of(projection).filter { path == $0.path || path.hasPrefix($0.path + ".") }
      guard let length = passed.map(\.path.count).max() else {
        Misuse.trap("the key path \(keyPath) leads to no property that '\(P.self)' projects")
      }
      return passed.filter { $0.path.count == length }.map { $0.name + path.dropFirst(length) }
    }
  }

  private static func property(_ child: Mirror.Child) -> ProjectedProperty? {
    guard let label = child.label, label.hasPrefix("_") else { return nil }
    return (child.value as? any ProjectedValue)?.property(String(label.dropFirst()))
  }
}

private protocol ProjectedValue {
  func property(_ name: String) -> ProjectedProperty
}

extension Projected: ProjectedValue {
  fileprivate func property(_ name: String) -> ProjectedProperty {
    ProjectedProperty(name, keyPath)
  }
}
