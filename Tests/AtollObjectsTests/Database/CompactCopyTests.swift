import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Copies without free space.
@Suite(.computing) struct CompactCopyTests {
  /// What a compaction was killed over goes with the next one; what a person made stays.
  @Test func compactRemovesOnlyWhatCompactionsLeft() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "geo")
    let database = try Database.open(path)
    try database.write { try $0.addClass(ClassSchema("Thing", properties: [])) }
    let own = ["geo-compact", "geo-compacting-", "geo-compacting-0123456789abcdeX", "geo-copy"]
    for name in own { try database.writeCompactCopy(to: folder.path(of: name)) }
    let left = ["geo-compacting-0123456789abcdef", "geo-compacting-0123456789abcdef-lock"]
    for name in left { try PosixFile.makePrivate(folder.path(of: name)) }
    try database.close()
    _ = try Database.compact(path)
    for name in own {
      #expect(try Database.open(folder.path(of: name)).snapshot().schema.classes.count == 1)
    }
    for name in left {
      #expect(throws: StorageError.self) {
        try PosixFile(path: folder.path(of: name), mode: .readOnly)
      }
    }
    #expect(try Database.open(path).snapshot().schema.classes.count == 1)
  }

  /// The file grows in steps; the blocks of the last step that nothing was written to are not kept.
  @Test(arguments: [0, 10, 700])
  func hasNoFreeBlocksAtItsEnd(count: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "source")
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Thing", properties: [PropertySchema("name", .string, isIndexed: true)]))
      for index in 0..<count {
        try transaction.create("Thing", ["name": .string("thing number \(index * index)")])
      }
    }
    let copyPath = folder.path(of: "copy")
    try database.writeCompactCopy(to: copyPath)
    let copy = try Database.open(copyPath)
    try copy.expectSound()
    let copied = try copy.status()
    _ = try database.compactInPlace()
    let inPlace = try database.status()
    #expect(copied.fileByteCount == copied.versionByteCount)
    #expect(copied.fileByteCount <= inPlace.fileByteCount)
    #expect(try copy.snapshot().table("Thing").count == count)
    #expect(try copy.compactInPlace().byteCountAfter == copied.fileByteCount)
  }

  @Test func isSmallerAndHoldsTheSame() throws {
    let folder = TemporaryFolder()
    let database = try Database.open(folder.path(of: "source.atoll"))
    try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("name", .string, isIndexed: true),
            PropertySchema("next", linkTo: "Thing"),
            PropertySchema("body", .data),
            PropertySchema("waits", linkTo: "Named", collection: .list),
          ]),
        ClassSchema(
          "Named", properties: [PropertySchema("key", .string)], primaryKey: "key"),
      ])
      for index in 0..<3000 {
        try transaction.create(
          "Thing",
          [
            "name": .string("thing \(index)"),
            "body": .data(index % 100 == 0 ? Array(repeating: 7, count: 20_000) : [1, 2, 3]),
          ])
      }
      try transaction.link(
        "Thing", ObjectKey(rawValue: 2000), "waits", toPrimaryKeys: [.string("a"), .string("b")])
    }
    try database.write { transaction in
      for key in 1...3000 where key % 4 != 0 {
        try transaction.delete("Thing", ObjectKey(rawValue: UInt64(key)))
      }
    }
    let path = folder.path(of: "copy.atoll")
    var shares: [Double] = []
    try database.writeCompactCopy(to: path) { shares.append($0) }
    #expect(shares.last == 1 && shares == shares.sorted())
    let copy = try Database.open(path)
    try copy.expectSound()
    #expect(try copy.status().fileByteCount < database.status().fileByteCount / 2)
    let (source, target) = (try database.snapshot(), try copy.snapshot())
    #expect(source.schema.classes == target.schema.classes)
    #expect(target.pendingLinkCount == 2)
    var expected: [(ObjectKey, Value, Value)] = []
    try source.table("Thing").forEach { expected.append(($0.key, try $0["name"], try $0["body"])) }
    var index = 0
    try target.table("Thing").forEach { object in
      let (name, body) = (try object["name"], try object["body"])
      #expect(object.key == expected[index].0)
      #expect(isExactly(name, expected[index].1))
      #expect(isExactly(body, expected[index].2))
      index += 1
    }
    #expect(index == 750)
    // Keys go on where the source's do, so none is given out twice, and what waited still waits.
    let made = try copy.write { transaction in
      try transaction.create("Named", ["key": .string("b")])
      return try transaction.create("Thing", [:])
    }
    #expect(made.rawValue == 3001)
    let waiting = try #require(
      try copy.snapshot().table("Thing").object(ObjectKey(rawValue: 2000)))["waits"]
    #expect(waiting.targets.count == 1)
    #expect(throws: ObjectError.storage(.io(operation: .open, path: path, errno: 17))) {
      try database.writeCompactCopy(to: path)
    }
  }
}
