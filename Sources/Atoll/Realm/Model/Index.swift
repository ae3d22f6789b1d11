/// An index of several properties of a class, or one that refuses equal values.
///
/// A class declares it in `indexes()`. The index orders the objects by the first property, those of
/// one value by the second, and so on: a query that asks for values of the first ones, and for
/// values or a range of the next, reads what it finds and no more.
///
///     class Task: Object {
///       @Persisted(primaryKey: true) var _id: ObjectId
///       @Persisted var owner: String
///       @Persisted var dueDate: Date
///
///       override class func indexes() -> [Index] { [Index(\Task.owner, \Task.dueDate)] }
///     }
///
/// An index of one property that allows equal values is `@Persisted(indexed: true)`.
public struct Index {
  /// Give the names of the properties in Swift.
  ///
  /// A key path is read later: it needs an instance of the class, whose discovery this may be a part
  /// of.
  private let properties: [() -> String]
  /// Whether a write is refused after which two objects have the same values, none of them nil.
  public let isUnique: Bool

  /// Declares an index of the properties that key paths lead to, the one that orders first in front.
  ///
  /// - Parameters:
  ///   - properties: One to eight properties of the class with single values, no objects and no
  ///     `AnyRealmValue`; of a unique index one suffices, of another two.
  ///   - isUnique: Whether equal values are refused, which they cannot be in a synced realm.
  public init<Root: ObjectBase>(_ properties: PartialKeyPath<Root>..., isUnique: Bool = false) {
    self.properties = properties.map { path in { KeyPathNames.name(of: path) } }
    self.isUnique = isUnique
  }

  /// Declares an index of the properties of these names.
  ///
  /// - Parameters:
  ///   - properties: The names, as for key paths.
  ///   - isUnique: Whether equal values are refused.
  public init(_ properties: String..., isUnique: Bool = false) {
    self.properties = properties.map { name in { name } }
    self.isUnique = isUnique
  }

  /// The names of the properties in Swift, in the order of the index.
  public var propertyNames: [String] { properties.map { $0() } }
}

extension Index: CustomStringConvertible {
  public var description: String {
    (isUnique ? "unique index of " : "index of ") + propertyNames.joined(separator: ", ")
  }
}
