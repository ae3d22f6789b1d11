import AtollCapture
import AtollObjects
import AtollSync

/// A server's store in dictionaries: what the port asks for, and nothing else.
///
/// Its queries are `TRUEPREDICATE` and `property == number`.
final class MemoryStore: ServerStore {
  /// What is on its disk.
  struct Contents {
    var schema = Schema.empty
    var records: [StoreMap: [[UInt8]: [UInt8]]] = [:]
    var rows: [ObjectNumber: Row] = [:]
    var numbers: [ObjectAddress: ObjectNumber] = [:]
    var nextKey: UInt64 = 1
    /// How often all values of an object were read.
    var wholeReadCount = 0
  }

  struct Row {
    var address: ObjectAddress
    /// Nil: the object was deleted.
    var values: [UnitPath: UnitValue]?
  }

  var contents = Contents()
  private(set) var tickCount = 0

  func tick<Result>(
    _ body: (any ServerTransaction) throws(ServerStoreError) -> Result
  ) throws(ServerStoreError) -> Result {
    let transaction = MemoryTransaction(contents)
    let result = try body(transaction)
    contents = transaction.contents
    tickCount += 1
    return result
  }
}

final class MemoryTransaction: ServerTransaction {
  var contents: MemoryStore.Contents
  private let before: MemoryStore.Contents

  init(_ contents: MemoryStore.Contents) {
    self.contents = contents
    before = contents
  }

  var schema: Schema { contents.schema }

  func add(_ classes: [ClassSchema]) throws(ServerStoreError) {
    contents.schema = try Self.schema(
      contents.schema.classes
        + classes.map { added in
          var added = added
          added.isSynced = added.isAsymmetric
          return added
        })
  }

  func add(_ property: PropertySchema, to className: String) throws(ServerStoreError) {
    var classes = contents.schema.classes
    for index in classes.indices where classes[index].name == className {
      classes[index].properties.append(property)
    }
    contents.schema = try Self.schema(classes)
  }

  private static func schema(_ classes: [ClassSchema]) throws(ServerStoreError) -> Schema {
    do {
      let database = try Database.inMemory(options: .recording)
      try database.write { try $0.addClasses(classes) }
      return try database.snapshot().schema
    } catch let error as ObjectError { throw .objects(error) } catch { throw .query("\(error)") }
  }

  // MARK: Records

  func record(_ key: [UInt8], in map: StoreMap) -> [UInt8]? { contents.records[map]?[key] }

  func set(_ record: [UInt8]?, for key: [UInt8], in map: StoreMap) {
    contents.records[map, default: [:]][key] = record
  }

  func forEach(
    in map: StoreMap, from key: [UInt8], prefix: [UInt8],
    _ body: (_ key: [UInt8], _ record: [UInt8]) throws(ServerStoreError) -> Bool
  ) throws(ServerStoreError) {
    let records = contents.records[map] ?? [:]
    let keys = records.keys.filter {
      !$0.lexicographicallyPrecedes(key) && $0.starts(with: prefix)
    }
    for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard try body(key, records[key] ?? []) else { return }
    }
  }

  // MARK: Objects

  func number(of address: ObjectAddress) -> ObjectNumber? { contents.numbers[address] }

  func address(of number: ObjectNumber) -> ObjectAddress? { contents.rows[number]?.address }

  func create(_ address: ObjectAddress) throws(ServerStoreError) -> ObjectNumber {
    guard let schema = contents.schema[address.className],
      let table = contents.schema.table(address.className)
    else { throw .query("no class \(address.className)") }
    let number =
      contents.numbers[address]
      ?? ObjectNumber(classNumber: table.id, key: contents.nextKey)
    contents.nextKey = max(contents.nextKey, number.key + 1)
    contents.numbers[address] = number
    var values: [UnitPath: UnitValue] = [.existence: .exists]
    for (name, value) in ClassShape(schema).defaults {
      values[.property(name.text)] = .value(value)
    }
    contents.rows[number] = MemoryStore.Row(address: address, values: values)
    return number
  }

  func delete(_ address: ObjectAddress, isForgotten: Bool) {
    guard let number = contents.numbers[address] else { return }
    contents.rows[number]?.values = nil
    guard isForgotten else { return }
    contents.rows[number] = nil
    contents.numbers[address] = nil
  }

  func write(_ unit: Unit, _ value: UnitValue?) {
    guard let number = contents.numbers[unit.object] else { return }
    var value = value
    if case .element = unit.path, case .value(let new)? = value,
      case .element(let position, _)? = contents.rows[number]?.values?[unit.path]
    {
      value = .element(position, new)
    }
    contents.rows[number]?.values?[unit.path] = value
  }

  func value(of unit: Unit) -> UnitValue? {
    contents.numbers[unit.object].flatMap { contents.rows[$0]?.values?[unit.path] }
  }

  func values(of address: ObjectAddress) -> [UnitPath: UnitValue] {
    contents.wholeReadCount += 1
    return contents.numbers[address].flatMap { contents.rows[$0]?.values } ?? [:]
  }

  func units(of address: ObjectAddress, where isIncluded: (Column) -> Bool) -> [UnitChange] {
    let units = values(of: address).map { UnitChange($0, $1) }
    let columns = contents.schema.table(address.className)?.columns ?? []
    return columns.filter(isIncluded).flatMap { column in
      units.filter { $0.path.property == column.name }.sorted(by: Self.precedes)
    }
  }

  private static func precedes(_ a: UnitChange, _ b: UnitChange) -> Bool {
    switch (a.path, a.value, b.path, b.value) {
    case (
      .element(_, let first), .element(let start, _)?, .element(_, let second),
      .element(let end, _)?
    ):
      (start, first) < (end, second)
    case (.entry(_, let first), _, .entry(_, let second), _):
      first.standaloneBytes.lexicographicallyPrecedes(second.standaloneBytes)
    default: false
    }
  }

  // MARK: Views

  func keys(
    matching query: ViewQuery, among keys: [UInt64]?, in image: StoreImage
  ) throws(ServerStoreError) -> [UInt64] {
    let contents = image == .now ? contents : before
    guard let table = contents.schema.table(query.className) else { return [] }
    let words = query.text.split(separator: " ")
    let test: (MemoryStore.Row) -> Bool
    if words == ["TRUEPREDICATE"] {
      test = { _ in true }
    } else if words.count == 3, words[1] == "==", let number = Int64(words[2]) {
      test = { $0.values?[.property(String(words[0]))] == .value(.int(number)) }
    } else {
      throw .query(query.text)
    }
    let found = contents.rows.filter { number, row in
      number.classNumber == table.id && row.values != nil && test(row)
    }.map(\.key.key)
    return found.filter { keys?.contains($0) ?? true }.sorted()
  }
}
