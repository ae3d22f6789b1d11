import AtollObjects
import Foundation
import TestSupport
import TestThreads
import Testing

/// Indexes of several columns and rules of deletion, read by Format.md's tables and nothing else.
@Suite(.computing) struct FormatIndexesTests {
  private let folder = TemporaryFolder()

  private func file() throws -> FormatFile {
    let path = folder.path(of: "indexes.atoll")
    do {
      let database = try Database.open(path)
      try database.write { transaction in
        try transaction.addClass(
          ClassSchema(
            "Task",
            properties: [
              PropertySchema("owner", .string), PropertySchema("due", .int, isOptional: true),
              PropertySchema("parts", linkTo: "Task", collection: .list, deletionRule: .cascade),
              PropertySchema("next", linkTo: "Task", deletionRule: .deny),
            ],
            indexes: [
              IndexSchema(["owner", "due"]), IndexSchema(["due"], isUnique: true),
            ]))
        try transaction.create("Task", ["owner": .string("b"), "due": .int(-1)])
        try transaction.create("Task", ["owner": .string("a"), "due": .int(1)])
        try transaction.create("Task", ["owner": .string("a")])
      }
      try database.close()
    }
    return try FormatFile([UInt8](Data(contentsOf: URL(filePath: path))))
  }

  @Test func theRecordOfAClassListsThem() throws {
    let file = try file()
    let record = try #require(try FormatObjectsTests.classes(of: file).first)
    #expect(record.flags == 16)
    #expect(record.jointIndexes.map(\.columns) == [[1, 2], [2]])
    #expect(record.jointIndexes.map(\.isUnique) == [false, true])
    #expect(record.properties.map(\.deletionRule) == [0, 0, 1, 2])
  }

  @Test func theKeysOfTheColumnsFollowEachOther() throws {
    let file = try file()
    let record = try #require(try FormatObjectsTests.classes(of: file).first)
    let index = try #require(record.jointIndexes.first?.index)
    let leaves = try file.leaves(index.root, treeID: index.treeID, .indexLeaf)
    let leaf = try FormatIndexLeaf(try #require(leaves.first).page.payload)
    let a: [UInt8] = [0x30, UInt8(ascii: "a"), 0, 0]
    let b: [UInt8] = [0x30, UInt8(ascii: "b"), 0, 0]
    #expect(
      leaf.groups.map(\.value) == [
        a + [0], a + [0x20, 0x80, 0, 0, 0, 0, 0, 0, 1],
        b + [0x20, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      ])
    #expect(leaf.groups.map(\.keys) == [[3], [2], [1]])
  }
}
