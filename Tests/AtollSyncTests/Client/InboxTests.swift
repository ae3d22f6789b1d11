import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

@Suite(.computing) struct InboxTests {
  /// The property came later than the class.
  @Test func aFileWithoutElementsGetsThemWithTheNextEntry() throws {
    let database = try Database.inMemory()
    var old = Inbox.schema
    old.properties.removeAll { $0.name == "element" }
    try database.write { try $0.addClass(old) }
    let element = ElementID(client: 7, number: 8, index: 9)
    let removal = Operation(
      object: ObjectAddress(className: "Team", primaryKey: .int(1)), generation: nil,
      action: .removeElement(property: "members", element))
    let edit = Operation(
      object: removal.object, generation: nil, action: .set(property: "name", .string("A")))
    try database.write { transaction in
      #expect(try Inbox.entries(transaction).isEmpty)
      for (index, operation) in [edit, removal].enumerated().reversed() {
        let isNew = try Inbox.insert(
          PendingOperation(number: 3, index: UInt32(index), operation),
          name: EntryName(client: 7, number: 3), clock: HybridClock(milliseconds: 5),
          verdict: .outdated(.deletion), in: transaction)
        #expect(isNew != nil)
      }
    }
    let entries = try Inbox.entries(database.snapshot())
    #expect(entries.map(\.kind) == [.set, .removeElement])
    #expect(entries.map(\.element) == [nil, element])
    #expect(entries.map(\.value) == [.string("A"), nil])
  }
}
