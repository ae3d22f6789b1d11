import AtollObjects
import AtollSync
import TestThreads
import Testing

/// The names of classes and properties that devices bring, and those that they are told.
@Suite(.computing) struct DeclaredNamesTests {
  private func verdict(_ added: ClassSchema) throws -> Verdict? {
    let world = try ServerWorld()
    let a = world.device(1)
    try a.connect()
    let number = try a.add([added])
    try world.settle()
    // Whatever it was, the server goes on.
    try a.make(1, team: 1)
    try world.settle()
    #expect(a.connection != nil)
    return a.state.verdicts[number]?.first
  }

  private static let unfit = [
    "Sync.Set", "Sync.New", "", "A\0", "A\u{202E}B", "A\u{200B}", "A\n", "A\u{2028}", "A\u{A0}B",
    "A\u{E000}", "A\u{10FFFF}", "\u{FEFF}A", "A\u{E0041}",
  ]

  @Test(arguments: unfit) func aNameThatCannotBeSeenIsRefused(name: String) throws {
    let key = PropertySchema("_id", .string)
    let classes = [
      ClassSchema(name, properties: [key], primaryKey: "_id"),
      ClassSchema("New", properties: [key, PropertySchema(name, .int)], primaryKey: "_id"),
      ClassSchema(
        "Task", properties: [PropertySchema("_id", .int), PropertySchema(name, .int)],
        primaryKey: "_id"),
    ]
    for added in classes {
      guard case .refused(let refusal)? = try verdict(added) else {
        Issue.record("'\(name)' was accepted")
        continue
      }
      #expect(refusal.reason == .schemaConflict)
      #expect(refusal.text.contains("cannot be synced"))
      #expect(!refusal.text.unicodeScalars.contains { $0.properties.generalCategory == .format })
    }
  }

  @Test(arguments: ["Größe", "名前", "Task 2", "a.b", "_x", "Sync", "Synced.Set", "e\u{301}", "👩"])
  func otherNamesAreTaken(name: String) throws {
    let added = ClassSchema(
      name, properties: [PropertySchema("_id", .string), PropertySchema(name, .int)],
      primaryKey: "_id")
    #expect(try verdict(added) == .applied(generation: nil))
  }
}
