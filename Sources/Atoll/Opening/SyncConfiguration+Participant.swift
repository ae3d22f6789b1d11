internal import AtollObjects
internal import AtollSync
internal import Foundation
internal import Synchronization

extension SyncConfiguration: SyncParticipant {
  func claim(_ database: Database, url: URL?) throws {
    try SyncOwner(self).claim(database, url: url)
  }

  /// Sees to the initial subscriptions, the check of writes and the session.
  func begin(_ context: _RealmContext) throws {
    let file = context.file
    let implied = ImpliedSubscriptions(self, file.database)
    context.commitCheck = { transaction in
      try implied?.place(transaction)
      try SubscribedClasses.check(transaction)
    }
    if let implied {
      let lack = try implied.lack(in: context.snapshot)
      // Once: what a server goes on refusing is not asked for by the realm of every thread.
      let isRetrying =
        lack.isRefused && !file.hasRetriedSet.exchange(true, ordering: .relaxed)
      if isRetrying || lack.hasMissing {
        try file.database.write { try implied.complete(in: $0) }
      }
    }
    if let initialSubscriptions { try context.runInitialSubscriptions(initialSubscriptions) }
    _ = context.syncSession
  }

  func complete(_ transaction: Transaction, of database: Database) throws {
    try ImpliedSubscriptions(self, database)?.complete(in: transaction)
  }
}
