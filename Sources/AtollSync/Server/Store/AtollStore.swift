internal import AtollCapture
package import AtollObjects
internal import AtollQuery
internal import AtollStorage

/// A server's store in one database of Atoll.
///
/// Objects are rows of ordinary classes, so that views are queries with indexes; all else lies in
/// named trees beside them. A tick is one transaction.
package final class AtollStore: ServerStore {
  /// The maximum bytes of a set or map, which is sent to a new device as a whole: far below the
  /// limit of a value, to leave room for additions by devices.
  package static let collectionByteLimit = 64 << 20

  package let database: Database
  private let collectionByteLimit: Int
  let views = BoundViews()

  /// Keeps a server's data in a database that nothing else writes to.
  package init(
    _ database: Database, collectionByteLimit: Int = AtollStore.collectionByteLimit
  ) {
    self.database = database
    self.collectionByteLimit = collectionByteLimit
  }

  package func tick<Result>(
    _ body: (any ServerTransaction) throws(ServerStoreError) -> Result
  ) throws(ServerStoreError) -> Result {
    let transaction: Transaction
    do throws(ObjectError) { transaction = try database.beginWrite() } catch {
      throw .objects(error)
    }
    transaction.origin = .sync
    transaction.partsByteLimit = collectionByteLimit
    let result: Result
    do throws(ServerStoreError) {
      result = try body(AtollStoreTransaction(transaction, database, views))
    } catch {
      transaction.cancel()
      throw error
    }
    do throws(ObjectError) { try transaction.commit(durability: .full) } catch {
      throw .objects(error)
    }
    return result
  }

  package func prepare(_ view: ViewQuery) { views.prepare(view) }

  package func drop(_ view: ViewQuery) { views.drop(view) }
}

/// One tick of a store in a database.
final class AtollStoreTransaction: ServerTransaction {
  private let transaction: Transaction
  private let database: Database
  private let views: BoundViews
  private var trees: [StoreMap: NamedTree] = [:]
  /// The state before the tick, once it was needed.
  private var snapshot: Snapshot?

  init(_ transaction: Transaction, _ database: Database, _ views: BoundViews) {
    self.transaction = transaction
    self.database = database
    self.views = views
  }

  /// Runs `body` with the errors of this layer.
  private func use<Result>(_ body: () throws(ObjectError) -> Result) throws(ServerStoreError)
    -> Result
  {
    do throws(ObjectError) { return try body() } catch { throw .objects(error) }
  }

  // MARK: Classes

  var schema: Schema { transaction.schema }

  func add(_ classes: [ClassSchema]) throws(ServerStoreError) {
    try use { () throws(ObjectError) in
      try transaction.addClasses(
        classes.map { added in
          var added = added
          // Links to deleted objects wait, and a key that comes again is the same.
          added.isSynced = !added.isEmbedded
          return added
        })
    }
  }

  func add(_ property: PropertySchema, to className: String) throws(ServerStoreError) {
    try use { () throws(ObjectError) in try transaction.addProperty(property, to: className) }
  }

  // MARK: Records

  private func tree(_ map: StoreMap) throws(ObjectError) -> NamedTree {
    if let tree = trees[map] { return tree }
    let tree = try transaction.namedTree(map.rawValue)
    trees[map] = tree
    return tree
  }

  func record(_ key: [UInt8], in map: StoreMap) throws(ServerStoreError) -> [UInt8]? {
    try use { () throws(ObjectError) -> [UInt8]? in
      map.hasLargeRecords ? try CaptureTree(tree(map)).get(key) : try tree(map).get(key)
    }
  }

  func set(_ record: [UInt8]?, for key: [UInt8], in map: StoreMap) throws(ServerStoreError) {
    try use { () throws(ObjectError) in
      if map.hasLargeRecords {
        try CaptureTree(tree(map)).set(record, for: key)
      } else {
        try tree(map).set(record, for: key)
      }
    }
  }

  func forEach(
    in map: StoreMap, from key: [UInt8], prefix: [UInt8],
    _ body: (_ key: [UInt8], _ record: [UInt8]) throws(ServerStoreError) -> Bool
  ) throws(ServerStoreError) {
    var failure: ServerStoreError?
    func visit(_ key: [UInt8], _ record: [UInt8]) -> Bool {
      do throws(ServerStoreError) { return try body(key, record) } catch {
        failure = error
        return false
      }
    }
    try use { () throws(ObjectError) in
      if map.hasLargeRecords {
        try CaptureTree(tree(map)).visit(prefix: prefix, from: key) { visit($0, $1) }
      } else {
        try tree(map).visit(prefix: prefix, from: key) { visit($0, $1) }
      }
    }
    if let failure { throw failure }
  }

  // MARK: Objects

  private func table(_ className: String) throws(ServerStoreError) -> TableSchema {
    try use { () throws(ObjectError) -> TableSchema in try schema.requireTable(className) }
  }

  func number(of address: ObjectAddress) throws(ServerStoreError) -> ObjectNumber? {
    try use { () throws(ObjectError) -> ObjectNumber? in
      let table = try schema.requireTable(address.className)
      if table.isKeyedByPrimaryKey {
        guard case .int(let number) = address.primaryKey else { return nil }
        return ObjectNumber(
          classNumber: table.id, key: ObjectKey(integerPrimaryKey: number).rawValue)
      }
      var key = try transaction.key(address.className, primaryKey: address.primaryKey)
      if key == nil { key = try transaction.capture.generations(of: address).localKey }
      return key.map { ObjectNumber(classNumber: table.id, key: $0.rawValue) }
    }
  }

  func address(of number: ObjectNumber) throws(ServerStoreError) -> ObjectAddress? {
    guard let table = schema.table(id: number.classNumber), let column = table.primaryKey else {
      return nil
    }
    let key = ObjectKey(rawValue: number.key)
    if table.isKeyedByPrimaryKey {
      return ObjectAddress(className: table.name, primaryKey: .int(key.integerPrimaryKey))
    }
    let isThere = try use { () throws(ObjectError) in
      try transaction.contains(table.name, key)
    }
    if isThere {
      let value = try use { () throws(ObjectError) in
        try transaction.value(table.name, key, column.name)
      }
      return ObjectAddress(className: table.name, primaryKey: value)
    }
    guard let bytes = try record(number.bytes, in: .deleted) else { return nil }
    return ObjectAddress(
      className: table.name, primaryKey: try DeletedRecord(bytes).primaryKey)
  }

  func create(_ address: ObjectAddress) throws(ServerStoreError) -> ObjectNumber {
    let table = try table(address.className)
    let key = try use { () throws(ObjectError) in try transaction.createAddressed(address) }
    let number = ObjectNumber(classNumber: table.id, key: key.rawValue)
    if !table.isKeyedByPrimaryKey, try record(number.bytes, in: .deleted) != nil {
      try set(nil, for: number.bytes, in: .deleted)
      try use { () throws(ObjectError) in
        try transaction.capture.setGenerations(
          ObjectGenerations(confirmed: nil, head: nil), of: address)
      }
    }
    return number
  }

  func delete(_ address: ObjectAddress, isForgotten: Bool) throws(ServerStoreError) {
    let table = try table(address.className)
    if !isForgotten, !table.isKeyedByPrimaryKey, let number = try number(of: address) {
      try set(
        DeletedRecord(primaryKey: address.primaryKey).encoded, for: number.bytes, in: .deleted)
      try use { () throws(ObjectError) in
        // The key is kept for an object that is confirmed, as this one is dead.
        try transaction.capture.setGenerations(
          ObjectGenerations(
            confirmed: Cursor(incarnation: 0, version: 0), head: nil,
            localKey: ObjectKey(rawValue: number.key)), of: address)
      }
    }
    try use { () throws(ObjectError) in try transaction.leave(address) }
  }

  func write(_ unit: Unit, _ value: UnitValue?) throws(ServerStoreError) {
    // Values written by other operations must not count as a failure of this one.
    try use { () throws(ObjectError) in try transaction.closeCollection(before: unit) }
    do throws(ObjectError) { try writeFitting(unit, value) } catch {
      switch error {
      case .storage: throw .objects(error)
      case .valueTooLarge: throw .tooLarge("\(error)")
      default: throw .unfit("\(error)")
      }
    }
  }

  func restore(_ unit: Unit, _ value: UnitValue?) throws(ServerStoreError) {
    let limit = transaction.partsByteLimit
    transaction.partsByteLimit = .max
    defer { transaction.partsByteLimit = limit }
    try write(unit, value)
  }

  private func writeFitting(_ unit: Unit, _ value: UnitValue?) throws(ObjectError) {
    guard case .element = unit.path, case .value(let new)? = value else {
      return try transaction.write(unit, value)
    }
    guard case .element(let position, _)? = try transaction.read(unit) else { return }
    try transaction.write(unit, .element(position, new))
  }

  func writeDeferred() throws(ServerStoreError) {
    try use { () throws(ObjectError) in try transaction.writeDeferred() }
  }

  func value(of unit: Unit) throws(ServerStoreError) -> UnitValue? {
    try use { () throws(ObjectError) in try transaction.read(unit) }
  }

  func members(equalTo unit: Unit) throws(ServerStoreError) -> [UnitPath] {
    try use { () throws(ObjectError) in try transaction.members(equalTo: unit) }
  }

  func values(of address: ObjectAddress) throws(ServerStoreError) -> [UnitPath: UnitValue] {
    try use { () throws(ObjectError) in try transaction.readObject(address) }
  }

  func units(
    of address: ObjectAddress, where isIncluded: (Column) -> Bool
  ) throws(ServerStoreError) -> [UnitChange] {
    var units: [UnitChange] = []
    try use { () throws(ObjectError) in
      try transaction.forEachUnit(of: address, where: isIncluded) {
        units.append(UnitChange($0, $1))
      }
    }
    return units
  }

  // MARK: Views

  func keys(
    matching query: ViewQuery, among keys: [UInt64]?, in image: StoreImage
  ) throws(ServerStoreError) -> [UInt64] {
    if let keys, keys.isEmpty { return [] }
    return switch image {
    case .now: try found(query, among: keys, in: transaction)
    case .before: try found(query, among: keys, in: before())
    }
  }

  func keys(
    matching query: ViewQuery, among keys: [UInt64]?, from start: UInt64, in image: StoreImage,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> FoundKeys {
    switch image {
    case .now: try found(query, among: keys, from: start, in: transaction, within: budget)
    case .before: try found(query, among: keys, from: start, in: before(), within: budget)
    }
  }

  /// The version that the tick began with.
  private func before() throws(ServerStoreError) -> Snapshot {
    if let snapshot { return snapshot }
    let before = try use { () throws(ObjectError) in try database.snapshot() }
    snapshot = before
    return before
  }

  func interest(of view: ViewQuery) throws(ServerStoreError) -> QueryInterest {
    // What has no class yet may have any object later.
    try answer(view, in: transaction) { try $0.interest(in: transaction) }
      ?? .everything(isExact: false)
  }

  func visit(
    _ keys: [UInt64], of className: String, in image: StoreImage,
    _ body: (
      _ key: UInt64, _ indexKeys: (Column) throws(ServerStoreError) -> [[UInt8]]?
    ) throws(ServerStoreError) -> Void
  ) throws(ServerStoreError) {
    switch image {
    case .now: try visit(keys, of: className, in: transaction, body)
    case .before: try visit(keys, of: className, in: before(), body)
    }
  }

  /// Elements of a longer collection are not looked at one by one for each change of the object.
  private static let elementLimit = 256

  private func visit(
    _ keys: [UInt64], of className: String, in source: some ObjectSource,
    _ body: (
      _ key: UInt64, _ indexKeys: (Column) throws(ServerStoreError) -> [[UInt8]]?
    ) throws(ServerStoreError) -> Void
  ) throws(ServerStoreError) {
    guard let known = source.schema.table(className) else { return }
    let isOlder = schema.table(className) != known
    let table = try use { () throws(ObjectError) in try source.table(className) }
    for key in keys {
      let object = try use { () throws(ObjectError) in try table.object(ObjectKey(rawValue: key)) }
      guard let object else { continue }
      try body(key) { column throws(ServerStoreError) in
        var column = column
        if isOlder {
          // The property may have come in this tick.
          guard let own = known.columns.first(where: { $0.id == column.id }) else { return [] }
          column = own
        }
        return try use { () throws(ObjectError) -> [[UInt8]]? in
          if column.layout.collection != .none,
            try object.elementCount(column) > Self.elementLimit
          {
            return nil
          }
          return try object.value(column).indexKeys
        }
      }
    }
  }

  private func found(
    _ query: ViewQuery, among keys: [UInt64]?, in source: some ObjectSource
  ) throws(ServerStoreError) -> [UInt64] {
    try answer(query, in: source) { bound in
      guard let keys else {
        return try bound.results(in: source).keys.map(\.rawValue).sorted()
      }
      return try bound.matches(keys: keys.map { ObjectKey(rawValue: $0) }, in: source)
        .map(\.rawValue)
    } ?? []
  }

  private func found(
    _ query: ViewQuery, among keys: [UInt64]?, from start: UInt64, in source: some ObjectSource,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> FoundKeys {
    let found = try answer(query, in: source) { bound in
      guard let keys else {
        return try bound.matches(
          from: ObjectKey(rawValue: start), in: source, within: budget)
      }
      return try bound.matches(
        keys: keys.lazy.filter { $0 >= start }.map { ObjectKey(rawValue: $0) }, in: source,
        within: budget)
    }
    guard let found else { return FoundKeys(keys: [], next: nil) }
    return FoundKeys(keys: found.keys.map(\.rawValue), next: found.next?.rawValue)
  }

  /// Runs a query of a view; nil when this version lacks its class or a property, as later ones may
  /// have them.
  private func answer<Found>(
    _ query: ViewQuery, in source: some ObjectSource, _ run: (Query) throws -> Found
  ) throws(ServerStoreError) -> Found? {
    guard source.schema.table(query.className) != nil else { return nil }
    do {
      return try run(try views.query(of: query, in: source.schema))
    } catch let error as ObjectError {
      throw .objects(error)
    } catch is QueryTooExpensive {
      throw .tooExpensive(query)
    } catch is QueryError {
      return nil
    } catch { throw .query("\(error)") }
  }
}

extension Value {
  /// The keys under which an index lists the value, or the elements of a collection.
  fileprivate var indexKeys: [[UInt8]] {
    switch self {
    case .list(let elements), .set(let elements): elements.compactMap { Index.bytes(of: $0) }
    case .string(let text) where text.utf8.count > 2 * Index.valueByteLimit:
      // The rest is cut anyway; not within what is kept.
      Index.bytes(
        of: .string(String(decoding: text.utf8.prefix(2 * Index.valueByteLimit), as: UTF8.self))
      )
      .map { [$0] } ?? []
    default: Index.bytes(of: self).map { [$0] } ?? []
    }
  }
}

/// The primary key of a deleted object, kept beside its record.
struct DeletedRecord: ServerRecord {
  static let map = StoreMap.deleted

  var primaryKey: Value

  init(primaryKey: Value) { self.primaryKey = primaryKey }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    let offset = reader.byteOffset
    guard let key = try reader.readValue().primaryKey else {
      throw .invalidContents(byteOffset: offset)
    }
    primaryKey = key
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(RecordedValue(single: primaryKey))
  }
}
