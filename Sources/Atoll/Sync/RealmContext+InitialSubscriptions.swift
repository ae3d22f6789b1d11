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
    try file.initialSubscriptions.withLock { done in
      let before = try SubscriptionSets(file.database.snapshot())
      let isRerun = initial.rerunOnOpen && !done.haveRun
      guard before.needsInitialSubscriptions || isRerun else {
        done.haveRun = true
        return
      }
      let subscriptions = SyncSubscriptionSet(self)
      do {
        let version = try subscriptions.commit {
          guard isRerun || subscriptionUpdate?.editor.version == 1 else { throw RunElsewhere() }
          initial.callback(subscriptions)
        }
        let after = try SubscriptionSets(file.database.snapshot()).latest
        // The same queries again bring nothing that is not here.
        if after.members != before.active.members || !before.hasData { done.version = version }
      } catch {
        // Another process has run them meanwhile.
        let sets = try SubscriptionSets(file.database.snapshot())
        guard !isRerun, !sets.needsInitialSubscriptions else { throw error }
      }
      done.haveRun = true
    }
  }
}

/// The initial subscriptions were committed by another process before this one got the writer lock.
private struct RunElsewhere: Error {}
