internal import AtollObjects

/// The objects of one table that pass a test, computed lazily.
///
/// A few objects are tested one by one; when many come, the whole table is tested once.
final class ObjectSet {
  let table: TableAccess
  var test: RowTest
  private let execution: Execution
  private var set: KeySet?
  private var answered: [UInt64: Bool] = [:]
  private var asked = 0

  init(_ table: TableAccess, _ test: RowTest, _ execution: Execution) {
    self.table = table
    self.test = test
    self.execution = execution
  }

  /// One object costs about as much as so many in a pass.
  private static let lookupCost = 100
  /// What an answer takes in the dictionary.
  private static let answerByteCount = 32

  /// The whole set, if that is worth it when `count` objects more are asked for, `expected` in the
  /// end; else nil.
  ///
  /// When the sets of the run take much memory, it is not kept, and is worth it less often.
  func whole(for count: Int, expected: Int = 0) throws -> KeySet? {
    if let set { return set }
    asked += count
    if let keys = try test.indexedKeys() {
      let set = try KeySet(of: table)
      for key in keys { set.insert(key) }
      keep(set)
      return set
    }
    let isKept = execution.setBytesLeft > 0
    guard isKept || count > 1,
      table.isPassWorth(isKept ? max(asked, expected) : count, each: Self.lookupCost)
    else { return nil }
    let set = try KeySet(of: table)
    try execution.scan(table, test, opensLeaves: false) { leaf, rows in
      try set.insert(rows, of: leaf)
      return true
    }
    keep(set)
    return set
  }

  private func keep(_ set: KeySet) {
    guard execution.setBytesLeft > 0 else { return }
    execution.setBytesLeft -= set.byteCount
    self.set = set
    answered = [:]
  }

  func contains(_ key: UInt64) throws -> Bool {
    if let set = try whole(for: 1) { return set.contains(key) }
    return try test(key)
  }

  /// Tests one object.
  func test(_ key: UInt64) throws -> Bool {
    if let answer = answered[key] { return answer }
    guard let place = try table.locate(key) else { return false }
    let rows = execution.selections.take()
    defer { execution.selections.give(rows) }
    rows.fill(place.leaf.rowCount, false)
    rows[place.row] = true
    try execution.oneByOne { try test.narrow(rows, in: place.leaf) }
    let answer = rows[place.row]
    if execution.memoBytesLeft >= Self.answerByteCount {
      execution.memoBytesLeft -= Self.answerByteCount
      answered[key] = answer
    }
    return answer
  }
}
