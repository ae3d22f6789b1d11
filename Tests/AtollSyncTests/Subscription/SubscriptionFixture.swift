import AtollCapture
import AtollObjects
import Testing

@testable import AtollSync

/// A database in memory, a clock and ids, to change subscription sets with.
final class SubscriptionFixture {
  let database: Database
  private var time: Int64 = 100
  private var nextID: UInt32 = 1

  init() throws {
    var options = Database.Options.recording
    options.clock = { 1_700_000_000_000 }
    options.random = { 7 }
    database = try Database.inMemory(options: options)
  }

  /// Makes the next version; each call is a second later.
  @discardableResult
  func update(_ body: (inout SubscriptionEditor) throws -> Void) throws -> SubscriptionSet {
    time += 1
    return try database.write { transaction in
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: time, nanoseconds: 0))
      ) { [self] in
        nextID += 1
        return ObjectID(seconds: 1, random: 2, counter: nextID)
      }
      try body(&editor)
      return try editor.save(in: transaction)
    }
  }

  var sets: SubscriptionSets { get throws { try SubscriptionSets(database.snapshot()) } }

  /// The server's answer for a version, as a rebase takes it in.
  func complete(_ version: Int64) throws {
    try database.write { try SubscriptionSets.markComplete(version: version, in: $0) }
  }

  func fail(_ version: Int64, _ text: String, members: [RefusedMember] = []) throws {
    try database.write {
      try SubscriptionSets.markError(version: version, text: text, members: members, in: $0)
    }
  }
}
