import TestSupport
import TestThreads
import Testing

/// The folders of a module are the rooms of a walk, as the map in `Sources/README.md` has them.
@Suite(.computing) struct RoomTests {
  private static func rooms() throws -> [Rooms] {
    Rooms.all(in: try GoldenFiles.text("Sources/README.md"))
  }

  /// Modules of one file, or of headers, are in no table.
  @Test func theMapNamesEveryModuleAndRoom() throws {
    let rooms = try Self.rooms()
    let small: Set = ["RealmSwift", "CLZ4", "CFutex", "CMalloc", "CRetain"]
    #expect(
      Set(rooms.map(\.module)).union(small) == Set(try SourceTree.folders("Sources")))
    for module in rooms {
      let found = Set(
        try SourceTree.texts("Sources/\(module.module)").compactMap {
          module.name(ofFolder: $0.folder)
        }
      )
      .filter { !$0.hasSuffix(".docc") && !$0.contains(".docc/") }
      #expect(found == module.folders, "\(module.module)")
    }
  }

  @Test func noRoomNeedsALaterOne() throws {
    // What simulations use of the tests.
    var others = try Self.names(Self.sources("Tests/TestSupport"))
    for module in try Self.rooms() {
      let sources = try Self.sources("Sources/\(module.module)")
      #expect(module.arrowsBackwards(sources, others: others) == [], "\(module.module)")
      others.formUnion(Self.names(sources))
    }
  }

  private static func sources(_ folder: String) throws -> [SourceCode] {
    try SourceTree.texts(folder).filter { $0.path.hasSuffix(".swift") }.map(SourceCode.init)
  }

  private static func names(_ sources: [SourceCode]) -> Set<String> {
    Set(sources.flatMap { $0.lines.flatMap(\.declaredNames) })
  }

  @Test func anArrowBackwardsIsFound() {
    let rooms = Rooms(module: "M", names: ["A", "B"])
    let texts = [
      SourceTree.Text(path: "Sources/M/A/One.swift", "// Two\nlet one = Two()\nlet text = \"Two\""),
      SourceTree.Text(path: "Sources/M/A/Three.swift", "let three = _Three()"),
      SourceTree.Text(
        path: "Sources/M/B/Two.swift", "package final class Two {\n}\npublic struct _Three {\n}"),
    ]
    #expect(
      rooms.arrowsBackwards(texts.map(SourceCode.init)) == [
        "Sources/M/A/One.swift: Two of B", "Sources/M/A/Three.swift: _Three of B",
      ])
  }

  /// Also of an extension, whose type may be of an earlier room.
  @Test func aMemberOfALaterRoomIsFound() {
    let rooms = Rooms(module: "M", names: ["A", "B"])
    let texts = [
      SourceTree.Text(
        path: "Sources/M/A/One.swift",
        "struct One {\n  var own: Int { later + self.later }\n  // .later\n  let text = \".later\"\n}"
      ),
      SourceTree.Text(
        path: "Sources/M/A/Two.swift",
        "func two(_ one: One) {\n  let both = 1\n  one.part(one.both, [1].first)\n}"),
      SourceTree.Text(
        path: "Sources/M/B/One+Later.swift",
        "extension One {\n  var later: Int { own }\n  var both: Int { 1 }\n  var first: Int { 1 }\n}"
      ),
      SourceTree.Text(
        path: "Sources/M/B/One+Part.swift", "extension One {\n  func part() {}\n}"),
    ]
    let part = "Sources/M/A/Two.swift: .part of B"
    #expect(
      rooms.arrowsBackwards(texts.map(SourceCode.init))
        == ["Sources/M/A/One.swift: .later of B", part])
    #expect(rooms.arrowsBackwards(texts.map(SourceCode.init), others: ["later"]) == [part])
  }

  /// They need each other, and no later room.
  @Test func foldersOfARoomHaveNoOrder() {
    let rooms = Rooms(module: "M", names: ["A", "/One", "/Two", "B"])
    #expect(rooms.order == ["A", "B"] && rooms.folders == ["A", "A/One", "A/Two", "B"])
    let texts = [
      SourceTree.Text(
        path: "Sources/M/A/One/One.swift", "struct One {\n  let two: Two\n  let b: Last\n}"),
      SourceTree.Text(path: "Sources/M/A/Two/Two.swift", "struct Two {\n  let one: [One]\n}"),
      SourceTree.Text(path: "Sources/M/B/Last.swift", "struct Last {\n}"),
    ]
    #expect(
      rooms.arrowsBackwards(texts.map(SourceCode.init)) == ["Sources/M/A/One/One.swift: Last of B"])
  }

  /// Tables are as long as what they list.
  @Test func filesAreShort() throws {
    let tables: Set = ["DemoData.swift", "FoldingTables.swift", "WordTables.swift"]
    for text in try SourceTree.texts("Sources") where text.path.hasSuffix(".swift") {
      let name = text.path.split(separator: "/").last.map(String.init) ?? ""
      #expect(text.lines.count <= 500 || tables.contains(name), "\(text.path)")
    }
  }
}
