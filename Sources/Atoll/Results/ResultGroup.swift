internal import AtollObjects
internal import AtollQuery

/// The objects that have one key, as values that no longer follow the realm.
///
/// `Key` is the type of the property that the objects are grouped by, or a tuple of several.
/// `Values` is the type of the aggregate, or a tuple of several.
public struct ResultGroup<Key, Values> {
  /// What the objects of the group have in common.
  public let key: Key
  /// The number of objects.
  public let count: Int
  /// What was computed of them, in the order in which it was asked for.
  public let values: Values
}

extension ResultGroup: Sendable where Key: Sendable, Values: Sendable {}

extension RealmCollection where Element: ObjectBase {
  /// Groups the objects by properties, and computes values of each group.
  ///
  ///     let breeds = try realm.objects(Dog.self)
  ///       .grouped(by: \.breed, computing: .average(of: \.age), .max(of: \.weight))
  ///     for breed in breeds { print(breed.key, breed.count, breed.values.0 ?? 0) }
  ///
  /// The groups come in the order of the first object of each. A group is one of what the file holds:
  /// raw values that an enum does not know, and texts that are spelled with other scalars, have
  /// groups of their own. Behind a link that is nil the key is nil. Without key paths all objects are
  /// one group, also when there are none.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties, which may lie behind links to one object.
  ///   - aggregates: What to compute; the number of objects is always there. A key path through an
  ///     optional link names its class, as in `.max(of: \Dog.owner?.age)`: Swift 6.3 does not find it
  ///     out.
  /// - Returns: The groups as they are now, which any thread may read.
  /// - Throws: `QueryError` for a property that has no such aggregate; `Realm.Error` with the code
  ///   `invalidInput` where a link is nil that a key path takes for one with `!`; what the file
  ///   fails with.
  /// - Complexity: That of the query, and for each object a lookup of its group and its values.
  public func grouped<each Key: _Storable & Hashable & Sendable, each Value: Sendable>(
    by keyPaths: repeat KeyPath<Element, each Key>,
    computing aggregates: repeat GroupAggregate<Element, each Value>
  ) throws -> [ResultGroup<(repeat each Key), (repeat each Value)>] {
    let list = requiredList("grouping")
    guard let descriptor = list.descriptor else { throw _ResultList.hasNoObjects }
    var columns: [QuerySyntax.GroupColumn] = [.count]
    for keyPath in repeat each keyPaths {
      columns.append(.key(PropertyNames.path(_name(for: keyPath), on: descriptor)))
    }
    for aggregate in repeat each aggregates { columns.append(aggregate.column(descriptor)) }
    return try list.groups(columns).map { row in
      var row = GroupRow(row, list.context)
      let count = row.next().int ?? 0
      return ResultGroup(
        key: (repeat try row.key(each keyPaths)), count: Int(count),
        values: (repeat row.value(each aggregates)))
    }
  }
}

/// Gives the values of a row of a query with GROUP one after the other.
private struct GroupRow {
  private var values: [_StoredValue].Iterator
  private let context: _RealmContext

  init(_ values: [_StoredValue], _ context: _RealmContext) {
    self.values = values.makeIterator()
    self.context = context
  }

  mutating func next() -> _StoredValue { values.next() ?? .null }

  mutating func key<Root: ObjectBase, Key: _Storable>(_ keyPath: KeyPath<Root, Key>) throws -> Key {
    let value = next()
    guard !value.isNull || Key._storedType.isOptional else {
      throw Realm.Error(
        .invalidInput,
        "objects cannot be grouped by '\(_name(for: keyPath))' with a key that is never nil, as a "
          + "link on the way is nil: write '?' in the key path where it has '!'")
    }
    return Key._load(value, context)
  }

  mutating func value<Root, Value>(_ aggregate: GroupAggregate<Root, Value>) -> Value {
    aggregate.value(next(), context)
  }
}
