internal import AtollObjects
internal import AtollSync
internal import Foundation

/// A set that is being changed: what its members will be, and what went wrong.
///
/// While it is there, every handle of the realm's subscriptions shows and changes it. It holds no
/// lock: what others commit meanwhile stays, as the same changes are made again on the set that the
/// file has at the commit. It may be another version, or the same with other states of its members.
final class SubscriptionUpdate {
  private typealias Change = (inout SubscriptionEditor) throws -> Void

  private let database: Database
  private let now: Timestamp
  private(set) var editor: SubscriptionEditor
  private(set) var failure: (any Error)?
  /// What was changed, in order.
  private var changes: [Change] = []
  private let ids: MemberIDs

  /// `makeID`: makes the id of a new member.
  init(_ database: Database, makeID: @escaping () -> ObjectID) throws {
    self.database = database
    ids = MemberIDs(makeID)
    now = Timestamp(milliseconds: database.clock())
    editor = try SubscriptionEditor(database.snapshot(), now: now, makeID: ids.next)
  }

  /// Changes the set; the first error makes the update fail, and nothing more is changed.
  ///
  /// While `body` runs the set cannot be used, so it calls no observer.
  @discardableResult
  func change<Result>(
    _ body: @escaping (inout SubscriptionEditor) throws -> Result
  ) -> Result? {
    change(with: {}) { editor, _ in try body(&editor) }
  }

  /// As `change(_:)`, with a text that is found before.
  ///
  /// The text of a query that is the first to mention a class makes the class, and tells the
  /// observers of the realm, who may look at the subscriptions.
  @discardableResult
  func change<Text, Result>(
    with text: () throws -> Text,
    _ body: @escaping (inout SubscriptionEditor, Text) throws -> Result
  ) -> Result? {
    guard failure == nil else { return nil }
    do {
      let text = try text()
      // An observer may have made the update fail.
      guard failure == nil else { return nil }
      ids.begin(changes.count)
      let result = try body(&editor, text)
      changes.append { _ = try body(&$0, text) }
      return result
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  /// Makes the set the newest version.
  ///
  /// - Returns: Its version.
  /// - Throws: What went wrong in a change, also where it was made again; nothing is changed then.
  func commit() throws -> Int64 {
    if let failure { throw failure }
    return try database.write { transaction in
      editor = try SubscriptionEditor(transaction, now: now, makeID: ids.next)
      for (number, change) in changes.enumerated() {
        ids.begin(number)
        try change(&editor)
      }
      try editor.checkSize()
      return try editor.save(in: transaction).version
    }
  }
}

/// The ids of new members, the same for a change that is made again: the app may have seen them.
private final class MemberIDs {
  private var change = 0
  private var count = 0
  /// By the number of the change.
  private var made: [Int: [ObjectID]] = [:]
  private let makeID: () -> ObjectID

  init(_ makeID: @escaping () -> ObjectID) { self.makeID = makeID }

  /// Begins with the change of this number.
  func begin(_ change: Int) { (self.change, count) = (change, 0) }

  func next() -> ObjectID {
    defer { count += 1 }
    if let known = made[change], count < known.count { return known[count] }
    let id = makeID()
    made[change, default: []].append(id)
    return id
  }
}
