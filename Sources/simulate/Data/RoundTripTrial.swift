internal import AtollImport
internal import AtollObjects
internal import TestSupport

/// The trial of a database: its dump makes another one that is the same.
struct RoundTripTrial {
  let seed: UInt64

  /// The bytes that were imported.
  struct Outcome {
    var flags: [Bool]
    var byteCount: Int
  }

  /// - Throws: `CaseViolation`.
  func run() throws -> Outcome {
    var maker = RandomDatabase(seed: seed)
    let original = try maker.make()
    var bytes: [UInt8] = []
    try DumpWriter(try original.snapshot(), write: { bytes += $0 }).writeAll()
    if maker.number(4) == 0 {
      return Outcome(flags: [true, try refusal(of: bytes, &maker), false], byteCount: bytes.count)
    }
    let copy = try Database.inMemory()
    do {
      _ = try Self.imported(bytes, into: copy, batch: 1 + maker.number(6))
    } catch {
      throw CaseViolation("a dump is refused: \(Self.text(error))")
    }
    try Self.compare(try original.snapshot(), try copy.snapshot())
    guard try copy.check().findings.isEmpty else {
      throw CaseViolation("a dump makes a database that is not sound")
    }
    return Outcome(flags: [true, true, false], byteCount: bytes.count)
  }

  private static func text(_ error: any Error) -> String {
    (error as? ImportError)?.description(name: "dump") ?? "\(error)"
  }

  private static func imported(
    _ bytes: [UInt8], into database: Database, batch: Int
  ) throws -> Importer.Summary {
    try DumpImporter(destination: ImportDestination(database), batchRecordCount: batch).run(
      readingTwice: { JSONReader(MemorySource(bytes)) }) { _, _ in }
  }

  /// Imports the dump with bytes changed: an error with its line leaves nothing.
  ///
  /// - Returns: whether it was imported all the same.
  private func refusal(of bytes: [UInt8], _ maker: inout RandomDatabase) throws -> Bool {
    var damaged = bytes
    maker.damage(&damaged, marks: "{}[]\",:\\$0-e.")
    let database = try Database.inMemory()
    let version = try database.snapshot().version
    do {
      _ = try Self.imported(damaged, into: database, batch: 1)
      return true
    } catch {
      let isUntouched = try database.snapshot().version == version
      guard isUntouched else {
        throw CaseViolation("a damaged dump leaves a part behind: \(Self.text(error))")
      }
      switch error {
      case ImportError.data, is ObjectError: return false
      default: throw CaseViolation("throws \(type(of: error)): \(error)")
      }
    }
  }

  // MARK: Comparison

  private static func compare(_ a: Snapshot, _ b: Snapshot) throws {
    // Names of classes in another spelling are equal to Swift.
    let names = [a, b].map { $0.schema.classes.map { Array($0.name.utf8) } }
    guard names[0] == names[1], a.schema.classes == b.schema.classes else {
      throw CaseViolation("the copy of a dump has other classes")
    }
    for schema in a.schema.classes where !schema.isEmbedded {
      let (left, right) = (try a.table(schema.name), try b.table(schema.name))
      guard left.count == right.count else {
        throw CaseViolation(
          "\(schema.name) has \(left.count) objects and \(right.count) in the copy")
      }
      var objects: [Object] = []
      try right.forEach { objects.append($0) }
      var index = 0
      try left.forEach { object in
        let other = objects[index]
        index += 1
        try compare(object, other, left, right, a, b)
      }
    }
  }

  private static func compare(
    _ left: Object, _ right: Object, _ a: Table, _ b: Table, _ first: Snapshot, _ second: Snapshot
  ) throws {
    for (column, other) in zip(a.schema.columns, b.schema.columns) {
      let (x, y) = (try left.value(column), try right.value(other))
      guard column.name.hasSameBytes(as: other.name), try isSame(x, y, first, second) else {
        throw CaseViolation("\(a.name).\(column.name) is \(x), and \(y) in the copy")
      }
    }
  }

  /// Whether two values are the same, digit by digit and byte by byte.
  private static func isSame(
    _ x: Value, _ y: Value, _ a: Snapshot, _ b: Snapshot
  ) throws -> Bool {
    switch (x, y) {
    case (.float(let x), .float(let y)):
      return x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.double(let x), .double(let y)):
      return x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.decimal(let x), .decimal(let y)): return "\(x)" == "\(y)"
    case (.list(let x), .list(let y)), (.set(let x), .set(let y)):
      guard x.count == y.count else { return false }
      for (x, y) in zip(x, y) where try !isSame(x, y, a, b) { return false }
      return true
    case (.map(let x), .map(let y)):
      guard x.count == y.count else { return false }
      for (x, y) in zip(x.entries, y.entries) {
        guard x.key.hasSameBytes(as: y.key), try isSame(x.value, y.value, a, b) else {
          return false
        }
      }
      return true
    case (.link(let x), .link(let y)): return try isSame(x, y, a, b)
    default: return x.type == y.type && x == y
    }
  }

  /// Whether two links lead to the same object, or to embedded ones that hold the same.
  private static func isSame(
    _ x: ObjectLink, _ y: ObjectLink, _ a: Snapshot, _ b: Snapshot
  ) throws -> Bool {
    guard let left = try a.table(id: x.table), let right = try b.table(id: y.table),
      left.name.hasSameBytes(as: right.name)
    else { return false }
    guard left.schema.isEmbedded else { return x.key == y.key }
    guard let first = try left.object(ObjectKey(rawValue: x.key)),
      let second = try right.object(ObjectKey(rawValue: y.key))
    else { return false }
    try compare(first, second, left, right, a, b)
    return true
  }
}
