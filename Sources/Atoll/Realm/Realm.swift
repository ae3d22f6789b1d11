/// A realm: the objects of one file, in one version, for one thread, queue or actor.
///
///     let realm = try Realm()
///     try realm.write { realm.add(dog) }
///     for dog in realm.objects(Dog.self) { print(dog.name) }
///
/// A value of this type is a handle; opening the same file again at the same place gives an equal
/// one.
public struct Realm {
  let context: _RealmContext

  init(_ context: _RealmContext) { self.context = context }
}

extension Realm: Equatable {
  /// Whether both are handles of one instance.
  public static func == (a: Realm, b: Realm) -> Bool { a.context === b.context }
}

@available(*, unavailable, message: "a realm belongs to the place that opened it; open it again")
extension Realm: Sendable {}

extension Realm {
  /// What to do with an object whose primary key exists.
  public enum UpdatePolicy: Int, Sendable {
    /// Refuse it.
    case error = 1
    /// Set every property that is given.
    case all = 2
    /// Set the properties that differ.
    case modified = 3
  }
}
