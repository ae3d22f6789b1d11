internal import AtollObjects
internal import AtollSync

/// The rule that objects are created only in classes that some subscription asks for.
///
/// By class only, and at the commit: so `add` never refuses, and `write` rolls back.
enum SubscribedClasses {
  /// - Throws: `Realm.Error` with the code `noSubscriptionForWrite`.
  static func check(_ transaction: Transaction) throws {
    let created = transaction.changes.classes.filter { !$0.value.inserted.isEmpty }.map(\.key.text)
    let synced = created.filter { name in
      guard let table = transaction.schema.table(name) else { return false }
      return table.isSynced && !table.isEmbedded && !table.isAsymmetric
    }
    guard !synced.isEmpty else { return }
    let subscribed = try SubscriptionSets(transaction).latest.classNames
    guard let name = synced.sorted().first(where: { !subscribed.contains($0) }) else { return }
    throw Realm.Error(
      .noSubscriptionForWrite,
      "an object of class '\(name)' was created, to which no subscription is; add one with "
        + "subscriptions.append(QuerySubscription<\(name)>())")
  }
}
