import TestSupport
import TestThreads
import Testing

/// The golden file of large sets and maps, read by Format.md's tables and nothing else.
@Suite(.computing) struct FormatPartsTests {
  @Test func aLargeSetIsATreeOfItsMembers() throws {
    let file = try file()
    var members: [String] = []
    for rowGroup in try leaves(of: "words", in: file) {
      #expect(Set(rowGroup.vectors.keys.map { $0.column }) == [0, 1])
      members += rowGroup.strings(1, 1)
    }
    #expect(members == GoldenParts.words.sorted())
  }

  @Test func aLargeMapIsATreeOfItsValuesAndKeys() throws {
    let file = try file()
    var keys: [String] = []
    var values: [Int64] = []
    for rowGroup in try leaves(of: "places", in: file) {
      #expect(Set(rowGroup.vectors.keys.map { $0.column }) == [0, 1, 2])
      values += rowGroup.integers(1, 1)
      keys += rowGroup.strings(2, 1)
    }
    let expected = GoldenParts.words.enumerated().sorted { $0.element < $1.element }
    #expect(keys == expected.map(\.element))
    #expect(values == expected.map { Int64($0.offset) })
  }

  private func file() throws -> FormatFile {
    try FormatFile(
      GoldenFiles.isWriting ? GoldenParts.make() : GoldenFiles.read(GoldenParts.path))
  }

  /// The leaves of the collection that the first object has.
  private func leaves(of property: String, in file: FormatFile) throws -> [FormatRowGroup] {
    let external = try FormatObjectsTests.external(of: file, "Notes", property)
    #expect(external.index == 0)
    #expect(external.byteCount == GoldenParts.words.count)
    #expect(external.prefix == 2)
    let root = FormatRoot(
      reference: external.reference, entryCount: external.byteCount,
      height: Int(external.prefix) - 1)
    let leaves = try file.leaves(root, treeID: 4, .rowGroup).map { leaf in
      try FormatRowGroup(leaf.page.payload)
    }
    #expect(leaves.count > 1)
    let keys = leaves.flatMap(\.keys)
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    return leaves
  }
}
