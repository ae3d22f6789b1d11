internal import AtollQuery

/// A property, a value or a condition in the closure of `where { }`.
///
///     realm.objects(Person.self).where { $0.age > 30 && $0.dogs.name == "Rex" }
///
/// `$0` stands for an object; its members are those of the class. Comparing them gives conditions,
/// `Query<Bool>`, which `&&`, `||` and `!` combine; a property of type `Bool` is a condition
/// itself. A member of the objects in a collection means: of at least one of them.
@dynamicMemberLookup
public struct Query<T> {
  let tree: QueryTree

  init(_ tree: QueryTree) { self.tree = tree }

  /// The object, or the element of a collection, that is asked.
  init() { tree = QueryTree() }
}

// MARK: Members

extension Query where T: ObjectBase {
  /// A property of the object.
  public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(tree.appending(member))
  }
}

extension Query {
  /// A property of the object that a link leads to; null when it leads to none.
  public subscript<Wrapped: ObjectBase, V>(
    dynamicMember member: KeyPath<Wrapped, V>
  ) -> Query<V> where T == Wrapped? {
    Query<V>(tree.appending(member))
  }
}

extension QueryTree {
  /// The way with a step to a property of a class.
  func appending<Root: ObjectBase, Value>(_ member: KeyPath<Root, Value>) -> QueryTree {
    appending(KeyPathNames.name(of: member), of: ClassDescriptor.of(Root.self))
  }

  /// The way with a step to a property of a class, or to one behind links.
  func appending(_ path: String, of descriptor: ClassDescriptor) -> QueryTree {
    var tree = self
    var names = PropertyNames(descriptor)
    for name in path.split(separator: ".") {
      let (step, isList) = names.step(to: String(name))
      tree = tree.appending(step, isList: isList)
    }
    tree.unset = names.unset
    return tree
  }
}

// MARK: Logic

extension Query where T == Bool {
  /// Whether the condition is false.
  public static prefix func ! (_ query: Query<Bool>) -> Query<Bool> {
    Query(query.tree.negated())
  }

  /// Whether both conditions are true.
  public static func && (_ lhs: Query<Bool>, _ rhs: Query<Bool>) -> Query<Bool> {
    Query(lhs.tree.and(rhs.tree))
  }

  /// Whether at least one of the conditions is true.
  public static func || (_ lhs: Query<Bool>, _ rhs: Query<Bool>) -> Query<Bool> {
    Query(lhs.tree.or(rhs.tree))
  }

  /// How many objects of the list in the condition meet it.
  ///
  ///     ($0.dogs.age > 2 && $0.dogs.name == "Rex").count >= 1
  ///
  /// Both conditions are about one and the same dog, where `&&` alone takes any two.
  public var count: Query<Int> { Query<Int>(tree.countedMatches()) }
}

// MARK: Text

extension Query {
  /// The condition as text of the query language, and its arguments.
  public func _constructPredicate() -> (String, [Any]) {
    (tree.predicate.description, tree.arguments.values)
  }
}

extension Query where T: ObjectBase {
  /// A query for tests of the text that it becomes.
  public static func _constructForTesting() -> Query<T> { Query<T>() }
}
