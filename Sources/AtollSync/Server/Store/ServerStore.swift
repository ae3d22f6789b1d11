package import AtollCapture
package import AtollObjects
package import AtollQuery

/// The storage of a server.
///
/// A narrow interface: ordered records, objects by address, and queries for keys. Everything that a
/// tick of the server changes is one transaction, durable when `tick` returns.
package protocol ServerStore: AnyObject {
  /// Runs one tick: all changes of `body` become durable, or none.
  ///
  /// - Throws: What `body` throws; then nothing was changed.
  func tick<Result>(
    _ body: (any ServerTransaction) throws(ServerStoreError) -> Result
  ) throws(ServerStoreError) -> Result

  /// Prepares a view, which will run with each change of its class until it is dropped.
  ///
  /// A hint: the answers do not depend on it.
  func prepare(_ view: ViewQuery)
  /// Drops a prepared view.
  func drop(_ view: ViewQuery)
}

extension ServerTransaction {
  /// Any object may be in it: the default of a store that does not analyse queries.
  package func interest(of view: ViewQuery) throws(ServerStoreError) -> QueryInterest {
    .everything(isExact: false)
  }

  /// Visits all of them, and has the values of none: the default of such a store.
  package func visit(
    _ keys: [UInt64], of className: String, in image: StoreImage,
    _ body: (
      _ key: UInt64, _ indexKeys: (Column) throws(ServerStoreError) -> [[UInt8]]?
    ) throws(ServerStoreError) -> Void
  ) throws(ServerStoreError) {
    for key in keys { try body(key) { _ in [] } }
  }
}

extension ServerStore {
  package func prepare(_ view: ViewQuery) {}
  package func drop(_ view: ViewQuery) {}
}

/// One tick of a store, which sees its own changes.
package protocol ServerTransaction: AnyObject {
  /// The classes whose objects the store holds.
  var schema: Schema { get }

  /// Adds classes that are not there.
  func add(_ classes: [ClassSchema]) throws(ServerStoreError)
  /// Adds a property to a class that is there.
  func add(_ property: PropertySchema, to className: String) throws(ServerStoreError)

  // MARK: Records

  func record(_ key: [UInt8], in map: StoreMap) throws(ServerStoreError) -> [UInt8]?
  /// Sets a record; nil removes it.
  func set(_ record: [UInt8]?, for key: [UInt8], in map: StoreMap) throws(ServerStoreError)
  /// Visits records in the order of their keys, from `key` on, as long as they begin with `prefix`
  /// and `body` returns true.
  func forEach(
    in map: StoreMap, from key: [UInt8], prefix: [UInt8],
    _ body: (_ key: [UInt8], _ record: [UInt8]) throws(ServerStoreError) -> Bool
  ) throws(ServerStoreError)

  // MARK: Objects

  /// The number of an existing or deleted object; nil when there never was one.
  ///
  /// The number of an address never changes.
  func number(of address: ObjectAddress) throws(ServerStoreError) -> ObjectNumber?
  /// The address of an existing or deleted object.
  func address(of number: ObjectNumber) throws(ServerStoreError) -> ObjectAddress?
  /// Makes an object whose properties are null, zero, false or empty.
  func create(_ address: ObjectAddress) throws(ServerStoreError) -> ObjectNumber
  /// Deletes an object; links to it wait for another with its key.
  ///
  /// `isForgotten`: it was never visible to others; its number is free again.
  func delete(_ address: ObjectAddress, isForgotten: Bool) throws(ServerStoreError)
  /// Sets a property, or inserts, sets or removes an element of a list.
  ///
  /// - Throws: `.unfit`, `.tooLarge`: of this unit alone, and nothing was changed.
  func write(_ unit: Unit, _ value: UnitValue?) throws(ServerStoreError)
  /// Writes a unit with what it held before in this tick, whatever limits there are.
  func restore(_ unit: Unit, _ value: UnitValue?) throws(ServerStoreError)
  /// Writes what `write` has put off, so that it is not on the account of what is read next.
  func writeDeferred() throws(ServerStoreError)
  /// The value of one property or element; nil when it is not there.
  func value(of unit: Unit) throws(ServerStoreError) -> UnitValue?
  /// The members of a set that equal that of a unit, as 1.0 equals 1.
  func members(equalTo unit: Unit) throws(ServerStoreError) -> [UnitPath]
  /// All values of an object that is there; elements each on its own.
  func values(of address: ObjectAddress) throws(ServerStoreError) -> [UnitPath: UnitValue]
  /// The values of some properties of an object that is there, in the order of the class; elements,
  /// members and entries each on its own, in an order that follows from what they are.
  func units(
    of address: ObjectAddress, where isIncluded: (Column) -> Bool
  ) throws(ServerStoreError) -> [UnitChange]

  // MARK: Views

  /// What an object must have to be in a view.
  func interest(of view: ViewQuery) throws(ServerStoreError) -> QueryInterest

  /// Visits those of some objects that are there, with the index keys of their values.
  func visit(
    _ keys: [UInt64], of className: String, in image: StoreImage,
    _ body: (
      _ key: UInt64, _ indexKeys: (Column) throws(ServerStoreError) -> [[UInt8]]?
    ) throws(ServerStoreError) -> Void
  ) throws(ServerStoreError)

  /// The keys of the objects that match a query, ascending; of those in `keys` when it is not nil.
  func keys(
    matching query: ViewQuery, among keys: [UInt64]?, in image: StoreImage
  ) throws(ServerStoreError) -> [UInt64]

  /// The keys of the objects that match a query, from a key on, until a budget is spent; of those in
  /// `keys` when it is not nil.
  ///
  /// - Throws: `.tooExpensive`: the test of one object would take longer than that.
  func keys(
    matching query: ViewQuery, among keys: [UInt64]?, from start: UInt64, in image: StoreImage,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> FoundKeys
}

/// What a bounded search has found.
package struct FoundKeys {
  /// Ascending.
  package var keys: [UInt64]
  /// The first key that was not tested; nil when all were.
  package var next: UInt64?

  package init(keys: [UInt64], next: UInt64?) {
    self.keys = keys
    self.next = next
  }
}

extension ServerTransaction {
  /// Finds all at once: the default of a store whose queries cost nothing to speak of.
  package func keys(
    matching query: ViewQuery, among keys: [UInt64]?, from start: UInt64, in image: StoreImage,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> FoundKeys {
    let found = try self.keys(matching: query, among: keys, in: image)
    return FoundKeys(keys: found.filter { $0 >= start }, next: nil)
  }

  package func restore(_ unit: Unit, _ value: UnitValue?) throws(ServerStoreError) {
    try write(unit, value)
  }

  /// The member itself: the default of a store that holds 1.0 beside 1.
  package func members(equalTo unit: Unit) throws(ServerStoreError) -> [UnitPath] {
    try value(of: unit) == nil ? [] : [unit.path]
  }

  package func writeDeferred() {}
}

/// The source of a query of a tick.
package enum StoreImage: Sendable {
  /// The state when the tick began.
  case before
  /// The current state of the tick.
  case now
}

/// The ordered maps of records that a server keeps.
///
/// Normative text: Format.md, "Server store".
package enum StoreMap: String, CaseIterable, Sendable {
  /// Small records by name: the head, incarnations, counters.
  case state = "server.state"
  /// Client id → `ClientRecord`.
  case clients = "server.clients"
  /// Client id, number → the answers that the client has not confirmed.
  case answers = "server.answers"
  /// First name of an entry, digest → its answers, for ever.
  case names = "server.names"
  /// Object number → `ObjectRecord`.
  case objects = "server.objects"
  /// Object number, column, element, entry or member → `PartRecord`.
  case parts = "server.parts"
  /// Object number, column, version, element, entry or member → nothing: the last change of each
  /// part.
  case partVersions = "index.part-versions"
  /// Object number, column, element or entry → `InnerRecord`.
  case inner = "server.inner"
  /// Version, object number → nothing: the last change of each object.
  case versions = "server.versions"
  /// Membership, object number → `MemberRecord`.
  case members = "server.members"
  /// Client id, count of the catch-up's batches → its position: an object number.
  case positions = "server.positions"
  /// Number of a deleted object → its primary key.
  case deleted = "server.deleted"

  /// Whether a record may take more than an entry of a tree does.
  var hasLargeRecords: Bool {
    self == .clients || self == .answers || self == .names || self == .parts
      || self == .inner
  }
}

/// What a store cannot do.
package enum ServerStoreError: Error, Sendable {
  /// The database failed; it cannot be used until it is opened again.
  case objects(ObjectError)
  /// A value that its property cannot hold; nothing was changed.
  case unfit(String)
  /// A value that is too large, or makes the collection that it is to be in too large; nothing was
  /// changed.
  case tooLarge(String)
  /// A record whose bytes this version cannot have written.
  case damaged(StoreMap)
  /// A query that the store cannot answer.
  case query(String)
  /// A view whose test of one object takes longer than the budget allows.
  case tooExpensive(ViewQuery)
}
