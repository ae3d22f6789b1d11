import AtollImport
import AtollObjects
import TestThreads
import Testing

/// Embedded objects in embedded objects, as deep as an import reads them.
@Suite(.computing) struct DeepObjectTests {
  @Test func whatAnImportReadsCanBeShown() throws {
    let database = try Database.inMemory()
    let root = try database.write { transaction in
      try transaction.addClasses([
        ClassSchema("Root", properties: [PropertySchema("part", linkTo: "Part")]),
        ClassSchema("Part", properties: [PropertySchema("part", linkTo: "Part")], isEmbedded: true),
      ])
      let root = try transaction.create("Root")
      var (owner, name) = (root, "Root")
      for _ in 0..<100 {
        owner = try transaction.createEmbedded(in: name, owner, "part")
        name = "Part"
      }
      return root
    }
    let snapshot = try database.snapshot()
    let table = try snapshot.table("Root")
    let object = try #require(try table.object(root))
    let shown = try ValuePresenter(snapshot, notation: .dump)
      .values(of: object, table.schema.columns)
    #expect(shown.count == 1)
  }
}
