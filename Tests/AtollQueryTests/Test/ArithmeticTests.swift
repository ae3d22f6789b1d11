import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Arithmetic on whole columns: that it is taken, and that it computes what one row would.
@Suite(.computing) struct ArithmeticTests {
  private struct Row {
    var a: Int64
    var b: Int64?
    var x: Double
    var y: Double?
    var f: Float
  }

  /// Rows of several leaves, with the extremes of every type among them.
  private static let rows: [Row] = (0..<9000).map { (index: Int64) in
    let spread = (index &* 0x9E37_79B9) >> 5
    return Row(
      a: [spread % 1000, .max, .min, -1, 0, 1 << 53 + 1][index % 7 < 5 ? 0 : Int(spread & 0xF) % 6],
      b: index % 5 == 0 ? nil : [spread % 7, .max, -1][Int(index % 3)],
      x: [Double(spread % 1000) / 8, .nan, .infinity, -0.0, 0x1p53][
        index % 4 < 3 ? 0 : Int(index / 4 % 5)],
      y: index % 6 == 0 ? nil : Double(index % 11) - 5,
      f: [Float(index % 100) / 3, .nan, 1e38][index % 10 < 8 ? 0 : Int(index % 3)])
  }

  private static let database = Result {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Row",
          properties: [
            PropertySchema("id", .int), PropertySchema("a", .int),
            PropertySchema("b", .int, isOptional: true), PropertySchema("x", .double),
            PropertySchema("y", .double, isOptional: true), PropertySchema("f", .float),
            PropertySchema("n", .decimal), PropertySchema("list", .int, collection: .list),
            PropertySchema("next", linkTo: "Row"),
          ], primaryKey: "id"))
      for (id, row) in rows.enumerated() {
        try transaction.create(
          "Row",
          [
            "id": .int(Int64(id)), "a": .int(row.a), "b": row.b.map { .int($0) } ?? .null,
            "x": .double(row.x), "y": row.y.map { .double($0) } ?? .null, "f": .float(row.f),
          ])
      }
    }
    return database
  }

  private func check(
    _ text: String, isComputedByRow: Bool = false, _ expected: (Row) -> Bool
  ) throws {
    let snapshot = try Self.database.get().snapshot()
    let query = try Query(text, on: "Row", in: snapshot.schema)
    let found = try query.results(in: snapshot).keys
    let wanted = Self.rows.indices.filter { expected(Self.rows[$0]) }
      .map { ObjectKey(integerPrimaryKey: Int64($0)) }
    #expect(found == wanted, "\(text): \(found.count), not \(wanted.count)")
    #expect(!wanted.isEmpty && wanted.count < Self.rows.count, "\(text) tells nothing")
    let plan = try query.explain(in: snapshot)
    #expect("\(plan)".contains("row by row") == isComputedByRow, "\(plan)")
  }

  @Test func integersWrap() throws {
    try check("a * 3 > 1000") { $0.a &* 3 > 1000 }
    try check("a - b == 0") { row in row.b.map { row.a &- $0 == 0 } ?? false }
    try check("9 >= a + b * 2") { row in row.b.map { 9 >= row.a &+ $0 &* 2 } ?? false }
  }

  @Test func integersAreDividedByZeroAndByMinusOne() throws {
    try check("a / b > 5") { row in
      guard let b = row.b else { return false }
      if b == 0 { return row.a >= 0 }
      return row.a.dividedReportingOverflow(by: b).partialValue > 5
    }
    try check("a / -1 == \(Int64.min)") { $0.a == .min }
  }

  @Test func doublesAndIntegersAreComputedAsDoubles() throws {
    try check("x + y > 10") { row in row.y.map { row.x + $0 > 10 } ?? false }
    try check("1e6 >= x * a") { $0.x * Double($0.a) <= 1e6 }
    try check("a + 0.0 == 9007199254740992") { Double($0.a) == 0x1p53 }
  }

  @Test func floatsAreRoundedToFloats() throws {
    try check("f * 3 > 33.3") { $0.f * 3 > Float(33.3) }
    try check("f / a < 0.1") { $0.f / Float($0.a) < Float(0.1) }
    try check("f * x >= 50") { Double($0.f) * $0.x >= 50 }
    // 1e38 times 10 is infinite as a float.
    try check("f * 10 > 3.4e38") { $0.f * 10 > Float(3.4e38) }
  }

  @Test func nullOperandsGiveNull() throws {
    try check("a + b == NULL") { $0.b == nil }
    try check("x * y != NULL") { $0.y != nil }
    try check("b + y != 1") { row in
      guard let b = row.b, let y = row.y else { return true }
      return Double(b) + y != 1
    }
    try check("NOT (b - 1 < 2)") { row in row.b.map { $0 &- 1 >= 2 } ?? true }
  }

  @Test func manyRangesAreLookedUp() throws {
    let list = (0..<40).map { "\($0 * 3)" }.joined(separator: ", ")
    try check("a + 1 IN {\(list)}") { $0.a < 117 && ($0.a &+ 1) % 3 == 0 && $0.a >= -1 }
    try check("a + 1 != ALL {\(list)}") { !($0.a < 117 && ($0.a &+ 1) % 3 == 0 && $0.a >= -1) }
    try check("x * 2 == NONE {1, 2, 3.5, 4, 7, 9}") {
      ![1, 2, 3.5, 4, 7, 9].contains($0.x * 2)
    }
  }

  @Test func propertiesCompareWithProperties() throws {
    try check("a > b") { row in row.b.map { row.a > $0 } ?? false }
    try check("a <= b") { row in row.b.map { row.a <= $0 } ?? false }
    try check("b == b AND b != NULL") { $0.b != nil }
    try check("b >= y") { row in
      if row.b == nil, row.y == nil { return true }
      guard let b = row.b, let y = row.y else { return false }
      return Double(b) >= y
    }
    try check("x != x") { $0.x.isNaN }
    try check("f < x") { Double($0.f) < $0.x }
  }

  /// 2^53 + 1 is rounded to 2^53 as a double; the integers above 2^63 - 513 to 2^63.
  @Test func integersCompareWithDoublesByTheirExactValue() throws {
    try check("a == x + 0") { row in
      Int64(exactly: row.x).map { $0 == row.a } ?? false
    }
    try check("a < a + 0.0") { row in
      let double = Double(row.a)
      return Int64(exactly: double).map { row.a < $0 } ?? (double > 0)
    }
  }

  @Test func whatHasNoColumnOfNumbersIsComputedByRow() throws {
    try check("n + a > 10", isComputedByRow: true) { $0.a > 10 }
    try check("a + list.@count > 10", isComputedByRow: true) { $0.a > 10 }
  }

  @Test func aPropertyThatIsYoungerThanTheObjectsIsZeroOrNull() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Row", properties: [PropertySchema("a", .int)]))
      for a in 0..<100 { try transaction.create("Row", ["a": .int(Int64(a))]) }
    }
    try database.write { transaction in
      try transaction.addProperty(PropertySchema("b", .int), to: "Row")
      try transaction.addProperty(PropertySchema("c", .float, isOptional: true), to: "Row")
    }
    let snapshot = try database.snapshot()
    for (text, count) in [("a + b < 10", 10), ("a > b", 99), ("a + c == NULL", 100), ("c == b", 0)]
    {
      let found = try Query(text, on: "Row", in: snapshot.schema).count(in: snapshot)
      #expect(found == count, "\(text)")
    }
  }
}
