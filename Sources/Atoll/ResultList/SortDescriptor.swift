/// A property to sort by, and the direction.
public struct SortDescriptor: Hashable, Sendable {
  /// The names of properties with points between them; all but the last are links to one object.
  public let keyPath: String
  /// Whether the values ascend; otherwise they descend.
  public let ascending: Bool

  /// Makes a descriptor of a property that is found by name when it is used.
  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// Makes a descriptor of a property by its key path; ends the process for one not persisted.
  public init<ObjectType: ObjectBase>(keyPath: PartialKeyPath<ObjectType>, ascending: Bool = true) {
    self.init(keyPath: _name(for: keyPath), ascending: ascending)
  }

  /// The same property in the other direction.
  public func reversed() -> SortDescriptor {
    SortDescriptor(keyPath: keyPath, ascending: !ascending)
  }
}

extension SortDescriptor: CustomStringConvertible {
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
  }
}

extension SortDescriptor: ExpressibleByStringLiteral {
  /// The property of this name, ascending.
  public init(stringLiteral value: String) { self.init(keyPath: value) }
}
