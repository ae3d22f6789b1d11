import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// Internal trees and hidden classes of a damaged file.
@Suite(.computing) struct NamedTreeSalvageTests {
  private struct Sample {
    var bytes: [UInt8]
    var root: PageReference
    var leaves: [(reference: PageReference, count: Int)]
    var contents: [[UInt8]: [UInt8]]
  }

  /// Some hundred leaves, some of them written twice.
  private static func sample() throws -> Sample {
    let file = try MemoryFile(path: "sample", holding: [])
    let database = Database(
      store: try Database.store(file, LocalCoordinator(path: file.path), Database.Options()))
    var contents: [[UInt8]: [UInt8]] = [:]
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Memo", properties: [PropertySchema("a", .int)], isHidden: true))
      try transaction.create("Memo", ["a": .int(5)])
      let tree = try transaction.namedTree("notes")
      for number in 0..<20_000 {
        contents[key(number)] = value(number)
        try tree.set(value(number), for: key(number))
      }
    }
    try database.write { transaction in
      let tree = try transaction.namedTree("notes")
      for number in stride(from: 0, to: 20_000, by: 1777) {
        contents[key(number)] = number % 2 == 0 ? nil : [1]
        try tree.set(number % 2 == 0 ? nil : [1], for: key(number))
      }
    }
    let snapshot = try database.snapshot()
    let record = try #require(snapshot.catalogue.namedTrees["notes"])
    let tree = KeyValueTree(
      root: record.root, treeID: record.treeID, reader: snapshot.storage.reader
    ).tree
    #expect(tree.root.height == 1)
    var cursor = tree.cursor()
    var leaves: [(PageReference, Int)] = []
    while let entry = try cursor.next() { leaves.append((entry.reference, Int(entry.count))) }
    try database.close()
    return Sample(
      bytes: try file.bytes(), root: record.root.reference, leaves: leaves, contents: contents)
  }

  private static func key(_ number: Int) -> [UInt8] {
    [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]
  }

  private static func value(_ number: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(number))
    return (0..<40).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private static func salvage(_ sample: Sample, damaging references: [PageReference]) throws
    -> (SalvageReport, Database)
  {
    var bytes = sample.bytes
    for reference in references { bytes[Int(reference.run.start) * Block.byteCount + 100] ^= 4 }
    return try Database.salvage(MemoryFile(path: "damaged", holding: bytes), nil) {
      try Database.inMemory()
    } progress: { _ in
    }
  }

  private static func contents(_ database: Database) throws -> [[UInt8]: [UInt8]] {
    var contents: [[UInt8]: [UInt8]] = [:]
    try database.snapshot().namedTree("notes")?.forEach { contents[$0] = $1 }
    return contents
  }

  @Test func aSoundFileIsCopiedWhole() throws {
    let sample = try Self.sample()
    let (report, copy) = try Self.salvage(sample, damaging: [])
    #expect(report.losses == [])
    #expect(report.classes == [])
    #expect(try Self.contents(copy) == sample.contents)
    #expect(try copy.snapshot().table("Memo").count == 1)
    #expect(try copy.check().findings == [])
  }

  @Test func entriesOfADamagedLeafAreCounted() throws {
    let sample = try Self.sample()
    let leaf = sample.leaves[3]
    let (report, copy) = try Self.salvage(sample, damaging: [leaf.reference])
    #expect(report.losses.map(\.kind) == [.entries])
    #expect(report.losses.map(\.count) == [leaf.count])
    #expect(report.losses.map(\.className) == ["notes"])
    let found = try Self.contents(copy)
    #expect(found.count == sample.contents.count - leaf.count)
    #expect(found.allSatisfy { sample.contents[$0.key] == $0.value })
    #expect(try copy.check().findings == [])
  }

  @Test func entriesBelowADamagedBranchAreFoundAndNothingOld() throws {
    let sample = try Self.sample()
    let (report, copy) = try Self.salvage(sample, damaging: [sample.root])
    #expect(report.losses == [])
    #expect(try Self.contents(copy) == sample.contents)
    let leaf = sample.leaves[2]
    let (second, rest) = try Self.salvage(sample, damaging: [sample.root, leaf.reference])
    #expect(second.losses.map(\.count) == [leaf.count])
    #expect(try Self.contents(rest).count == sample.contents.count - leaf.count)
  }

  /// A check reads every page of a tree.
  @Test func aCheckNamesTheDamagedPage() throws {
    let sample = try Self.sample()
    var bytes = sample.bytes
    let block = sample.leaves[1].reference.run.start
    bytes[Int(block) * Block.byteCount + 100] ^= 4
    let file = try MemoryFile(path: "damaged", holding: bytes)
    let database = Database(
      store: try Database.store(file, LocalCoordinator(path: file.path), Database.Options()))
    #expect(try database.check().findings.contains { $0.block == block })
  }

  /// A part of a tree that is made of others would be worse than none.
  @Test func aTreeThatIsMadeOfOthersIsLeftOut() throws {
    let file = try MemoryFile(path: "sample", holding: [])
    let database = Database(
      store: try Database.store(file, LocalCoordinator(path: file.path), Database.Options()))
    try database.write { transaction in
      try transaction.namedTree("notes").set([1], for: [1])
      try transaction.namedTree("index.notes").set([], for: [1])
    }
    let bytes = try file.bytes()
    let (report, salvaged) = try Database.salvage(MemoryFile(path: "copy", holding: bytes), nil) {
      try Database.inMemory()
    } progress: { _ in
    }
    #expect(report.losses.isEmpty)
    #expect(try Self.contents(salvaged) == [[1]: [1]])
    #expect(try salvaged.snapshot().namedTree("index.notes") == nil)
  }
}
