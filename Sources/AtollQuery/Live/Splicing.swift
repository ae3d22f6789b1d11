internal import AtollObjects

/// What one live query reads of the two versions that it goes from and to.
final class Splicing {
  private let query: Query
  private let shape: LiveShape?
  private let reading: VersionReading
  private let affected: Set<ObjectKey>
  private var knownOldValues: [ObjectKey: [SortValue]] = [:]

  init(query: Query, shape: LiveShape?, reading: VersionReading, affected: Set<ObjectKey>) {
    self.query = query
    self.shape = shape
    self.reading = reading
    self.affected = affected
  }

  func isAffected(_ key: ObjectKey) -> Bool { affected.contains(key) }

  /// The affected objects that pass in the new version, tested by `test` where it can.
  func passing(_ test: OwnValuesTest?) throws -> Set<ObjectKey> {
    var passing: Set<ObjectKey> = []
    let keys = affected.map(\.rawValue).sorted()
    if let test {
      let table = try reading.new.table(query.bound.table.id)
      for key in keys {
        guard let row = try table.locate(key), try test.passes(row) else { continue }
        passing.insert(ObjectKey(rawValue: key))
      }
      return passing
    }
    let execution = Execution(source: reading.difference.new, arguments: query.arguments)
    let table = try execution.table(query.bound.table.id)
    let test = try Compiler(execution: execution).compile(query.bound.predicate, on: table)
    try execution.visit(table, keys, test) { leaf, rows in
      rows.forEach { passing.insert(ObjectKey(rawValue: leaf.rowGroup.key($0))) }
      return true
    }
    return passing
  }

  /// The values that an object is sorted by in the new version; nil when it does not exist there.
  func newValues(of key: ObjectKey) throws -> [SortValue]? {
    guard let shape else { return nil }
    if shape.order.isEmpty { return [] }
    let execution = reading.new
    return try shape.values(of: key, in: execution.table(query.bound.table.id), execution)
  }

  /// The values that an object is sorted by in the old version; nil when it does not exist there.
  func oldValues(of key: ObjectKey) throws -> [SortValue]? {
    guard let shape else { return nil }
    if shape.order.isEmpty { return [] }
    if let known = knownOldValues[key] { return known }
    let execution = reading.old
    let values = try shape.values(of: key, in: execution.table(query.bound.table.id), execution)
    knownOldValues[key] = values
    return values
  }

  /// The values of an object that is not affected, which are the same in both versions; those that
  /// are known are in `kept`.
  func unaffectedValues(
    of key: ObjectKey, _ kept: inout KnownSortValues
  ) throws -> [SortValue] {
    if shape?.order.isEmpty == true { return [] }
    if let known = kept[key] { return known }
    let values = try newValues(of: key) ?? []
    kept[key] = values
    return values
  }
}
