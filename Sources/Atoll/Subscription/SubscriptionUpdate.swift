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
  private let ids = MemberIDs()

  init(_ database: Database) throws {
    self.database = database
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

  /// Begins with the change of this number.
  func begin(_ change: Int) { (self.change, count) = (change, 0) }

  func next() -> ObjectID {
    defer { count += 1 }
    if let known = made[change], count < known.count { return known[count] }
    let id = ObjectId.generate().id
    made[change, default: []].append(id)
    return id
  }
}

extension _RealmContext {
  /// The set that is being changed.
  ///
  /// Ends the process outside of an update.
  func subscriptionUpdate(_ call: String) -> SubscriptionUpdate {
    guard let update = subscriptionUpdate else {
      Misuse.trap(
        "\(call) was called outside of an update; wrap it in "
          + "'subscriptions.update { … }'")
    }
    return update
  }

  /// Runs an update of the subscription set and commits it.
  ///
  /// - Returns: The new version.
  /// - Throws: What `body` throws, what is wrong with the changes, and a failure of the file that was
  ///   met meanwhile; nothing is changed then.
  func updateSubscriptions(_ body: () throws -> Void) throws -> Int64 {
    checkConfinement()
    guard impliedSubscriptions == nil else {
      Misuse.trap(
        "the subscriptions of a realm that holds everything, or a partition, were changed; open it "
          + "with user.flexibleSyncConfiguration() to choose what it holds")
    }
    guard subscriptionUpdate == nil else {
      Misuse.trap("a subscription set was updated inside of an update of the same set")
    }
    guard !isWriteOpen else {
      Misuse.trap("a subscription set was updated inside of a write; end the write before")
    }
    let update = try SubscriptionUpdate(file.database)
    subscriptionUpdate = update
    defer { subscriptionUpdate = nil }
    do { try body() } catch {
      subscriptionUpdate = nil
      let failure = writeFailure
      writeFailure = nil
      if let failure { configuration.tell(failure) }
      throw error
    }
    // What was read may be in the queries.
    if let failure = writeFailure ?? file.failure(ofWriteIn: self) {
      writeFailure = nil
      throw failure
    }
    return try update.commit()
  }

  /// The model class with a name.
  func objectType(named name: String) -> ObjectBase.Type {
    guard let type = descriptor(named: name)?.type else {
      Misuse.trap(
        "the class '\(name)' is not known to this program yet; name it in objectTypes")
    }
    return type
  }
}
