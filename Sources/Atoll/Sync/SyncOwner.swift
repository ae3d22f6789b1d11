internal import AtollObjects
internal import Foundation

/// Whose data a synced file holds; recorded in the file when it is first opened for
/// synchronisation.
///
/// JSON in the named tree `sync`, under the key `owner`.
struct SyncOwner: Codable, Equatable, Sendable {
  enum Mode: String, Codable, Sendable {
    /// What its subscriptions ask for.
    case flexible
    /// All objects of its classes.
    case full
    /// The objects of one partition.
    case partition
  }

  var app: String
  var user: String
  var mode: Mode
  /// What tells the partition from others.
  var partition: String?

  private static let tree = "sync"
  private static let key = Array("owner".utf8)

  init(_ configuration: SyncConfiguration) {
    app = configuration.user.app.id
    user = configuration.user.id
    switch configuration.scope {
    case .flexible: mode = .flexible
    case .everything: mode = .full
    case .partition(let value): (mode, partition) = (.partition, value.partitionText)
    }
  }

  /// Makes sure that a file is this owner's; records it in a new file.
  ///
  /// - Throws: `Realm.Error`: `incompatibleSession` for the file of another app, user or mode;
  ///   `incompatibleHistories` for one that has local classes.
  func claim(_ database: Database, url: URL?) throws {
    if let bytes = try database.snapshot().namedTree(Self.tree)?.get(Self.key) {
      return try compare(bytes, url)
    }
    try database.write { transaction in
      let tree = try transaction.namedTree(Self.tree)
      // Another process may have been faster.
      if let bytes = try tree.get(Self.key) { return try compare(bytes, url) }
      if let local = transaction.schema.visibleTables.first(where: { !$0.isSynced }) {
        throw Realm.Error(
          .incompatibleHistories,
          "the file was made without synchronisation (it has the local class '\(local.name)'); "
            + "give the synced realm a file of its own and copy the objects", fileURL: url)
      }
      try tree.set(Array(JSONEncoder().encode(self)), for: Self.key)
    }
  }

  /// What of the user's data the file holds.
  private var contents: String {
    switch mode {
    case .flexible: "what subscriptions ask for"
    case .full: "all objects of its classes"
    case .partition: "the partition \(partition ?? "")"
    }
  }

  private func compare(_ bytes: [UInt8], _ url: URL?) throws {
    guard let owner = try? JSONDecoder().decode(SyncOwner.self, from: Data(bytes)) else {
      throw Realm.Error(
        .invalidDatabase, "the file does not say whose data it holds in a form that can be read",
        fileURL: url)
    }
    guard (owner.app, owner.user) != (app, user) || owner == self else {
      throw Realm.Error(
        .incompatibleSession,
        "the file holds \(owner.contents), and was opened for \(contents); give each a file of its "
          + "own", fileURL: url)
    }
    guard owner == self else {
      throw Realm.Error(
        .incompatibleSession,
        "the file holds the data of user '\(owner.user)' of the app '\(owner.app)', and was opened "
          + "for user '\(user)' of the app '\(app)'; give each user a file of its own", fileURL: url
      )
    }
  }
}
