internal import AtollObjects
internal import AtollSync
internal import Foundation

/// A set that is being changed: the transaction, and what went wrong in it.
///
/// While it is there, every handle of the realm's subscriptions shows and changes it.
final class SubscriptionUpdate {
  private let database: Database
  private var transaction: Transaction
  private(set) var editor: SubscriptionEditor
  private(set) var failure: (any Error)?

  init(_ database: Database) throws {
    self.database = database
    transaction = try database.beginWrite()
    let now = Timestamp(milliseconds: database.clock())
    do {
      editor = try SubscriptionEditor(transaction, now: now) {
        ObjectId.generate().id
      }
    } catch {
      transaction.cancel()
      throw error
    }
  }

  /// Changes the set; the first error makes the update fail, and nothing more is changed.
  ///
  /// While `body` runs the set cannot be used, so it calls no observer.
  @discardableResult
  func change<Result>(_ body: (inout SubscriptionEditor) throws -> Result) -> Result? {
    change(with: {}) { editor, _ in try body(&editor) }
  }

  /// As `change(_:)`, with a text that is found before.
  ///
  /// The text of a query that is the first to mention a class makes the class, and tells the
  /// observers of the realm, who may look at the subscriptions.
  @discardableResult
  func change<Text, Result>(
    with text: () throws -> Text,
    _ body: (inout SubscriptionEditor, Text) throws -> Result
  ) -> Result? {
    guard failure == nil else { return nil }
    do {
      let text = try text()
      // An observer, or the pause for the class, may have made the update fail.
      guard failure == nil else { return nil }
      return try body(&editor, text)
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  /// Lets `body` write to the file, for a class that the block of the update is the first to
  /// mention.
  ///
  /// The members are in memory until the commit, so the transaction has nothing to lose. When the
  /// next version was made meanwhile, the update fails.
  func pause(_ body: () throws -> Void) throws {
    transaction.cancel()
    let written = Result { try body() }
    // The editor is at work further up: it gets the transaction at the commit.
    do { transaction = try database.beginWrite() } catch { failure = failure ?? error }
    try written.get()
  }

  /// Makes the set the newest version.
  ///
  /// - Returns: Its version.
  func commit() throws -> Int64 {
    if let failure {
      transaction.cancel()
      throw failure
    }
    do {
      try editor.checkSize()
      try editor.resume(in: transaction)
      let set = try editor.save()
      try transaction.commit()
      return set.version
    } catch {
      transaction.cancel()
      throw error
    }
  }

  func cancel() { transaction.cancel() }
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
    guard transaction == nil else {
      Misuse.trap("a subscription set was updated inside of a write; end the write before")
    }
    let update = try SubscriptionUpdate(file.database)
    subscriptionUpdate = update
    defer { subscriptionUpdate = nil }
    do { try body() } catch {
      update.cancel()
      throw error
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
