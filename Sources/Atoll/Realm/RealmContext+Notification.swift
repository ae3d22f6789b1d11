internal import AtollObjects

extension _RealmContext {
  /// Whether the open write has changed something.
  var hasUncommittedChanges: Bool {
    transaction.map { $0.hasChanges && !$0.changes.isEmpty } ?? false
  }

  /// The observers of this realm.
  ///
  /// The first use connects them to what the realm does.
  var notifier: RealmNotifier {
    if let knownNotifier { return knownNotifier }
    let notifier = RealmNotifier(self)
    knownNotifier = notifier
    didAdvance = { [unowned notifier] in notifier.didAdvance($0) }
    refreshRequired = { [unowned notifier] in notifier.refreshRequired() }
    return notifier
  }
}
