public import AtollObjects

/// A value as the file keeps it.
public typealias _StoredValue = AtollObjects.Value

/// What a file keeps for a Swift type: a single value, or each element of a collection.
public struct _StoredType: Hashable, Sendable {
  public var type: ValueType
  public var isOptional: Bool
  /// The class that a link leads to.
  public var target: ObjectBase.Type?

  public init(_ type: ValueType, isOptional: Bool = false, target: ObjectBase.Type? = nil) {
    self.type = type
    self.isOptional = isOptional
    self.target = target
  }

  public static func == (a: _StoredType, b: _StoredType) -> Bool {
    a.type == b.type && a.isOptional == b.isOptional && a.target == b.target
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(isOptional)
    hasher.combine(target.map { ObjectIdentifier($0) })
  }
}

/// What kind of property a Swift type makes.
public struct _PropertyForm: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case single, list, set, map
    /// Computed from the links of other objects; nothing is stored.
    case linkingObjects
  }

  public var kind: Kind
  public var stored: _StoredType

  public init(_ kind: Kind, _ stored: _StoredType) {
    self.kind = kind
    self.stored = stored
  }
}
