@testable import AtollServer
import AtollStorage
import AtollTransport
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Atoll

class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date
}

/// Goes to the server only.
class Measurement: AsymmetricObject {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var value: Int
  @Persisted var task: Task?
  @Persisted var place: Place?
}

class Place: EmbeddedObject {
  @Persisted var x: Int
}

/// Another module's class, of the same name in files.
enum OtherModule {
  class Task: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var minutes: Int
  }
}

class Team: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var teamName: String
  @Persisted var tasks: List<Task>
  @Persisted var lead: Task?
  @Persisted var members: List<String>
}

/// A server in this process, and devices with files of their own.
final class SyncWorld: Sendable {
  let folder = TestSupport.TemporaryFolder()
  let app: App
  let refusals = Mutex<[SyncError]>([])
  private let service: Mutex<SyncService?>
  private let port: Int

  /// Number of the worlds of this process: an app is known by its id.
  private static let count = Atomic(0)

  init() async throws {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    let service = try Self.start(folder.path(of: "server"), port: 0)
    port = service.address.port
    self.service = Mutex(service)
    app = App(
      id: "world-\(number)",
      configuration: AppConfiguration(baseURL: service.address.description),
      folder: folder.path(of: "accounts"))
    app.syncManager.errorHandler = { [weak self] error, _ in
      guard let error = error as? SyncError else { return }
      self?.refusals.withLock { $0.append(error) }
    }
  }

  /// Where the accounts of the app are kept.
  var accounts: String { folder.path(of: "accounts") }

  /// `rules`: a configuration; nil: in development mode.
  private static func start(
    _ folder: String, port: Int, rules: String? = nil
  ) throws -> SyncService {
    var options = SyncService.Options(
      folder: folder, now: { SystemCalls.millisecondsSince1970() },
      random: { SystemCalls.randomNumber() })
    options.port = port
    options.isDevelopment = rules == nil
    options.configuration = try rules.map {
      try ServerConfiguration(yaml: $0, path: "server.yaml")
    }
    options.accounts.passwordCost = .least
    return try SyncService.start(
      options, logger: Logging.Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { _ in }
  }

  func stopServer() async {
    let running = service.withLock { service in
      defer { service = nil }
      return service
    }
    await running?.stop()
  }

  /// Starts it where it was; waits for another world that got the port meanwhile.
  func startServer(rules: String? = nil) async throws {
    for _ in 0..<12_000 {
      do {
        let started = try Self.start(folder.path(of: "server"), port: port, rules: rules)
        return service.withLock { $0 = started }
      } catch ServerError.listening(.portInUse) {
        try await _Concurrency.Task.sleep(for: .milliseconds(50))
      }
    }
    let started = try Self.start(folder.path(of: "server"), port: port, rules: rules)
    service.withLock { $0 = started }
  }

  /// Keeps what the server has now, and restores it: between two runs of the server.
  func backUpServer() throws {
    try FileManager.default.copyItem(
      atPath: folder.path(of: "server"), toPath: folder.path(of: "backup"))
  }

  func restoreServer() throws {
    try FileManager.default.removeItem(atPath: folder.path(of: "server"))
    try FileManager.default.copyItem(
      atPath: folder.path(of: "backup"), toPath: folder.path(of: "server"))
  }

  func device(
    _ name: String, bootstrapMode: BootstrapMode = .atomic
  ) async throws -> TestDevice {
    let email = "\(name)@example.com"
    do {
      try await app.emailPasswordAuth.registerUser(email: email, password: "a long password")
    } catch let error as AppError where error.code == .accountNameInUse {
      // From an earlier call with the name.
    }
    let user = try await app.login(
      credentials: .emailPassword(email: email, password: "a long password"))
    return TestDevice(
      user, file: URL(filePath: folder.path(of: "\(name).atoll")), bootstrapMode: bootstrapMode)
  }
}

/// Runs `body` on a thread of its own and waits for it.
///
/// - Parameters:
///   - seconds: How long it may take.
///   - body: An error of it fails the test.
/// - Returns: Whether it came to its end: it does not if it waits for what the caller holds.
func runsElsewhere(
  within seconds: Double = 60, _ body: @escaping @Sendable () throws -> Void
) -> Bool {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    do { try body() } catch { Issue.record(error) }
    done.signal()
  }
  return done.wait(timeout: .now() + seconds) == .success
}

/// Waits until something holds that other threads bring about; fails when it must be a hang.
func eventually(_ condition: () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(1_800)
  while try await !condition() {
    try #require(ContinuousClock.now < deadline, "it does not come")
    try await _Concurrency.Task.sleep(for: .milliseconds(5))
  }
}

/// A user's file, used on an actor of its own.
actor TestDevice {
  let user: User
  let file: URL
  /// The mode of a client reset.
  let resetMode: ClientResetMode
  let bootstrapMode: BootstrapMode
  var opened: Realm?

  init(
    _ user: User, file: URL, resetMode: ClientResetMode = .recoverUnsyncedChanges(),
    bootstrapMode: BootstrapMode = .atomic
  ) {
    self.user = user
    self.file = file
    self.resetMode = resetMode
    self.bootstrapMode = bootstrapMode
  }

  nonisolated var configuration: Realm.Configuration {
    var configuration = user.flexibleSyncConfiguration(clientResetMode: resetMode)
    configuration.fileURL = file
    configuration.syncConfiguration?.bootstrapMode = bootstrapMode
    configuration.objectTypes = [
      Task.self, Team.self, Shelf.self, Employee.self, Fact.self, Measurement.self, Trip.self,
    ]
    return configuration
  }

  func realm() async throws -> Realm {
    if let opened { return opened }
    let realm = try await Realm(configuration: configuration, actor: self)
    opened = realm
    return realm
  }

  func session() async throws -> SyncSession? { try await realm().syncSession }

  /// Lets go of the realm; the next use opens it again.
  func forgetRealm() { opened = nil }

  func goOffline() async throws { try await realm().syncSession?.suspend() }

  func goOnline() async throws { try await realm().syncSession?.resume() }

  func reconnect() async throws { try await realm().syncSession?.reconnect() }

  /// Updates the set and waits for the server.
  func update(_ body: @Sendable (SyncSubscriptionSet) -> Void) async throws {
    let subscriptions = try await realm().subscriptions
    try await subscriptions.update { body(subscriptions) }
  }

  /// `timeout`: in seconds.
  func waitForSubscriptions(timeout: Double? = nil) async throws {
    try await realm().subscriptions.waitForSynchronization(timeout: timeout)
  }

  /// Updates the set and does not wait.
  func change(_ body: @Sendable (SyncSubscriptionSet) -> Void) async throws {
    let subscriptions = try await realm().subscriptions
    subscriptions.update({ body(subscriptions) }, onComplete: nil)
  }

  @discardableResult
  func write<Result: Sendable>(_ body: @Sendable (Realm) throws -> Result) async throws -> Result {
    let realm = try await realm()
    return try realm.write { try body(realm) }
  }

  func read<Result: Sendable>(_ body: @Sendable (Realm) throws -> Result) async throws -> Result {
    let realm = try await realm()
    realm.refresh()
    return try body(realm)
  }

  /// Removes a subscription and changes the query of another.
  func checkStatesOfRemoved() async throws {
    let set = try await realm().subscriptions
    let (tasks, teams) = (set.first(named: "tasks"), set.first(named: "teams"))
    try await set.update {
      set.remove(named: "bad")
      set.remove(named: "tasks")
      teams?.updateQuery(to: "teamName == 'A'")
    }
    #expect(tasks?.state == .superseded && teams?.state == .complete)
    #expect(set.map(\.state) == [.complete])
  }

  func upload() async throws {
    try await realm().syncSession?.wait(for: .upload)
    await user.app.syncManager.waitForHandler()
  }

  func download() async throws {
    try await realm().syncSession?.wait(for: .download)
    await user.app.syncManager.waitForHandler()
  }

  func synchronize() async throws {
    try await upload()
    try await download()
  }
}
