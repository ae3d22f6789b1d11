internal import AtollObjects
internal import Foundation

/// What sync does for a realm that is opened, or to whose file classes are added.
protocol SyncParticipant {
  /// Makes sure that the file is the one of the configuration, or a new one.
  func claim(_ database: Database, url: URL?) throws
  /// Prepares a realm that has its classes.
  func begin(_ context: _RealmContext) throws
  /// Whether subscriptions come with the classes, and the app sees to none.
  var impliesSubscriptions: Bool { get }
  /// Adds what comes with the classes that a transaction has added.
  func complete(_ transaction: Transaction, of database: Database) throws
}

extension Realm.Configuration {
  /// Nil for a realm that is not synced.
  var participant: (any SyncParticipant)? { syncConfiguration }

  /// Whether subscriptions come with the classes.
  var impliesSubscriptions: Bool { participant?.impliesSubscriptions ?? false }
}
