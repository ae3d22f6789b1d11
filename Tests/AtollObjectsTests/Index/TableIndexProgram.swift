import AtollObjects
import AtollStorage
import TestSupport
import Testing

/// Random transactions on a class with indexes of several properties, compared with plain rows.
///
/// The rows tell whether a commit is to be refused; `Database.check` compares the indexes with them.
struct TableIndexProgram {
  private struct Row: Equatable {
    var values: [Value]
    var next: ObjectKey?
  }

  private struct State {
    var rows: [ObjectKey: Row] = [:]
    var indexes: Set<IndexSchema> = []
    var names = ["a", "b", "n"]
    var hasKey = false
  }

  private let seed: UInt64
  private var random: SplitMix64
  private let database: Database
  private var state = State()

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    database = try Database.inMemory()
  }

  mutating func run() throws {
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Item",
          properties: [
            PropertySchema("a", .int, isOptional: true),
            PropertySchema("b", .string, isOptional: true), PropertySchema("n", .int),
            PropertySchema("next", linkTo: "Item"),
          ]))
    }
    for _ in 0..<30 { try step() }
  }

  private mutating func step() throws {
    let before = state
    let transaction = try database.beginWrite()
    var isRefused = false
    for _ in 0..<below(12) + 1 {
      if below(8) == 0 {
        try changeSchema(transaction)
      } else {
        try change(transaction)
      }
    }
    if below(6) == 0 {
      transaction.cancel()
      state = before
    } else {
      let isBroken = state.indexes.contains { $0.isUnique && pair($0) != nil }
      do throws(ObjectError) { try transaction.commit() } catch {
        guard case .notUnique = error else { throw error }
        isRefused = true
        state = before
      }
      #expect(isRefused == isBroken, "seed \(seed)")
    }
    if below(5) == 0 { _ = try database.compactInPlace() }
    #expect(try database.check().findings == [], "seed \(seed)")
    let snapshot = try database.snapshot()
    #expect(Set(try #require(snapshot.schema["Item"]).indexes) == state.indexes, "seed \(seed)")
    let table = try snapshot.table("Item")
    #expect(table.count == state.rows.count, "seed \(seed)")
    try table.forEach { object in
      let row = Row(
        values: try state.names.map { try object.value(table.column($0)) },
        next: try object.value(table.column("next")).links.first.map {
          ObjectKey(rawValue: $0.key)
        })
      #expect(row == state.rows[object.key], "seed \(seed)")
    }
  }

  /// Two rows with the same values, none of them null.
  private func pair(_ index: IndexSchema) -> [Value]? {
    let places = index.properties.compactMap { state.names.firstIndex(of: $0) }
    var seen: Set<String> = []
    for row in state.rows.values {
      let values = places.map { row.values[$0] }
      guard !values.contains(where: \.isNull) else { continue }
      if !seen.insert("\(values)").inserted { return values }
    }
    return nil
  }

  private mutating func change(_ transaction: Transaction) throws {
    let keys = state.rows.keys.sorted()
    switch below(10) {
    case 0...3:
      let values = (0..<3).map { value($0) }
      // What is not given has its default.
      var given: [String: Value] = [:]
      var row = Row(values: [.null, .null, .int(0)])
      for place in 0..<3 where below(4) > 0 || state.hasKey && place == 2 {
        given[state.names[place]] = values[place]
        row.values[place] = values[place]
      }
      if state.hasKey, state.rows.values.contains(where: { $0.values[2] == row.values[2] }) {
        return
      }
      let key = try transaction.create("Item", given)
      state.rows[key] = row
    case 4...6:
      guard !keys.isEmpty else { return }
      let key = keys[below(keys.count)]
      let place = below(state.hasKey ? 2 : 3)
      let new = value(place)
      try transaction.set("Item", key, state.names[place], new)
      state.rows[key]?.values[place] = new
    case 7:
      guard keys.count > 1 else { return }
      let (key, other) = (keys[below(keys.count)], keys[below(keys.count)])
      let table = try #require(transaction.schema.table("Item"))
      try transaction.set(
        "Item", key, "next", .link(ObjectLink(table: table.id, key: other.rawValue)))
      state.rows[key]?.next = other
    case 8:
      guard !keys.isEmpty else { return }
      let key = keys[below(keys.count)]
      try transaction.delete("Item", key)
      state.rows[key] = nil
      for (source, row) in state.rows where row.next == key { state.rows[source]?.next = nil }
    default:
      // Reading a table writes pages, after which changes take other paths.
      _ = try transaction.table("Item").count
    }
  }

  private mutating func changeSchema(_ transaction: Transaction) throws {
    switch below(5) {
    case 0...1: try addIndex(transaction)
    case 2:
      guard let index = state.indexes.sorted(by: { "\($0)" < "\($1)" }).first else { return }
      try transaction.removeIndex(index, of: "Item")
      state.indexes.remove(index)
    case 3:
      let (old, new) = (state.names[1], state.names[1] + "b")
      guard new.count < 20 else { return }
      try transaction.renameProperty(old, of: "Item", to: new)
      state.names[1] = new
      state.indexes = Set(
        state.indexes.map { index in
          IndexSchema(index.properties.map { $0 == old ? new : $0 }, isUnique: index.isUnique)
        })
    default: try changePrimaryKey(transaction)
    }
  }

  private mutating func addIndex(_ transaction: Transaction) throws {
    let order = state.names.shuffled(using: &random)
    let isUnique = below(2) == 0
    let index = IndexSchema(
      Array(order.prefix(isUnique ? 1 + below(3) : 2 + below(2))), isUnique: isUnique)
    do throws(ObjectError) {
      try transaction.addIndex(index, of: "Item")
      // One that there is already is judged by the commit.
      let isKnown = state.indexes.contains(index)
      #expect(!isUnique || isKnown || pair(index) == nil, "seed \(seed)")
      state.indexes.insert(index)
    } catch {
      guard case .notUnique = error else { throw error }
      #expect(pair(index) != nil, "seed \(seed)")
    }
  }

  /// Makes `n` the primary key, by which all objects get other keys, or ends that.
  private mutating func changePrimaryKey(_ transaction: Transaction) throws {
    do throws(ObjectError) {
      try transaction.changePrimaryKey(of: "Item", to: state.hasKey ? nil : state.names[2])
    } catch {
      guard case .duplicatePrimaryKey = error else { throw error }
      return
    }
    var others: [ObjectKey: ObjectKey] = [:]
    if state.hasKey {
      for (offset, key) in state.rows.keys.sorted().enumerated() {
        others[key] = ObjectKey(rawValue: UInt64(offset) + 1)
      }
    } else {
      for (key, row) in state.rows {
        guard case .int(let number) = row.values[2] else { continue }
        others[key] = ObjectKey(integerPrimaryKey: number)
      }
    }
    var rows: [ObjectKey: Row] = [:]
    for (key, row) in state.rows {
      guard let other = others[key] else { continue }
      rows[other] = Row(values: row.values, next: row.next.flatMap { others[$0] })
    }
    state.rows = rows
    state.hasKey.toggle()
  }

  private mutating func value(_ place: Int) -> Value {
    switch place {
    case 0: below(4) == 0 ? .null : .int(Int64(below(6)))
    case 1: below(4) == 0 ? .null : .string(["", "x", "xy", "y", "\0", "é"][below(6)])
    default: .int(Int64(below(12)) - 3)
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
