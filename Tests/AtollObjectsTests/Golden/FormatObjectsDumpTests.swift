import TestSupport
import TestThreads
import Testing

/// The dumps of Format.md that show objects are the bytes of the golden file.
@Suite(.computing) struct FormatObjectsDumpTests {
  struct Dump: Sendable, CustomTestStringConvertible {
    let name: String
    /// The place in the file, in bytes, and the lines.
    let render: @Sendable (FormatFile) throws -> (byteOffset: Int, lines: [String])

    var testDescription: String { name }
  }

  static let dumps = [
    Dump(name: "row group") { file in
      let page = try FormatObjectsTests.peoplePage(of: file)
      let reference = try FormatObjectsTests.classes(of: file)[0].rows.root.reference
      return (reference.block * 4096, page.dump(try FormatRowGroup(page.payload).fields))
    },
    Dump(name: "index leaf") { file in
      let index = try #require(try FormatObjectsTests.classes(of: file)[0].properties[1].index)
      let page = try file.page(index.root.reference, .indexLeaf, treeID: index.treeID)
      return (
        index.root.reference.block * 4096, page.dump(try FormatIndexLeaf(page.payload).fields)
      )
    },
    Dump(name: "blob") { file in
      let reference = try FormatObjectsTests.external(of: file, "Everything", "string").reference
      let page = try file.page(reference, .blob, treeID: 3)
      return (reference.block * 4096, page.dump([]))
    },
  ]

  @Test(arguments: dumps)
  func dumpIsTheBytesOfTheGoldenFile(dump: Dump) throws {
    let bytes = try GoldenObjects.bytes()
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
