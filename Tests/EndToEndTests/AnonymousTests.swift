import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// What becomes of the user who logs in without saying who it is.
@Suite(.waiting) struct AnonymousTests {
  @Test func anAnonymousUserWhomTheServerHasForgottenGetsANewSession() async throws {
    let world = try await SyncWorld()
    await world.stopServer()
    try world.backUpServer()
    try await world.startServer()
    let first = try await world.app.login(credentials: .anonymous)
    #expect(try await world.app.login(credentials: .anonymous) == first)
    // Out of reach, it is still the user of before.
    await world.stopServer()
    #expect(try await world.app.login(credentials: .anonymous) == first && first.isLoggedIn)
    try world.restoreServer()
    try await world.startServer()
    let second = try await world.app.login(credentials: .anonymous)
    #expect(second != first && second.isLoggedIn && !first.isLoggedIn)
    #expect(world.app.currentUser == second)
    // It can be worked with.
    let device = TestDevice(second, file: URL(filePath: world.folder.path(of: "second.atoll")))
    try await device.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await device.read { $0.subscriptions.state } == .complete)
    #expect(try await world.app.login(credentials: .anonymous) == second)
    await world.stopServer()
  }

  /// A copy of a local realm would be a file that no synced realm can open.
  @Test func aLocalRealmIsNotCopiedToASyncedOne() async throws {
    let world = try await SyncWorld()
    let device = try await world.device("one")
    try copyLocalRealm(to: device.configuration)
    #expect(!FileManager.default.fileExists(atPath: device.file.path))
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.write { realm in
      let task = Task()
      task.taskName = "copied"
      realm.add(task)
    }
    try await device.upload()
    // The same user's copy opens, another user's does not come about.
    var copy = device.configuration
    copy.fileURL = URL(filePath: world.folder.path(of: "copy.atoll"))
    let other = try await world.device("two")
    let (copied, foreign) = (copy, other.configuration)
    try await device.read { realm in
      try realm.writeCopy(configuration: copied)
      #expect(throws: Realm.Error(.incompatibleSession)) {
        try realm.writeCopy(configuration: foreign)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: other.file.path))
    let second = TestDevice(device.user, file: URL(filePath: world.folder.path(of: "copy.atoll")))
    #expect(try await second.read { $0.objects(Task.self).map(\.taskName) } == ["copied"])
    await world.stopServer()
  }

  private func copyLocalRealm(to configuration: Realm.Configuration) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Task.self]))
    try realm.write { realm.add(Task()) }
    #expect(throws: Realm.Error(.incompatibleHistories)) {
      try realm.writeCopy(configuration: configuration)
    }
  }
}
