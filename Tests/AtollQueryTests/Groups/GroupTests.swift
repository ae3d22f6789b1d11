import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// GROUP against groups that are made of the objects one by one.
@Suite(.computing) struct GroupTests {
  private static let columns: [(name: String, isNumber: Bool)] = [
    ("int", true), ("intOpt", true), ("text", false), ("textOpt", false), ("double", true),
    ("flag", false), ("mixed", true), ("other.intOpt", true), ("other.text", false),
    ("other.other.textOpt", false),
  ]

  /// Objects of a class that links to itself, spread over several leaves.
  private func database(_ random: inout SplitMix64, count: Int) throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "T",
          properties: [
            PropertySchema("int", .int), PropertySchema("intOpt", .int, isOptional: true),
            PropertySchema("text", .string), PropertySchema("textOpt", .string, isOptional: true),
            PropertySchema("double", .double, isOptional: true), PropertySchema("flag", .bool),
            PropertySchema("mixed", .mixed), PropertySchema("other", linkTo: "T"),
          ]))
      let table = try transaction.table("T").schema.id
      // Few different texts make a dictionary, many make none.
      let wordCount = Bool.random(using: &random) ? 5 : 1 << 30
      for key in 0..<count {
        func number(_ limit: Int) -> Int64 { Int64(Int.random(in: 0..<limit, using: &random)) }
        func maybe(_ value: Value) -> Value { number(4) == 0 ? .null : value }
        let mixed: [Value] = [
          .int(number(3)), .double(Double(number(3))), .string("x\(number(3))"), .null,
        ]
        let other = Value.link(ObjectLink(table: table, key: UInt64(number(max(1, key))) + 1))
        try transaction.create(
          "T",
          [
            "int": .int(number(7) - 3), "intOpt": maybe(.int(number(4))),
            "text": .string("word \(number(wordCount))"),
            "textOpt": maybe(.string("å\(number(3))")),
            "double": number(9) == 0 ? .double(.nan) : maybe(.double(Double(number(9)) / 4)),
            "flag": .bool(number(2) == 0), "mixed": mixed[Int(number(4))],
            "other": key == 0 ? .null : maybe(other),
          ])
      }
    }
    return database
  }

  private func value(_ path: String, _ object: Object) throws -> Value {
    var object = object
    let steps = path.split(separator: ".").map(String.init)
    for step in steps.dropLast() {
      guard let next = try object.linked(try object.table.column(step)) else { return .null }
      object = next
    }
    return try object[steps[steps.count - 1]]
  }

  private func aggregate(_ function: String, _ values: [Value]) -> Value {
    var numbers: [Double] = []
    var kept: [Value] = []
    for value in values {
      switch value {
      case .null: continue
      case .int(let number): numbers.append(Double(number))
      case .double(let number):
        if number.isNaN { continue }
        numbers.append(number)
      default: break
      }
      kept.append(value)
    }
    switch function {
    case "@sum": return .double(numbers.reduce(0, +))
    case "@avg":
      return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
    default:
      let sorted = kept.sorted { Value.sortOrder($0, $1) == .less }
      return (function == "@min" ? sorted.first : sorted.last) ?? .null
    }
  }

  @Test(arguments: seeds(20))
  func rowsAreThoseMadeOneByOne(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let count = [0, 1, 50, 3000][Int(seed % 4)]
    let snapshot = try database(&random, count: count).snapshot()
    for _ in 0..<6 {
      let keys = Self.columns.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
        .map(\.name)
      var columns = keys + ["@count"]
      var aggregates: [(function: String, path: String)] = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        guard let column = Self.columns.filter(\.isNumber).randomElement(using: &random),
          let function = ["@sum", "@avg", "@min", "@max"].randomElement(using: &random)
        else { continue }
        aggregates.append((function, column.name))
        columns.append("\(function).\(column.name)")
      }
      let predicate =
        ["TRUEPREDICATE", "int > 0", "flag == TRUE AND int != 2"]
        .randomElement(using: &random) ?? ""
      let steps =
        ["", "", " SORT(double DESC)", " SORT(int ASC) LIMIT(40)"]
        .randomElement(using: &random) ?? ""
      let text = "\(predicate)\(steps) GROUP(\(columns.joined(separator: ", ")))"

      var groups: [(key: [Value], objects: [Object])] = []
      var places: [[Value]: Int] = [:]
      if keys.isEmpty {
        groups.append(([], []))
        places[[]] = 0
      }
      let objects = try Query(predicate + steps, on: "T", in: snapshot.schema)
      try objects.results(in: snapshot).forEach { object in
        let key = try keys.map { try value($0, object) }
        if places[key] == nil {
          places[key] = groups.count
          groups.append((key, []))
        }
        groups[places[key] ?? 0].objects.append(object)
      }
      let found = try Query(text, on: "T", in: snapshot.schema).groups(in: snapshot)
      #expect(found.columns == columns)
      #expect(found.count == groups.count, "\(text)")
      for (row, group) in zip(found.rows, groups) {
        #expect(Array(row[..<keys.count]) == group.key, "\(text)")
        #expect(row[keys.count] == .int(Int64(group.objects.count)), "\(text)")
        for (place, aggregate) in aggregates.enumerated() {
          let values = try group.objects.map { try value(aggregate.path, $0) }
          let expected = self.aggregate(aggregate.function, values)
          #expect(isClose(row[keys.count + 1 + place], expected), "\(text)")
        }
      }
    }
  }

  /// Objects that many link to are looked at once, as a key, as one of several and for an
  /// aggregate.
  @Test(arguments: [
    ("GROUP(owner.name, @count)", 1), ("GROUP(owner.name, number, @count)", 1),
    ("GROUP(number, @sum.owner.age)", 1), ("GROUP(owner.friend.name, @max.owner.age)", 2),
    ("SORT(number ASC) GROUP(owner.name, @count)", 1),
  ])
  func whatIsBehindALinkIsReadOnce(text: String, times: Int) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Owner",
          properties: [
            PropertySchema("name", .string), PropertySchema("age", .int),
            PropertySchema("friend", linkTo: "Owner"),
          ]))
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [PropertySchema("number", .int), PropertySchema("owner", linkTo: "Owner")]))
      let table = try transaction.table("Owner").schema.id
      var owners: [Value] = []
      for number in 0..<10 {
        let key = try transaction.create(
          "Owner",
          [
            "name": .string("name \(number % 7)"), "age": .int(Int64(number)),
            "friend": owners.last ?? .null,
          ])
        owners.append(.link(ObjectLink(table: table, key: key.rawValue)))
      }
      for number in 0..<5000 {
        try transaction.create(
          "Thing",
          [
            "number": .int(Int64(number % 3)),
            "owner": number % 11 == 10 ? .null : owners[number % 11],
          ])
      }
    }
    let snapshot = try database.snapshot()
    let query = try Query("TRUEPREDICATE \(text)", on: "Thing", in: snapshot.schema)
    let run = try QueryRun(query.bound, [], in: snapshot, for: .rows)
    let rows = try run.groups(try #require(query.bound.grouping))
    #expect(!rows.isEmpty)
    let owners = try run.execution.table(try snapshot.table("Owner").schema.id)
    // For two values of each owner, and the friend of each, too.
    #expect(owners.locatedCount <= 10 * times * 2)
  }

  /// What does not fit into the bytes there are is read again.
  @Test(arguments: [
    "GROUP(owner.name, @count)", "GROUP(owner.name, number, @count)",
    "GROUP(number, @max.owner.name)", "GROUP(owner.name, number, @min.owner.name)",
  ])
  func whatIsBehindLinksIsRememberedInFewBytes(text: String) throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Owner", properties: [PropertySchema("name", .mixed)]))
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [PropertySchema("number", .int), PropertySchema("owner", linkTo: "Owner")]))
      let table = try transaction.table("Owner").schema.id
      let owners = try (0..<10).map { number in
        let key = try transaction.create(
          "Owner", ["name": .string(String(repeating: "\(number)", count: 1000))])
        return Value.link(ObjectLink(table: table, key: key.rawValue))
      }
      for number in 0..<300 {
        try transaction.create(
          "Thing", ["number": .int(Int64(number % 3)), "owner": owners[number % 10]])
      }
    }
    let snapshot = try database.snapshot()
    let query = try Query("TRUEPREDICATE \(text)", on: "Thing", in: snapshot.schema)
    func rows(memoBytes: Int) throws -> (rows: [[Value]], located: Int, bytesLeft: Int) {
      let run = try QueryRun(query.bound, [], in: snapshot, for: .rows)
      run.execution.memoBytesLeft = memoBytes
      let rows = try run.groups(try #require(query.bound.grouping))
      let owners = try run.execution.table(try snapshot.table("Owner").schema.id)
      return (rows, owners.locatedCount, run.execution.memoBytesLeft)
    }
    let many = try rows(memoBytes: 1 << 20)
    let few = try rows(memoBytes: 2500)
    let none = try rows(memoBytes: 0)
    #expect(many.rows == few.rows && many.rows == none.rows)
    // The number of a group takes less than a name of 1000 bytes.
    let isNumbers = text == "GROUP(owner.name, @count)"
    #expect((1 << 20) - many.bytesLeft >= (isNumbers ? 10 * 16 : 10 * 1000))
    #expect(many.located % 10 == 0 && many.located <= 20)
    #expect(none.located == 300 * many.located / 10 && none.bytesLeft == 0)
    #expect(few.bytesLeft >= 0)
    #expect(isNumbers ? few.located == 10 : few.located > many.located)
    #expect(few.located < none.located)
  }

  /// Equal, or averages and decimal sums that were rounded elsewhere.
  private func isClose(_ a: Value, _ b: Value) -> Bool {
    if a == b { return true }
    guard let x = a.promotedToDecimal, let y = b.promotedToDecimal,
      let x = Double("\(x)"), let y = Double("\(y)")
    else { return false }
    return abs(x - y) <= 1e-9 * max(abs(x), abs(y))
  }

  @Test func aQueryGivesObjectsOrGroups() throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let plain = try Query("berths > 0", on: "Boat", in: snapshot.schema)
    let grouped = try Query("berths > 0 GROUP(home.code, @count)", on: "Boat", in: snapshot.schema)
    #expect(!plain.isGrouped)
    #expect(grouped.isGrouped)
    #expect(throws: QueryError.self) { try plain.groups(in: snapshot) }
    #expect(throws: QueryError.self) { _ = try grouped.results(in: snapshot) }
    #expect(throws: QueryError.self) { try grouped.count(in: snapshot) }
    #expect(throws: QueryError.self) { try grouped.aggregate(.sum, of: "berths", in: snapshot) }
    #expect("\(try grouped.explain(in: snapshot))".contains("GROUP home.code, @count"))
  }

  @Test func aPlanHasTheStepsBehindTheGroup() throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let query = try Query(
      "berths > 0 GROUP(home.code, @count) SORT(@count DESC, home.code ASC) LIMIT(1)", on: "Boat",
      in: snapshot.schema)
    let limit = try query.explain(in: snapshot).root
    #expect(limit.text == "LIMIT 1")
    let sort = try #require(limit.parts.first)
    #expect(sort.text == "SORT by @count DESC, home.code ASC")
    #expect(sort.parts.first?.text == "GROUP home.code, @count")
  }

  @Test func anAggregateThatCannotBeAskedNamesTheTypeThatIsThere() throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    let query = try Query("TRUEPREDICATE", on: "Boat", in: snapshot.schema)
    let error = try #require(throws: ObjectError.self) {
      try query.aggregate(.sum, of: "title", in: snapshot)
    }
    #expect(
      error
        == .notAggregatable(className: "Boat", property: "title", type: "optional string"))
    #expect(error.description.contains("Boat.title is of type optional string"))
  }
}
