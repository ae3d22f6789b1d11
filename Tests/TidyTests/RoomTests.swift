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
    let small: Set = ["RealmSwift", "CLZ4", "CFutex"]
    #expect(
      Set(rooms.map(\.module)).union(small) == Set(try SourceTree.folders("Sources")))
    for module in rooms {
      let found = Set(try SourceTree.texts("Sources/\(module.module)").compactMap(module.room))
        .filter { !$0.hasSuffix(".docc") && !$0.contains(".docc/") }
      #expect(found == Set(module.order), "\(module.module)")
    }
  }

  @Test func noRoomNeedsALaterOne() throws {
    for module in try Self.rooms() {
      let texts = try SourceTree.texts("Sources/\(module.module)").filter {
        $0.path.hasSuffix(".swift")
      }
      #expect(module.arrowsBackwards(texts) == [], "\(module.module)")
    }
  }

  @Test func anArrowBackwardsIsFound() {
    let rooms = Rooms(module: "M", order: ["A", "B"])
    let texts = [
      SourceTree.Text(path: "Sources/M/A/One.swift", "// Two\nlet one = Two()\nlet text = \"Two\""),
      SourceTree.Text(path: "Sources/M/A/Three.swift", "let three = _Three()"),
      SourceTree.Text(
        path: "Sources/M/B/Two.swift", "package final class Two {\n}\npublic struct _Three {\n}"),
    ]
    #expect(
      rooms.arrowsBackwards(texts) == [
        "Sources/M/A/One.swift: Two of B", "Sources/M/A/Three.swift: _Three of B",
      ])
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
