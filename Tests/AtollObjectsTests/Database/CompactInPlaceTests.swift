import AtollObjects
import AtollStorage
import Synchronization
import TestSupport
import TestThreads
import Testing

/// Files that get shorter while they are used.
@Suite(.computing, .hangLimit) struct CompactInPlaceTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path(of: "compacted.atoll") }

  private static func open(_ path: String, key: [UInt8]? = nil) throws -> Database {
    try Database.open(path, options: .init(encryptionKey: key))
  }

  /// A file of 4 000 objects with every kind of tree, of which three of four are gone.
  private static func makeSparse(
    _ path: String, key: [UInt8]? = nil, hasLongValues: Bool = false
  ) throws -> Database {
    let database = try open(path, key: key)
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("name", .string, isIndexed: true),
            PropertySchema("text", .string, isFullTextIndexed: true),
            PropertySchema("next", linkTo: "Thing"),
            PropertySchema("body", .data),
            PropertySchema("numbers", .int, collection: .list),
            PropertySchema("waits", linkTo: "Named", collection: .list),
          ]),
        ClassSchema(
          "Named", properties: [PropertySchema("key", .string)], primaryKey: "key"),
      ])
    }
    var random = SplitMix64(seed: 3)
    for part in 0..<8 {
      try database.write { transaction in
        for index in part * 500..<part * 500 + 500 {
          let key = try transaction.create(
            "Thing",
            [
              "name": .string("thing \(random.next())"),
              "text": .string("word\(index % 700) of \(index)"),
              "body": .data(body(index, hasLongValues)),
              "numbers": .list(index % 400 == 7 ? (0..<5_000).map { .int($0) } : [.int(1)]),
            ])
          if index % 3 == 0 {
            try transaction.set("Thing", key, "next", .link(ObjectLink(table: 1, key: 1)))
          }
          if index % 50 == 3 {
            try transaction.link("Thing", key, "waits", toPrimaryKeys: [.string("w\(index)")])
          }
        }
      }
    }
    for part in 0..<8 {
      try database.write { transaction in
        for index in part * 500..<part * 500 + 500 where index % 4 != 3 && index > 0 {
          try transaction.delete("Thing", ObjectKey(rawValue: UInt64(index + 1)))
        }
      }
    }
    return database
  }

  /// Small ones in the leaf, some of one page outside of it, and a few of several pages, of which
  /// the last two stay and find room where the first were.
  private static func body(_ index: Int, _ isLong: Bool) -> [UInt8] {
    switch index {
    case 4...6 where isLong, 3_403 where isLong, 3_799 where isLong:
      return Array(repeatElement(noise, count: 9).joined())
    case _ where (11...14).contains(index % 100): return Array(noise[..<20_000])
    default: return Array(noise[index..<index + index % 500])
    }
  }

  /// Longer than what LZ4 looks back.
  private static let noise: [UInt8] = {
    var random = SplitMix64(seed: 5)
    return (0..<70_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }()

  private static func contents(_ snapshot: Snapshot) throws -> [String] {
    var lines: [String] = []
    try snapshot.table("Thing").forEach { object in
      let (body, numbers) = (try object["body"], try object["numbers"])
      let (name, text, next) = (try object["name"], try object["text"], try object["next"])
      lines.append("\(object.key) \(name) \(text) \(next)")
      lines.append("\(body.hashValue) \(numbers.hashValue)")
    }
    return lines
  }

  @Test(arguments: [nil, [UInt8](0..<64)])
  func withoutReadersAFileGetsNearlyAsShortAsACopy(key: [UInt8]?) throws {
    let database = try Self.makeSparse(path, key: key, hasLongValues: true)
    let before = try Self.contents(database.snapshot())
    var shares: [Double] = []
    let report = try database.compactInPlace(limits: .init(stepByteCount: 1 << 18)) {
      shares.append($0)
    }
    #expect(report.end == .complete, "\(report)")
    #expect(report.heldByteCount == 0 && report.pins.isEmpty)
    #expect(report.movedByteCount > 1 << 20 && report.transactionCount > 2, "\(report)")
    #expect(shares == shares.sorted() && (shares.last ?? 0) > 0.5)
    #expect(try Self.contents(database.snapshot()) == before)
    #expect(try database.snapshot().pendingLinkCount == 40)
    try database.expectSound()
    let copyPath = folder.path(of: "copy.atoll")
    try database.writeCompactCopy(to: copyPath)
    let copied = try PosixFile(path: copyPath, mode: .readOnly).byteCount()
    let length = try PosixFile(path: path, mode: .readOnly).byteCount()
    #expect(length == report.byteCountAfter)
    #expect(length < report.byteCountBefore * 2 / 3, "\(report)")
    #expect(length <= copied + copied / 16 + 1 << 17, "\(length), a copy has \(copied)")
    // There is nothing left to do.
    let again = try database.compactInPlace()
    #expect(again.byteCountAfter <= length)
    #expect(again.transactionCount < 4, "\(again)")
    // What the file has lost, it grows by again.
    try database.write { transaction in
      for index in 0..<2_000 { try transaction.create("Thing", ["name": .string("new \(index)")]) }
    }
    try database.expectSound()
    try database.close()
    try Self.open(path, key: key).expectSound()
  }

  @Test func whatAReaderHoldsStaysUntilItIsGone() throws {
    let database = try Self.makeSparse(path)
    var pinned: Snapshot? = try database.snapshot()
    let before = try Self.contents(#require(pinned))
    try database.write { transaction in
      for index in 0..<2_000 where index % 8 == 3 {
        try transaction.delete("Thing", ObjectKey(rawValue: UInt64(index + 1)))
      }
    }
    let held = try database.compactInPlace(limits: .init(patience: .milliseconds(30)))
    #expect(held.end == .heldByReaders, "\(held)")
    #expect(held.heldByteCount > 0)
    #expect(held.pins.map(\.version) == [pinned?.version])
    #expect(try Self.contents(#require(pinned)) == before)
    try database.expectSound()
    pinned = nil
    let report = try database.compactInPlace()
    #expect(report.end == .complete)
    #expect(report.byteCountAfter < held.byteCountAfter * 3 / 4, "\(held) \(report)")
    try database.expectSound()
  }

  @Test func itStopsAtALimit() throws {
    let database = try Self.makeSparse(path)
    let before = try Self.contents(database.snapshot())
    for limits in [
      CompactionLimits(transactionCount: 2, stepByteCount: 1 << 16),
      CompactionLimits(movedByteCount: 1, stepByteCount: 1 << 16),
      CompactionLimits(duration: .zero),
    ] {
      let report = try database.compactInPlace(limits: limits)
      #expect(report.end == .limit)
      #expect(report.transactionCount <= 2)
    }
    #expect(try Self.contents(database.snapshot()) == before)
    try database.expectSound()
  }

  private static let writtenKeys: [UInt64] = [4, 12, 2_000]

  /// Writers come through between two transactions, and readers see whole versions only.
  @Test func othersReadAndWriteMeanwhile() throws {
    let database = try Self.makeSparse(path)
    let isDone = Atomic(false)
    onThreads(3) { thread in
      do {
        switch thread {
        case 0:
          for _ in 0..<4 {
            try database.compactInPlace(
              limits: .init(patience: .milliseconds(50), stepByteCount: 1 << 16))
          }
          isDone.store(true, ordering: .releasing)
        case 1:
          var number: Int64 = 0
          repeat {
            number += 1
            try database.write { transaction in
              for key in Self.writtenKeys {
                try transaction.set(
                  "Thing", ObjectKey(rawValue: key), "numbers", .list([.int(number)]))
              }
            }
          } while !isDone.load(ordering: .acquiring)
        default:
          repeat {
            let snapshot = try database.snapshot()
            let table = try snapshot.table("Thing")
            let values = try Self.writtenKeys.map {
              "\(try table.object(ObjectKey(rawValue: $0))?["numbers"] ?? .null)"
            }
            #expect(Set(values).count == 1)
            #expect(try Self.contents(snapshot).count == table.count * 2)
          } while !isDone.load(ordering: .acquiring)
        }
      } catch {
        isDone.store(true, ordering: .releasing)
        Issue.record(error)
      }
    }
    try database.expectSound()
  }

  /// Another process shortens the file again and again, while this one reads through its mappings.
  @Test func aReaderInAnotherProcessNeverMeetsTheEnd() async throws {
    let database = try Self.makeSparse(path)
    let expected = try Self.contents(database.snapshot())
    let hasBegun = Atomic(false)
    let isDone = Atomic(false)
    async let reading: Void = onOwnThread { [path = path as String] in
      defer { hasBegun.store(true, ordering: .releasing) }
      let database = try Database.open(path, options: .init(mode: .readOnly))
      repeat {
        let found = try Self.contents(database.snapshot())
        #expect(found.filter { !$0.contains("filler") }.count >= expected.count)
        hasBegun.store(true, ordering: .releasing)
      } while !isDone.load(ordering: .acquiring)
    }
    try database.close()
    // A busy machine starts a thread late: nothing is shortened before the first reading.
    while !hasBegun.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(5)) }
    let result = try await #require(processExitsWith: .success, observing: [\.exitStatus]) {
      [path = path as String] in
      let database = try Database.open(path)
      for round in 0..<6 {
        let keys = try database.write { transaction in
          try (0..<300).map { _ in
            try transaction.create(
              "Thing",
              [
                "name": .string("filler \(round)"),
                "body": .data([UInt8](repeating: UInt8(round), count: 9_000)),
              ])
          }
        }
        try database.write { transaction in
          for key in keys { try transaction.delete("Thing", key) }
        }
        let report = try database.compactInPlace(limits: .init(stepByteCount: 1 << 18))
        guard report.byteCountAfter <= report.byteCountBefore else { fatalError("\(report)") }
      }
      try database.close()
    }
    #expect(result.exitStatus == .exitCode(0))
    isDone.store(true, ordering: .releasing)
    try await reading
    let last = try Self.open(path)
    #expect(try Self.contents(last.snapshot()) == expected)
    try last.expectSound()
  }
}
