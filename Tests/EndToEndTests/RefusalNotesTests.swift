import AtollObjects
import Testing

@testable import Atoll
@testable import AtollSync

/// How long refusals stay in the file.
@Suite struct RefusalNotesTests {
  private static let day: UInt64 = 24 * 60 * 60 * 1_000
  private static let now = 20_000 * day

  private let database: Database

  init() throws { database = try Database.inMemory() }

  /// One refusal for each age, in days; the first one is the oldest.
  private func refuse(_ agesInDays: [UInt64], client: UInt64) throws {
    try database.write { transaction in
      for (number, age) in agesInDays.enumerated() {
        let operation = AtollObjects.Operation(
          object: ObjectAddress(className: "Task", primaryKey: .int(1)), generation: nil,
          action: .create)
        let isNew = try Inbox.insert(
          PendingOperation(number: UInt64(number + 1), index: 0, operation),
          name: EntryName(client: client, number: UInt64(number + 1)),
          clock: HybridClock(milliseconds: Self.now - age * Self.day),
          verdict: .refused(Refusal(.forbidden, text: "no")), in: transaction)
        #expect(isNew)
      }
    }
  }

  private func tell(_ entries: [InboxEntry]) throws {
    try database.write { try RefusalNotes.note(entries, in: $0, now: Self.now) }
  }

  private var noteCount: Int {
    get throws {
      var count = 0
      try database.snapshot().namedTree("sync")?.forEach { _, _ in count += 1 }
      return count
    }
  }

  /// All of them stayed for ever, and each new one was looked for among them.
  @Test func theNewestThatWereToldStay() throws {
    try refuse([UInt64](repeating: 1, count: 250), client: 1)
    let all = try Inbox.entries(database.snapshot())
    try tell(Array(all.prefix(240)))
    // What was not told stays, however many there are.
    #expect(try RefusalNotes.untold(database.snapshot()) == Array(all.suffix(10)))
    #expect(
      try Inbox.entries(database.snapshot())
        == Array(all.dropFirst(240 - RefusalNotes.keptCount)))
    #expect(try noteCount == RefusalNotes.keptCount)
    try tell(Array(all.suffix(10)))
    #expect(try RefusalNotes.untold(database.snapshot()) == [])
    #expect(try Inbox.entries(database.snapshot()) == Array(all.suffix(RefusalNotes.keptCount)))
    #expect(try noteCount == RefusalNotes.keptCount)
    #expect(try database.check().findings == [])
  }

  @Test func oldOnesThatWereToldGo() throws {
    try refuse([90, 31, 30, 29, 0], client: 2)
    let all = try Inbox.entries(database.snapshot())
    try tell(Array(all.dropFirst()))
    // The oldest one was not told.
    #expect(try Inbox.entries(database.snapshot()) == [all[0], all[3], all[4]])
    #expect(try RefusalNotes.untold(database.snapshot()) == [all[0]])
    try tell([all[0]])
    #expect(try Inbox.entries(database.snapshot()) == [all[3], all[4]])
    #expect(try noteCount == 2)
  }
}
