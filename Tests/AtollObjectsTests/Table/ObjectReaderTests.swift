import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// An object reader gives what the objects give, whichever way it finds its leaves.
@Suite(.computing) struct ObjectReaderTests {
  /// How a reader comes to its leaves.
  enum Way: CaseIterable {
    case descents, list, fewOpenLeaves, tooManyLeaves, closedAgainAndAgain

    var limits: LeafDirectory.Limits {
      var limits = LeafDirectory.Limits()
      switch self {
      case .descents: limits.firstDescents = .max
      case .list: limits.firstDescents = 0
      case .fewOpenLeaves:
        limits.firstDescents = 3
        limits.openByteCount = 4096
      case .tooManyLeaves:
        limits.firstDescents = 3
        limits.leafCount = 2
      case .closedAgainAndAgain:
        limits.firstDescents = 3
        limits.openByteCount = 0
      }
      return limits
    }
  }

  private static let properties = [
    PropertySchema("id", .int),
    PropertySchema("count", .int),
    PropertySchema("level", .int, isOptional: true),
    PropertySchema("size", .double),
    PropertySchema("flag", .bool),
    PropertySchema("mark", .bool, isOptional: true),
    PropertySchema("name", .string, isOptional: true),
    PropertySchema("kind", .string),
    PropertySchema("ratio", .double, isOptional: true),
  ]

  /// Objects whose keys have gaps, with values that every encoding is chosen for somewhere.
  private static func makeDatabase(count: Int, step: Int, seed: UInt64) throws -> Database {
    let database = try Database.inMemory()
    var random = SplitMix64(seed: seed)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Item", properties: Self.properties, primaryKey: "id"))
      for index in 0..<count {
        try transaction.create("Item", Self.values(index, step: step, &random))
      }
    }
    return database
  }

  private static func values(
    _ index: Int, step: Int, _ random: inout SplitMix64
  ) -> [String: Value] {
    let part = index / 1500
    let shift = [62, 54, 44, 36, 20, 0][part % 6]
    let number = Int64(truncatingIfNeeded: random.next()) >> Int64(shift)
    var values: [String: Value] = [
      "id": .int(Int64(index * step - 500)),
      "count": .int(number),
      "size": .double(part % 3 == 0 ? 2.5 : Double(number) / 3),
      "flag": .bool(part % 3 == 0 ? true : number % 2 == 0),
      "kind": .string("kind \(number & 7)"),
    ]
    if part % 4 != 1 {
      if index % 3 > 0 || part % 4 == 2 { values["level"] = .int(number) }
      if index % 5 > 0 { values["mark"] = .bool(number & 4 == 0) }
      if index % 7 > 0 {
        values["name"] = .string(
          index == 3000
            ? String(repeating: "long ", count: 30_000)
            : String(repeating: index % 11 == 0 ? "é" : "x", count: Int(number & 15)))
      }
      if index % 2 > 0 { values["ratio"] = .double(Double(index)) }
    }
    return values
  }

  private static func columns(_ table: Table) throws -> [Column] {
    try properties.map { try table.column($0.name) }
  }

  /// Whether all that the reader says of its object is what the object says.
  private static func agrees(_ reader: ObjectReader, with object: Object) throws -> Bool {
    guard reader.key == object.key else { return false }
    for (index, column) in reader.columns.enumerated() {
      let value = try object.value(column)
      let isEqual =
        switch column.layout.value {
        case .int: try reader.int(index).map { Value.int($0) } ?? .null == value
        case .double: try reader.double(index).map { Value.double($0) } ?? .null == value
        case .bool: try reader.bool(index).map { Value.bool($0) } ?? .null == value
        // The first string of a leaf comes from where it lies, others from all decoded ones.
        default:
          try reader.utf8Count(index) == length(value) && reader.string(index) == value.string
        }
      guard isEqual, try reader.value(index) == value else { return false }
    }
    return true
  }

  private static func length(_ value: Value) -> Int? {
    if case .string(let string) = value { string.utf8.count } else { nil }
  }

  @Test(arguments: Way.allCases, [1, 3])
  func selectsWhatTheTableHas(_ way: Way, step: Int) throws {
    let count = 20_000
    let database = try Self.makeDatabase(count: count, step: step, seed: 5)
    let table = try database.snapshot().table("Item")
    let reader = try ObjectReader(table, columns: Self.columns(table), limits: way.limits)
    var random = SplitMix64(seed: 17)
    var found = 0
    for _ in 0..<2000 {
      let id = Int64.random(in: -2000..<Int64(count * step + 2000), using: &random)
      let object = try table.object(primaryKey: .int(id))
      let isSelected = try reader.select(primaryKey: id)
      #expect(isSelected == (object != nil))
      guard let object else { continue }
      found += 1
      let agrees = try Self.agrees(reader, with: object)
      #expect(agrees, "\(id)")
      if !agrees { return }
    }
    #expect(found > 500)
    #expect(reader.directory.isTooLarge == (way == .tooManyLeaves))
    #expect((reader.directory.leafCount > 2) == (way != .descents && way != .tooManyLeaves))
    for key in [UInt64.min, .max] {
      #expect(try !reader.select(ObjectKey(rawValue: key)))
    }
  }

  /// A key that is not there selects nothing and leaves the selected object as it is.
  @Test(arguments: Way.allCases)
  func aMissingKeyLeavesTheSelectionAsItIs(_ way: Way) throws {
    let database = try Self.makeDatabase(count: 20_000, step: 2, seed: 8)
    let table = try database.snapshot().table("Item")
    let reader = try ObjectReader(table, columns: Self.columns(table), limits: way.limits)
    var random = SplitMix64(seed: 3)
    for _ in 0..<1500 {
      let index = Int.random(in: 0..<20_000, using: &random)
      #expect(try reader.select(primaryKey: Int64(index * 2 - 500)))
      for _ in 0..<2 {
        let other = Int.random(in: 0..<20_000, using: &random)
        #expect(try !reader.select(primaryKey: Int64(other * 2 - 499)))
      }
      let object = try #require(try table.object(primaryKey: .int(Int64(index * 2 - 500))))
      let agrees = try Self.agrees(reader, with: object)
      #expect(agrees)
      if !agrees { return }
    }
  }

  /// Walking goes on behind the selected object, over all that follow.
  @Test(arguments: Way.allCases)
  func walksOnFromWhereItStands(_ way: Way) throws {
    let database = try Self.makeDatabase(count: 12_000, step: 1, seed: 21)
    let table = try database.snapshot().table("Item")
    let reader = try ObjectReader(table, columns: Self.columns(table), limits: way.limits)
    var expected = 0
    while try reader.next() {
      #expect(try reader.int(0) == Int64(expected - 500))
      expected += 1
    }
    #expect(expected == 12_000)
    for start in [11_000, 0, 5000, 4999, 11_999] {
      #expect(try reader.select(primaryKey: Int64(start - 500)))
      var position = start
      while try reader.next() {
        position += 1
        #expect(try reader.int(0) == Int64(position - 500))
      }
      #expect(position == 11_999)
    }
  }

  /// Readers of different versions, used by turns, each see their own.
  @Test(arguments: Way.allCases)
  func readersOfDifferentVersionsKeepApart(_ way: Way) throws {
    let database = try Self.makeDatabase(count: 9000, step: 1, seed: 30)
    var tables: [Table] = []
    var readers: [ObjectReader] = []
    for version in 0..<4 {
      let table = try database.snapshot().table("Item")
      tables.append(table)
      readers.append(
        try ObjectReader(table, columns: Self.columns(table), limits: way.limits))
      try database.write { transaction in
        let writer = try transaction.objectWriter("Item")
        let count = try writer.column("count")
        for id in stride(from: version, to: 8000, by: 7) {
          if try writer.select(ObjectKey(integerPrimaryKey: Int64(id))) {
            try writer.set(count, Int64(version * 1000 + id))
          }
        }
        try transaction.delete("Item", ObjectKey(integerPrimaryKey: Int64(version * 2000 + 3)))
      }
    }
    var random = SplitMix64(seed: 4)
    for _ in 0..<1500 {
      let version = Int.random(in: 0..<4, using: &random)
      let id =
        Int.random(in: 0..<4, using: &random) == 0
        ? Int64(version * 2000 + 3) : Int64.random(in: -500..<8500, using: &random)
      let object = try tables[version].object(primaryKey: .int(id))
      let isSelected = try readers[version].select(primaryKey: id)
      #expect(isSelected == (object != nil))
      if let object {
        let agrees = try Self.agrees(readers[version], with: object)
        #expect(agrees)
        if !agrees { return }
      }
    }
  }

  /// Leaves that are older than a property read as its default.
  @Test func aPropertyAddedLaterReadsAsItsDefault() throws {
    let database = try Self.makeDatabase(count: 3000, step: 1, seed: 2)
    try database.write { transaction in
      for property in [
        PropertySchema("new", .int), PropertySchema("newOptional", .int, isOptional: true),
        PropertySchema("newText", .string), PropertySchema("newSize", .double),
        PropertySchema("newFlag", .bool),
      ] {
        try transaction.addProperty(property, to: "Item")
      }
    }
    let table = try database.snapshot().table("Item")
    let reader = try ObjectReader(
      table,
      columns: ["new", "newOptional", "newText", "newSize", "newFlag"].map { try table.column($0) })
    #expect(try reader.select(primaryKey: 1000))
    #expect(try reader.int(0) == 0)
    #expect(try reader.int(1) == nil)
    #expect(try reader.utf8Count(2) == 0)
    for _ in 0..<3 { #expect(try reader.string(2) == "") }
    #expect(try reader.double(3) == 0)
    #expect(try reader.bool(4) == false)
  }

  @Test func aPropertyOfAnotherTypeIsRefusedEachTime() throws {
    let database = try Self.makeDatabase(count: 10, step: 1, seed: 2)
    let table = try database.snapshot().table("Item")
    let reader = try ObjectReader(table, columns: Self.columns(table))
    #expect(try reader.next())
    let refusal = ObjectError.typeMismatch(
      className: "Item", property: "kind", expected: "string", found: "int")
    for _ in 0..<2 { #expect(throws: refusal) { try reader.int(7) } }
    #expect(try reader.utf8Count(7) != nil)
    #expect(throws: refusal) { try reader.int(7) }
    #expect(
      throws: ObjectError.typeMismatch(
        className: "Item", property: "count", expected: "int", found: "string")
    ) { try reader.string(1) }
  }

  @Test func aTableWithoutObjectsHasNothingToSelect() throws {
    let database = try Self.makeDatabase(count: 0, step: 1, seed: 2)
    let table = try database.snapshot().table("Item")
    let reader = try ObjectReader(table, columns: Self.columns(table))
    for id in 0..<50 { #expect(try !reader.select(primaryKey: Int64(id))) }
    #expect(try !reader.next())
  }
}
