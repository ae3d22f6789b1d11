import AtollCapture
import AtollObjects
import AtollStorage
import TestSupport

@testable import Atoll
@testable import AtollSync

/// What a device's file holds that applications do not see.
extension TestDevice {
  /// The versions of the subscription set that the server has not answered.
  func pendingVersions() async throws -> [Int64] {
    try await SubscriptionSets(realm().context.file.database.snapshot()).pending.map(\.version)
  }

  /// The names of the subscriptions, in their order.
  func subscriptionNames() async throws -> [String?] {
    try await realm().subscriptions.members.map(\.name)
  }

  /// How many entries of the inbox are not marked as reported.
  func untoldCount() async throws -> Int {
    try await RefusalNotes.untold(nil, realm().context.file.database.snapshot()).count
  }

  /// How many transactions wait for the server's answer.
  func outboxCount() async throws -> Int {
    try await realm().context.file.database.snapshot().outboxCount
  }

  /// How many objects of a class the file has.
  func count(of className: String) async throws -> Int {
    try await realm().context.file.database.snapshot().table(className).count
  }

  /// Whether no connection uses the file.
  func isNetworkFree() async throws -> Bool {
    let store = try await realm().context.file.database.store
    guard try store.tryLockNetwork() else { return false }
    store.unlockNetwork()
    return true
  }

  /// Acts as a device that learns of another copy of its file.
  func takeNewIdentity() async throws {
    try await realm().context.file.database.write { transaction in
      transaction.origin = .sync
      try NewIdentity.take(transaction, client: 77)
    }
  }
}

extension ClientReset {
  static func removeOldEmptiedCopies(of path: String) { removeOldCopies(of: path, .all) }
}

extension SyncWorld {
  /// The values of a class's objects in the server's store: while it is stopped.
  func stored(_ className: String) throws -> [String] {
    let database = try Database.open(folder.path(of: "server/store.atoll"))
    defer { try? database.close() }
    var values: [String] = []
    try database.snapshot().table(className).forEach { values.append("\(try $0["value"])") }
    return values.sorted()
  }
}
