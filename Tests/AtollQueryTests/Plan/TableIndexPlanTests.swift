import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Indexes of several properties give what a scan gives, and are taken where they are cheaper.
@Suite(.computing) struct TableIndexPlanTests {
  private static let properties: [PropertySchema] = [
    PropertySchema("i", .int, isOptional: true), PropertySchema("s", .string, isOptional: true),
    PropertySchema("d", .double), PropertySchema("t", .date), PropertySchema("f", .bool),
    PropertySchema("o", .objectID), PropertySchema("m", .decimal),
  ]

  private static func database(_ random: inout SplitMix64) throws -> Database {
    let names = properties.map(\.name)
    var indexes: [IndexSchema] = []
    for _ in 0..<4 {
      let count = Int.random(in: 2...4, using: &random)
      let index = IndexSchema(Array(names.shuffled(using: &random).prefix(count)))
      if !indexes.contains(index) { indexes.append(index) }
    }
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Row", properties: properties + [PropertySchema("u", .int, isOptional: true)],
          indexes: indexes + [IndexSchema(["u"], isUnique: true)]))
      for number in 0..<Int.random(in: 200...1500, using: &random) {
        var values: [String: Value] = [:]
        for property in properties where Int.random(in: 0..<8, using: &random) > 0 {
          values[property.name] = value(property.name, &random)
        }
        if number % 3 > 0 { values["u"] = .int(Int64(number)) }
        try transaction.create("Row", values)
      }
    }
    return database
  }

  private static func value(_ name: String, _ random: inout SplitMix64) -> Value {
    let number = Int.random(in: 0..<6, using: &random)
    return switch name {
    case "i": .int(Int64(number) - 2)
    case "s": .string(["", "a", "AB", "ab", "a\0", "é"][number])
    case "d": .double([0, -0.0, 1.5, -2, .infinity, .nan][number])
    case "t": Timestamp(seconds: Int64(number) * 100, nanoseconds: 0).map(Value.date) ?? .null
    case "f": .bool(number < 3)
    case "o": .objectID(ObjectID(high: UInt64(number), low: 7))
    default: .decimal(Decimal128(Int64(number)))
    }
  }

  private static func query(_ random: inout SplitMix64) -> (text: String, arguments: [Value]) {
    var arguments: [Value] = []
    var terms: [String] = []
    let names = properties.map(\.name).shuffled(using: &random)
    for name in names.prefix(Int.random(in: 0...4, using: &random)) {
      let comparators =
        switch name {
        case "f": ["==", "!="]
        case "s": ["==", "!=", "<", "<=", ">", ">=", "BEGINSWITH"]
        default: ["==", "==", "!=", "<", "<=", ">", ">="]
        }
      func comparison() -> String {
        let argument = value(name, &random)
        arguments.append(argument)
        let comparator = comparators.randomElement(using: &random) ?? "=="
        return "\(name) \(comparator) $\(arguments.count - 1)"
      }
      func argument() -> String {
        arguments.append(value(name, &random))
        return "$\(arguments.count - 1)"
      }
      switch Int.random(in: 0..<10, using: &random) {
      case 0: terms.append("(\(comparison()) OR \(comparison()))")
      case 1 where name == "i" || name == "s":
        terms.append("\(name) \(Bool.random(using: &random) ? "==" : "!=") NULL")
      case 2: terms.append("\(comparison()) AND \(comparison())")
      case 3 where name == "i" || name == "s":
        terms.append("\(name) IN {\(argument()), NULL, \(argument())}")
      case 4 where name == "s":
        let folding = ["==[c]", "!=[c]", "BEGINSWITH[c]", "CONTAINS[c]"]
        terms.append("\(name) \(folding.randomElement(using: &random) ?? "==[c]") \(argument())")
      case 5 where name == "i" || name == "d":
        terms.append("\(name) BETWEEN {\(argument()), \(argument())}")
      case 6: terms.append("NOT (\(comparison()))")
      default: terms.append(comparison())
      }
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      let comparator = Bool.random(using: &random) ? "==" : "<"
      terms.append("u \(comparator) \(Int.random(in: 0..<300, using: &random))")
    }
    var text = terms.isEmpty ? "TRUEPREDICATE" : terms.joined(separator: " AND ")
    let keys = names.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
    if !keys.isEmpty {
      var direction = Bool.random(using: &random) ? "ASC" : "DESC"
      let isMixed = Int.random(in: 0..<4, using: &random) == 0
      text +=
        " SORT("
        + keys.map { key in
          if isMixed { direction = direction == "ASC" ? "DESC" : "ASC" }
          return "\(key) \(direction)"
        }.joined(separator: ", ") + ")"
    } else if Int.random(in: 0..<4, using: &random) == 0 {
      text += " DISTINCT(\(names[0]))"
    }
    if Int.random(in: 0..<3, using: &random) == 0 { text += " LIMIT(7)" }
    return (text, arguments)
  }

  /// A query that an index of several properties is made for: few values of the first ones, and the
  /// order of the others.
  private static func query(
    for index: IndexSchema, _ random: inout SplitMix64
  ) -> (text: String, arguments: [Value]) {
    let fixedCount = Int.random(in: 0..<index.properties.count, using: &random)
    var arguments: [Value] = []
    var terms: [String] = []
    for name in index.properties.prefix(fixedCount) {
      let count = Int.random(in: 1...2, using: &random)
      let values = (0..<count).map { _ in
        arguments.append(value(name, &random))
        return "$\(arguments.count - 1)"
      }
      terms.append("\(name) IN {\(values.joined(separator: ", "))}")
    }
    let direction = Bool.random(using: &random) ? "ASC" : "DESC"
    let keys = index.properties.dropFirst(fixedCount).map { "\($0) \(direction)" }
    return (
      (terms.isEmpty ? "TRUEPREDICATE" : terms.joined(separator: " AND "))
        + " SORT(\(keys.joined(separator: ", ")))", arguments
    )
  }

  @Test(arguments: seeds(12))
  func everyPlanGivesWhatAScanGives(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try Self.comparePlans(in: try Self.database(&random).snapshot(), 60, &random)
  }

  /// What a write has changed, and what it has deleted and made, is found before its commit.
  @Test(arguments: seeds(6))
  func everyPlanGivesWhatAScanGivesInAnOpenWrite(seed: UInt64) throws {
    var random = SplitMix64(seed: ~seed)
    let database = try Self.database(&random)
    let transaction = try database.beginWrite()
    for _ in 0..<6 {
      var keys: [ObjectKey] = []
      try transaction.table("Row").forEach { keys.append($0.key) }
      for key in keys {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try transaction.delete("Row", key)
        case 1...3:
          guard let property = Self.properties.randomElement(using: &random) else { continue }
          try transaction.set("Row", key, property.name, Self.value(property.name, &random))
        case 4:
          try transaction.create(
            "Row", ["i": Self.value("i", &random), "s": Self.value("s", &random)])
        default: break
        }
      }
      try Self.comparePlans(in: transaction, 8, &random)
    }
    try transaction.commit()
    #expect(try database.check().findings == [])
    try Self.comparePlans(in: try database.snapshot(), 8, &random)
  }

  private static func comparePlans(
    in snapshot: some ObjectSource, _ count: Int, _ random: inout SplitMix64
  ) throws {
    let indexes = try #require(snapshot.schema["Row"]).indexes.filter { !$0.isUnique }
    for number in 0..<count {
      let (text, arguments) =
        number % 2 == 0
        ? Self.query(&random)
        : Self.query(for: indexes[number / 2 % indexes.count], &random)
      let query = try Query(text, on: "Row", in: snapshot.schema, arguments: arguments)
      let expected = try query.answer(
        in: snapshot, by: PlanForce(access: 0, usesIndexOrder: false))
      for access in 0..<(try query.accessCount(in: snapshot)) {
        for usesIndexOrder in [false, true] {
          let answer = try query.answer(
            in: snapshot, by: PlanForce(access: access, usesIndexOrder: usesIndexOrder))
          #expect(answer.keys == expected.keys, "\(text) \(arguments), access \(access)")
          #expect(answer.count == expected.count, "\(text) \(arguments), access \(access)")
        }
      }
      #expect(try query.results(in: snapshot).keys == expected.keys, "\(text)")
    }
  }

  // MARK: Choice

  /// Tasks of a hundred owners, a hundred each.
  private static let tasks = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Task",
          properties: [
            PropertySchema("owner", .string), PropertySchema("due", .int),
            PropertySchema("email", .string),
          ],
          indexes: [
            IndexSchema(["owner", "due"]), IndexSchema(["email"], isUnique: true),
          ]))
      for number in 0..<10_000 {
        try transaction.create(
          "Task",
          [
            "owner": .string("owner \(number % 100)"), "due": .int(Int64(number * 7919 % 10_007)),
            "email": .string("\(number)@example.com"),
          ])
      }
    }
    return database
  }

  private func plan(_ text: String) throws -> QueryPlan {
    let snapshot = try Self.tasks.get().snapshot()
    return try Query(text, on: "Task", in: snapshot.schema).explain(in: snapshot)
  }

  @Test func aRangeOfTheSecondPropertyReadsOnlyItsEntries() throws {
    let plan = try plan("owner == 'owner 7' AND due < 2000")
    #expect(plan.indexes == ["Task.(owner, due)"])
    #expect(plan.description.contains("index on 'Task' by (owner, due), 1 range"))
    #expect(plan.estimatedRowCount == plan.resultCount)
    #expect(plan.resultCount < 50)
    #expect(plan.testedRowCount == 0)
  }

  @Test func theNextPropertyGivesTheOrder() throws {
    let plan = try plan("owner == 'owner 7' SORT(due DESC) LIMIT(3)")
    #expect(plan.indexes == ["Task.(owner, due)"])
    #expect(plan.description.contains("index on 'Task' by (owner, due) in DESC order, the first 3"))
  }

  @Test func aUniqueIndexFindsItsObject() throws {
    for text in ["email == '77@example.com'", "email IN {'77@example.com'}"] {
      let plan = try plan(text)
      #expect(plan.indexes == ["Task.email"])
      #expect(plan.resultCount == 1)
      #expect(plan.leavesRead == 1)
    }
  }

  @Test func theFirstPropertyAloneIsFoundInAnAlternativeToo() throws {
    #expect(
      try plan("owner == 'owner 7' OR email == '3@example.com'").indexes
        == ["Task.(owner, due)", "Task.email"])
  }
}
