public import AtollObjects
public import Observation

/// A view of an object that shows some of its properties, and of others what lies behind them.
///
///     class PersonProjection: Projection<Person> {
///       @Projected(\Person.firstName) var name
///       @Projected(\Person.address.city) var city
///       @Projected(\Person.friends.projectTo.firstName) var friends: ProjectedCollection<String>
///     }
///     let people = realm.objects(PersonProjection.self)
///
/// Belongs to the realm of its object, and shows what the object is at that moment.
open class Projection<Root: ObjectBase & ThreadConfined>: ProjectionObservable {
  /// The object.
  public let rootObject: Root

  /// Makes a view of an object, which may be unmanaged.
  public required init(projecting object: Root) { rootObject = object }

  /// A block of text with the values of the properties.
  open var description: String { text(DescriptionScope()) }
}

/// What a projection of any class is.
public protocol ProjectionObservable: AnyObject, Observable, RealmFetchable, ThreadConfined,
  CustomStringConvertible
{
  /// The class of the objects.
  associatedtype Root: ObjectBase & ThreadConfined

  /// The object.
  var rootObject: Root { get }

  init(projecting object: Root)
}

extension ProjectionObservable {
  /// The realm that manages the object; nil for an unmanaged or deleted one.
  public var realm: Realm? { rootObject.realm }

  /// Whether the object was deleted, or its realm was invalidated.
  public var isInvalidated: Bool { rootObject.isInvalidated }

  /// Whether the object is of one version for ever.
  public var isFrozen: Bool { rootObject.isFrozen }

  /// Returns a view of the object as it is now, for any thread.
  public func freeze() -> Self { view(of: rootObject.freeze()) }

  /// Returns a view of the live object of a frozen one.
  ///
  /// - Returns: Nil when the object does not exist any more.
  public func thaw() -> Self? { rootObject.thaw().map { view(of: $0) } }

  public func _moved(to context: _RealmContext) -> Self? {
    rootObject._moved(to: context).map { view(of: $0) }
  }

  /// A view of the class that this one is of, which may be a subclass of `Self`.
  private func view(of object: Root) -> Self { type(of: self).init(projecting: object) }

  /// Whether both are views, of the same class, of objects that are equal.
  public static func == (a: Self, b: Self) -> Bool {
    type(of: a) == type(of: b) && a.rootObject == b.rootObject
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(rootObject) }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
  /// A number made of the key and the class of the object; of an unmanaged one, of the instance.
  public var id: UInt64 { rootObject.keyedIdentifier }
}

// As an element of results it is what the file holds of its object.
extension ProjectionObservable {
  public static var _storedType: _StoredType { Root._storedType }

  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    Self(projecting: Root._load(value, context))
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue { rootObject._store(context) }
}

extension Projection: DescribedValue {
  func text(_ scope: DescriptionScope) -> String {
    let name = "\(type(of: self))"
    if isInvalidated { return "\(name) [invalidated]" }
    if scope.isExhausted || !scope.takesOne() { return "\(name) {…}" }
    let lines = ProjectedProperties.of(self).map { property in
      let shown = scope.inner.text(property.value(of: rootObject))
      return "\t\(property.name) = \(shown.replacing("\n", with: "\n\t"));\n"
    }
    return "\(name) {\n\(lines.joined())}"
  }
}
