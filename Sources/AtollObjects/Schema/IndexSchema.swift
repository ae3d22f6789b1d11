/// An index of the values that several properties of an object have together, or one that refuses
/// equal values.
///
/// It orders the objects by the first property, those of one value by the second, and so on. An
/// index of one property that allows equal values is `PropertySchema.isIndexed`.
public struct IndexSchema: Hashable, Sendable {
  /// The most properties of an index.
  public static let propertyLimit = 8
  /// The most such indexes of a class.
  package static let indexLimit = 64

  /// The properties by their names, the one that orders first; single values, no links and no
  /// mixed ones.
  public var properties: [String]
  /// Whether a commit is refused after which two objects have the same values, none of them null.
  public var isUnique: Bool

  /// Describes an index; the properties are checked when it is added to a class.
  public init(_ properties: [String], isUnique: Bool = false) {
    self.properties = properties
    self.isUnique = isUnique
  }

  /// Whether both list the same properties in the same order.
  package func hasSameProperties(as other: IndexSchema) -> Bool {
    properties.elementsEqual(other.properties) { $0.hasSameBytes(as: $1) }
  }
}
