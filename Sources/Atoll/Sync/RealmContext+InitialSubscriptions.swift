internal import AtollObjects
internal import AtollSync
internal import Synchronization

extension _RealmContext {
  /// Runs the initial subscriptions when the file has none yet, and where each start of the program
  /// is to run them, at the first opening of the process.
  ///
  /// Other openings of the file in this process wait meanwhile. A callback that fails runs again at
  /// the next opening.
  func runInitialSubscriptions(_ initial: InitialSubscriptionsConfiguration) throws {
    // The lock is held while the callback runs: a handler that opens the file would wait for ever.
    try HeldFailures.telling {
      try runInitialSubscriptionsExclusively(initial)
    }
  }

  private func runInitialSubscriptionsExclusively(
    _ initial: InitialSubscriptionsConfiguration
  ) throws {
    try file.initialSubscriptions.withLock { done in
      let isRerun = initial.rerunOnOpen && !done.haveRun
      while true {
        let before = try SubscriptionSets(file.database.snapshot())
        guard before.needsInitialSubscriptions || isRerun else { break }
        do {
          let version = try commit(initial, isRerun: isRerun)
          let after = try SubscriptionSets(file.database.snapshot()).latest
          // The same queries again bring nothing that is not here.
          if after.members != before.active.members || !before.hasData { done.version = version }
          break
        } catch {
          if Realm.Error.isFailure(error) { throw error }
          // What the callback has looked at was changed meanwhile: it looks again.
          let newest = try SubscriptionSets(file.database.snapshot()).latest
          guard newest.version > before.latest.version else { throw error }
        }
      }
      done.haveRun = true
    }
  }

  private func commit(
    _ initial: InitialSubscriptionsConfiguration, isRerun: Bool
  ) throws -> Int64 {
    let subscriptions = SyncSubscriptionSet(self)
    return try subscriptions.commit {
      guard isRerun || subscriptionUpdate?.editor.version == 1 else { throw RunElsewhere() }
      // Asked again at the commit, when another process was faster.
      subscriptionUpdate?.change { editor in
        guard isRerun || editor.version == 1 else { throw RunElsewhere() }
      }
      initial.callback(subscriptions)
    }
  }
}

/// The initial subscriptions were committed by another process before those of this one.
private struct RunElsewhere: Error {}
