import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Objects below a page that cannot be read: their own pages are found without it.
@Suite(.computing) struct SalvageBranchTests {
  private static let objectCount: Int64 = 30_000

  private struct Sample {
    var bytes: [UInt8]
    var root: PageReference
    var leaves: [(reference: PageReference, rowCount: Int)]
    var values: [ObjectKey: Value]
  }

  /// A file in which pages of older versions lie about: half of the objects were changed, some
  /// deleted.
  private static func sample(key: [UInt8]?) throws -> Sample {
    let file = try MemoryFile(path: "sample", holding: [])
    let database = Database(
      store: try Database.store(
        file, LocalCoordinator(path: file.path), Database.Options(encryptionKey: key)))
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Thing", properties: [PropertySchema("a", .int)]))
      for number in 0..<objectCount {
        // Neither evenly spaced nor in few values, so that the leaves are many.
        try transaction.create("Thing", ["a": .int(number &* 0x1E37_79B9_7F4A_7C15)])
      }
    }
    for part in 1...3 as ClosedRange<Int64> {
      try database.write { transaction in
        for number in stride(from: part * 7, to: objectCount, by: 2003) {
          let key = ObjectKey(rawValue: UInt64(number + 1))
          try transaction.set("Thing", key, "a", .int(-number))
          try transaction.delete("Thing", ObjectKey(rawValue: key.rawValue + 1))
        }
      }
    }
    let snapshot = try database.snapshot()
    let table = try snapshot.table("Thing")
    var values: [ObjectKey: Value] = [:]
    try table.forEach { values[$0.key] = try $0["a"] }
    let root = table.tree.root.reference
    #expect(table.tree.root.height == 1)
    var cursor = table.tree.cursor()
    var leaves: [(PageReference, Int)] = []
    while let entry = try cursor.next() {
      leaves.append((entry.reference, try table.rowGroup(entry.reference).rowCount))
    }
    try database.close()
    return Sample(
      bytes: try file.bytes(), root: root, leaves: leaves, values: values)
  }

  private static func salvage(_ bytes: [UInt8], key: [UInt8]?) throws -> (SalvageReport, Database) {
    let key = try key.map { try EncryptionKey($0, path: "damaged") }
    return try Database.salvage(MemoryFile(path: "damaged", holding: bytes), key) {
      try Database.inMemory()
    } progress: {
      #expect((0...1).contains($0))
    }
  }

  private static func values(_ database: Database) throws -> [ObjectKey: Value] {
    var values: [ObjectKey: Value] = [:]
    try database.snapshot().table("Thing").forEach { values[$0.key] = try $0["a"] }
    return values
  }

  @Test(arguments: [nil, Array(0..<64)] as [[UInt8]?])
  func everythingBelowADamagedBranchIsFoundAndNothingOld(key: [UInt8]?) throws {
    let sample = try Self.sample(key: key)
    var bytes = sample.bytes
    bytes[Int(sample.root.run.start) * Block.byteCount + 100] ^= 4
    let (report, copy) = try Self.salvage(bytes, key: key)
    #expect(report.losses == [])
    let found = try Self.values(copy)
    #expect(found.count == sample.values.count)
    #expect(found.allSatisfy { isExactly(sample.values[$0.key] ?? .null, $0.value) })
    #expect(try copy.check().findings == [])
  }

  @Test func aLeafThatIsDamagedAsWellIsCounted() throws {
    let sample = try Self.sample(key: nil)
    var bytes = sample.bytes
    let leaf = sample.leaves[2]
    for reference in [sample.root, leaf.reference] {
      bytes[Int(reference.run.start) * Block.byteCount + 100] ^= 4
    }
    let (report, copy) = try Self.salvage(bytes, key: nil)
    let found = try Self.values(copy)
    #expect(found.count == sample.values.count - leaf.rowCount)
    #expect(found.allSatisfy { isExactly(sample.values[$0.key] ?? .null, $0.value) })
    #expect(report.losses.map(\.kind) == [.objects])
    #expect(report.losses.first?.count == leaf.rowCount)
  }

  /// The first and the last leaf have no bound on one side.
  @Test func lossesAreToldByTheKeysThatTheyMayHave() throws {
    let sample = try Self.sample(key: nil)
    for (index, words) in [
      (0, "keys up to "), (1, " to "), (sample.leaves.count - 1, "keys from "),
    ] {
      var bytes = sample.bytes
      bytes[Int(sample.leaves[index].reference.run.start) * Block.byteCount + 100] ^= 4
      let report = try Self.salvage(bytes, key: nil).0
      #expect(report.losses.map(\.count) == [sample.leaves[index].rowCount])
      #expect(report.losses.allSatisfy { $0.description.contains(words) }, "\(report.losses)")
    }
  }
}
