import AtollStorage
import TestSupport
import Testing

@testable import AtollObjects

/// What a database keeps in memory goes with the last reference to it.
@Suite struct DatabaseLifetimeTests {
  enum Use: CaseIterable { case nothing, writing, reading, checking, both }

  @Test(arguments: Use.allCases) func nothingStays(use: Use) throws {
    weak var store: PageStore?
    weak var file: MemoryFile?
    do {
      let memory = try MemoryFile(path: "memory")
      file = memory
      let database = Database(
        store: try PageStore(
          file: memory, coordinator: LocalCoordinator(path: "memory"), cacheByteCount: 1 << 20,
          makeFileID: { Array(repeating: 7, count: 16) }))
      store = database.store
      if use == .writing || use == .both {
        try database.write { transaction in
          try transaction.addClasses([
            ClassSchema("Thing", properties: [PropertySchema("id", .int)], primaryKey: "id")
          ])
          _ = try transaction.create("Thing", ["id": .int(1)])
        }
      }
      if use == .reading || use == .both {
        let snapshot = try database.snapshot()
        #expect(snapshot.schema.tables.count == (use == .both ? 1 : 0))
        if use == .both { #expect(try snapshot.table("Thing").count == 1) }
      }
      if use == .checking || use == .both {
        #expect(try database.check().findings == [])
      }
    }
    #expect(store == nil)
    #expect(file == nil)
  }
}
