import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// Users who log in in one more way.
@Suite(.waiting, .hangLimit) struct LinkedUserTests {
  private static func account(
    _ name: String, _ password: String = "a long password"
  ) -> Credentials { .emailPassword(email: "\(name)@example.com", password: password) }

  /// The app as another device has it.
  private static func otherApp(_ world: SyncWorld, _ name: String) -> App {
    App(
      unsharedID: world.app.appId, configuration: world.app.configuration,
      folder: URL(filePath: world.folder.path(of: "accounts of \(name)")))
  }

  private static func device(_ user: User, _ name: String, _ world: SyncWorld) -> TestDevice {
    TestDevice(user, file: URL(filePath: world.folder.path(of: "\(name).atoll")))
  }

  private static func write(_ name: String, _ device: TestDevice) async throws {
    try await device.write { realm in
      let task = Task()
      task.taskName = name
      realm.add(task)
    }
  }

  private static func names(_ device: TestDevice) async throws -> [String] {
    try await device.read { $0.objects(Task.self).map(\.taskName).sorted() }
  }

  private func code(_ body: () async throws -> Void) async -> AppError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? AppError)?.code }
  }

  @Test func aGuestWithUnsentChangesBecomesAUserOfTwoDevices() async throws {
    let world = try await SyncWorld()
    let guest = try await world.app.login(credentials: .anonymous)
    let id = guest.id
    #expect(guest.identities.map(\.providerType) == ["anon-user"])
    let device = Self.device(guest, "guest", world)
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await Self.write("sent", device)
    try await device.upload()
    try await device.goOffline()
    try await Self.write("unsent", device)
    let linked = try await guest.linkUser(credentials: Self.account("ann"))
    #expect(linked == guest && guest.id == id && guest.profile.email == "ann@example.com")
    #expect(guest.identities.map(\.providerType) == ["anon-user", "local-userpass"])
    #expect(guest.identities.map(\.identifier) == [id, "ann@example.com"])
    try await Self.write("later", device)
    try await device.goOnline()
    try await device.upload()

    let app = Self.otherApp(world, "second")
    let user = try await app.login(credentials: Self.account("Ann"))
    #expect(user.id == id && user.identities == guest.identities)
    let second = Self.device(user, "second", world)
    try await second.update { $0.append(QuerySubscription<Task>()) }
    #expect(try await Self.names(second) == ["later", "sent", "unsent"])
    // And back.
    try await second.write {
      $0.objects(Task.self).where { $0.taskName == "sent" }.first?.completed = true
    }
    try await second.upload()
    try await device.download()
    #expect(try await device.read { $0.objects(Task.self).where { $0.completed }.count } == 1)
    // Who is linked is no anonymous user any more.
    let other = try await world.app.login(credentials: .anonymous)
    #expect(other.id != id)
    #expect(world.refusals.withLock { $0.isEmpty })
    await world.stopServer()
  }

  /// As programs do that register an address first.
  @Test func anAddressThatWasJustRegisteredIsLinked() async throws {
    let world = try await SyncWorld()
    let guest = try await world.app.login(credentials: .anonymous)
    try await world.app.emailPasswordAuth.registerUser(
      email: "ann@example.com", password: "a long password")
    let result = Mutex<Result<User, any Error>?>(nil)
    guest.linkUser(credentials: Self.account("ann")) { answer in
      result.withLock { $0 = answer }
    }
    try await eventually { result.withLock { $0 != nil } }
    #expect(try result.withLock { try $0?.get() } == guest)
    #expect(try await world.app.login(credentials: Self.account("ann")) == guest)
    // A file keeps it.
    let stored = UsersFile(directory: URL(filePath: world.accounts)).read()
    #expect(stored.users.map(\.identities.count) == [2])
    await world.stopServer()
  }

  @Test func whatIsAnothersIsRefusedWithACode() async throws {
    let world = try await SyncWorld()
    let ann = try await world.device("ann").user
    let guest = try await Self.otherApp(world, "guest").login(credentials: .anonymous)
    func link(_ credentials: Credentials, _ user: User) async -> AppError.Code? {
      await code { try await user.linkUser(credentials: credentials) }
    }
    #expect(await link(Self.account("ann"), guest) == .accountNameInUse)
    #expect(await link(Self.account("ann", "a guess at it"), guest) == .accountNameInUse)
    #expect(await link(Self.account("bob"), ann) == .valueAlreadyExists)
    #expect(await link(Self.account("ann"), ann) == nil)
    #expect(await link(.anonymous, guest) == .badRequest)
    #expect(await link(.serverAPIKey("none"), guest) == .authProviderNotFound)
    #expect(await link(.facebook(accessToken: "x"), guest) == .authProviderNotFound)
    #expect(guest.identities.count == 1)
    await world.stopServer()
    #expect(await link(Self.account("bob"), guest) == .httpRequestFailed)
    try await world.startServer()
    try await guest.logOut()
    #expect(await link(Self.account("bob"), guest) == .invalidSession)
    await world.stopServer()
  }
}
