import AtollObjects
import TestSupport
import TestThreads
import Testing

/// Classes that are hidden, synced or asymmetric.
@Suite(.computing) struct ClassFlagsTests {
  private static let visible = ClassSchema(
    "Task",
    properties: [PropertySchema("_id", .int, isIndexed: true), PropertySchema("name", .string)],
    primaryKey: "_id", isSynced: true)
  private static let hidden = ClassSchema(
    "Tasks", properties: [PropertySchema("name", .string)], isHidden: true)

  @Test func flagsAreKeptInTheFile() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    let database = try Database.open(path, options: .silent)
    let asymmetric = ClassSchema(
      "Sample", properties: [PropertySchema("_id", .int, isIndexed: true)], primaryKey: "_id",
      isSynced: true,
      isAsymmetric: true)
    try database.write { try $0.addClasses([Self.visible, Self.hidden, asymmetric]) }
    try database.close()
    let schema = try Database.open(path, options: .silent).snapshot().schema
    #expect(schema.classes == [Self.visible, asymmetric])
    #expect(schema["Tasks"] == Self.hidden)
    #expect(schema.table("Task")?.flags == [.synced])
    #expect(schema.table("Tasks")?.flags == [.hidden])
    #expect(schema.table("Sample")?.flags == [.synced, .asymmetric])
  }

  /// A hidden class is used like any other, by its name.
  @Test func hiddenClassesAreInNoListAndNoChangeSet() throws {
    let database = try Database.inMemory(options: .silent)
    try database.write { try $0.addClasses([Self.visible, Self.hidden]) }
    let changes = try database.write { transaction in
      try transaction.create("Tasks", ["name": .string("a")])
      try transaction.create("Task", ["_id": .int(1), "name": .string("b")])
      return transaction.changes
    }
    #expect(Set(changes.classes.keys) == ["Task"])
    let snapshot = try database.snapshot()
    #expect(snapshot.schema.classes == [Self.visible])
    #expect(try snapshot.table("Tasks").count == 1)
    #expect(try database.check().objectCount == 1)
    // The hidden class would be as near.
    #expect(throws: ObjectError.noSuchClass("Taskz", nearest: "Task")) {
      try snapshot.table("Taskz")
    }
    #expect(throws: ObjectError.noSuchClass("asks", nearest: nil)) {
      try snapshot.table("asks")
    }
  }

  @Test func compactionsKeepHiddenClassesAndFlags() throws {
    let folder = TemporaryFolder()
    let path = folder.path(of: "file")
    let database = try Database.open(path, options: .silent)
    try database.write { transaction in
      try transaction.addClasses([Self.visible, Self.hidden])
      for _ in 0..<100 { try transaction.create("Tasks", ["name": .string("a")]) }
    }
    try database.compactInPlace()
    try database.close()
    _ = try Database.compact(path)
    let copy = try Database.open(path, options: .silent).snapshot()
    #expect(try copy.table("Tasks").count == 100)
    #expect(copy.schema.classes == [Self.visible])
    #expect(copy.schema["Tasks"] == Self.hidden)
  }

  @Test func aClassThatIsThereCanBecomeSynced() throws {
    let database = try Database.inMemory(options: .silent)
    try database.write { transaction in
      var local = Self.visible
      local.isSynced = false
      try transaction.addClasses([local, Self.hidden])
      try transaction.create("Task", ["_id": .int(1)])
    }
    try database.write { try $0.markSynced("Task") }
    let snapshot = try database.snapshot()
    #expect(snapshot.schema.classes == [Self.visible])
    #expect(try snapshot.table("Task").count == 1)
    let version = snapshot.version
    try database.write { try $0.markSynced("Task") }
    #expect(try database.snapshot().version == version)
    #expect(throws: ObjectError.invalidSchema(.syncedWithoutPrimaryKey("Tasks"))) {
      try database.write { try $0.markSynced("Tasks") }
    }
  }

  @Test func flagsThatContradictEachOtherAreRefused() throws {
    let database = try Database.inMemory(options: .silent)
    func add(_ added: ClassSchema) throws { try database.write { try $0.addClass(added) } }
    #expect(throws: ObjectError.invalidSchema(.syncedWithoutPrimaryKey("A"))) {
      try add(ClassSchema("A", properties: [], isSynced: true))
    }
    #expect(throws: ObjectError.invalidSchema(.asymmetricWithoutSync("B"))) {
      try add(
        ClassSchema(
          "B", properties: [PropertySchema("_id", .int)], primaryKey: "_id", isAsymmetric: true))
    }
    #expect(throws: ObjectError.invalidSchema(.asymmetricWithoutSync("C"))) {
      try add(
        ClassSchema("C", properties: [], isEmbedded: true, isSynced: true, isAsymmetric: true))
    }
    try add(ClassSchema("D", properties: [], isEmbedded: true, isSynced: true))
  }
}
