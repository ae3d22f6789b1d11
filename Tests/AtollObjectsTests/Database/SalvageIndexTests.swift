import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// A unique index in a file from which values are lost.
@Suite(.computing) struct SalvageIndexTests {
  /// The bytes of a file in which two objects have long strings with pages of their own.
  private static func bytes() throws -> [UInt8] {
    let file = try MemoryFile(path: "sample", holding: [])
    let database = Database(
      store: try Database.store(file, LocalCoordinator(path: file.path), Database.Options()))
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing", properties: [PropertySchema("text", .string), PropertySchema("n", .int)],
          indexes: [IndexSchema(["text"], isUnique: true), IndexSchema(["n", "text"])]))
      try transaction.addClass(ClassSchema("Other", properties: [PropertySchema("n", .int)]))
      var random = SplitMix64(seed: 1)
      for _ in 0..<2 {
        // So that it fills its pages.
        let bytes = noise(20_000, &random).map { $0 % 64 + 32 }
        try transaction.create(
          "Thing", ["text": .string(String(decoding: bytes, as: UTF8.self)), "n": .int(1)])
      }
    }
    // Of the newest versions every page must be whole.
    for number in 0..<4 as Range<Int64> {
      try database.write { try $0.create("Other", ["n": .int(number)]) }
    }
    return try file.bytes()
  }

  private static func salvage(
    _ bytes: [UInt8], without blocks: [Int]
  ) throws -> (SalvageReport, Database)? {
    var bytes = bytes
    for block in blocks { bytes[block * Block.byteCount + 100] ^= 4 }
    return try? Database.salvage(MemoryFile(path: "damaged", holding: bytes), nil) {
      try Database.inMemory()
    } progress: { _ in
    }
  }

  @Test func itIsLeftOutWhereObjectsAreEqualWithoutTheirValues() throws {
    let bytes = try Self.bytes()
    let longValues = try (1..<bytes.count / Block.byteCount).filter { block in
      guard let (report, copy) = try Self.salvage(bytes, without: [block]) else { return false }
      #expect(try copy.check().findings == [])
      guard report.losses.map(\.kind) == [.values] else { return false }
      #expect(try copy.snapshot().schema["Thing"]?.indexes.count == 2)
      return true
    }
    #expect(longValues.count >= 2)
    let (report, copy) = try #require(try Self.salvage(bytes, without: longValues))
    #expect(Set(report.losses.dropLast().map(\.kind)) == [.values])
    #expect(
      report.losses.last?.description
        == "the unique index of Thing (text), as there are objects with the same values now")
    #expect(try copy.check().findings == [])
    #expect(try copy.snapshot().schema["Thing"]?.indexes == [IndexSchema(["n", "text"])])
    #expect(throws: ObjectError.self) {
      try copy.write { try $0.addIndex(IndexSchema(["text"], isUnique: true), of: "Thing") }
    }
  }
}
