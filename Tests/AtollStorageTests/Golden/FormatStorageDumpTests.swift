import TestSupport
import TestThreads
import Testing

/// The dumps that Format.md shows are the bytes of the golden files.
@Suite(.computing) struct FormatStorageDumpTests {
  /// A dump of Format.md: its name, and how it is made of a golden file.
  struct Dump: Sendable, CustomTestStringConvertible {
    let name: String
    let golden: GoldenStorage
    /// The place in the file, in bytes, and the lines.
    let render: @Sendable (FormatFile) throws -> (byteOffset: Int, lines: [String])

    var testDescription: String { name }
  }

  static let dumps = [
    Dump(name: "header slot", golden: .small) { file in
      let start = 4096 * file.slot.block
      let block = Array(file.bytes[start..<start + 4096])
      return (start, try FormatSlot(block).dump(of: block))
    },
    Dump(name: "branch", golden: .tree) { file in
      let root = file.slot.catalogue.reference
      let page = try file.page(root, .branch, treeID: Int(GoldenStorage.treeID))
      return (root.block * 4096, page.dump(try FormatBranch(page.payload).fields))
    },
    Dump(name: "key-value leaf", golden: .small) { file in
      let root = file.slot.catalogue.reference
      let page = try file.page(root, .keyValueLeaf, treeID: Int(GoldenStorage.treeID))
      return (root.block * 4096, page.dump(try FormatKeyValueLeaf(page.payload).fields))
    },
    Dump(name: "space log", golden: .log) { file in
      let log = file.slot.spaceLog
      let page = try file.page(log, .spaceLog, treeID: 0)
      return (log.block * 4096, page.dump(try FormatSpace(of: file).fields))
    },
  ]

  @Test(arguments: dumps)
  func dumpIsTheBytesOfTheGoldenFile(dump: Dump) throws {
    let bytes = try dump.golden.bytes()
    let (start, lines) = try dump.render(FormatFile(bytes))
    if GoldenFiles.isWriting { try GoldenFiles.setDump(dump.name, lines) }
    let shown = try GoldenFiles.dump(dump.name)
    #expect(shown == lines)
    let rows = HexDump.parse(shown)
    #expect(rows.count >= 4)
    for row in rows {
      let place = start + row.byteOffset
      #expect(row.bytes == Array(bytes[place..<place + row.bytes.count]))
    }
  }
}
