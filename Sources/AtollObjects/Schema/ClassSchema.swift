/// One class: what its objects hold.
public struct ClassSchema: Hashable, Sendable {
  /// The bytes that a name has at most.
  package static let nameByteLimit = 57

  /// The name, of 1 to 57 bytes in UTF-8.
  public var name: String
  /// The properties, in the order in which the class gets them.
  public var properties: [PropertySchema]
  /// The property that identifies an object; its values are unique and never change.
  public var primaryKey: String?
  /// Whether objects belong to exactly one property of another object and die with it.
  public var isEmbedded: Bool
  /// Whether changes of its objects are recorded for a server, which needs a primary key.
  ///
  /// Only a database that records takes them: that of an app that was opened with Atoll, or of the
  /// command atoll; another refuses them with `.notRecorded`.
  public var isSynced: Bool
  /// Whether a library keeps the class for itself: it is in no list of classes and in no change
  /// set.
  public var isHidden: Bool
  /// Whether objects only go to the server, and are not kept.
  public var isAsymmetric: Bool
  /// The indexes of several properties, and those that refuse equal values.
  public var indexes: [IndexSchema]

  /// Describes a class; names and types are checked when it is added to a database.
  public init(
    _ name: String, properties: [PropertySchema], primaryKey: String? = nil,
    isEmbedded: Bool = false, isSynced: Bool = false, isHidden: Bool = false,
    isAsymmetric: Bool = false, indexes: [IndexSchema] = []
  ) {
    self.name = name
    self.properties = properties
    self.primaryKey = primaryKey
    self.isEmbedded = isEmbedded
    self.isSynced = isSynced
    self.isHidden = isHidden
    self.isAsymmetric = isAsymmetric
    self.indexes = indexes
  }

  /// The property called `name`.
  public subscript(name: String) -> PropertySchema? {
    properties.first { $0.name.hasSameBytes(as: name) }
  }

  /// The same as one set.
  package var flags: ClassFlags {
    var flags: ClassFlags = []
    if isEmbedded { flags.insert(.embedded) }
    if isHidden { flags.insert(.hidden) }
    if isSynced { flags.insert(.synced) }
    if isAsymmetric { flags.insert(.asymmetric) }
    return flags
  }
}
