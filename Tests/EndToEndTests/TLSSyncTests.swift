#if Sync
import AtollStorage
import AtollTransport
import Foundation
import Logging
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll
@testable import AtollServer
@testable import AtollTesting

/// A device and a server that encrypt what is between them.
@Suite(.waiting, .hangLimit) struct TLSSyncTests {
  private static let text = "a text that nobody else may read"
  private static let password = "a password that nobody else may read"

  /// A server, and one device of it, behind a line that records what passes.
  private struct World {
    let folder = TestSupport.TemporaryFolder()
    let certificate: ServerCertificate?
    let service: SyncService
    let line: NetworkLine
    let app: App
    let errors = ErrorList()
    private let passed = Passed()

    /// All bytes that went over the line.
    var bytes: [UInt8] { passed.bytes.withLock { $0 } }

    init(isSecure: Bool, timeouts: SyncTimeoutOptions? = nil) throws {
      var options = SyncService.Options(
        folder: folder.path(of: "server"), now: { SystemCalls.millisecondsSince1970() },
        random: { SystemCalls.randomNumber() })
      options.port = 0
      options.isDevelopment = true
      options.accounts.passwordCost = .least
      let files = try TestCertificates.write(
        TestCertificates.server, TestCertificates.serverKey, in: folder)
      certificate =
        isSecure ? try ServerCertificate(certificate: files.certificate, key: files.key) : nil
      options.listener.certificate = certificate
      service = try SyncService.start(
        options, logger: Logging.Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { _ in }
      line = try NetworkLine(toPort: service.address.port) { [passed] bytes in
        passed.bytes.withLock { $0 += bytes }
      }
      let authority = try TestCertificates.write(
        TestCertificates.authority, to: "authority.pem", in: folder)
      app = App(
        unsharedID: "secret",
        configuration: AppConfiguration(
          baseURL: "\(isSecure ? "https" : "http")://127.0.0.1:\(line.port)",
          syncTimeouts: timeouts, certificateAuthority: URL(filePath: authority)),
        folder: URL(filePath: folder.path(of: "accounts")))
      app.syncManager.errorHandler = { [errors] error, _ in
        guard let error = error as? Atoll.SyncError else { return }
        errors.all.withLock { $0.append(error) }
      }
    }

    func device(_ name: String = "ann") async throws -> TestDevice {
      let email = "\(name)@example.com"
      try await app.emailPasswordAuth.registerUser(email: email, password: TLSSyncTests.password)
      let user = try await app.login(
        credentials: .emailPassword(email: email, password: TLSSyncTests.password))
      let device = TestDevice(user, file: URL(filePath: folder.path(of: "\(name).atoll")))
      try await device.update { $0.append(QuerySubscription<Task>()) }
      return device
    }

    /// Gives the server another certificate.
    func renew(_ certificate: String, _ key: String) throws {
      try TestCertificates.write(certificate, key, in: folder)
      try self.certificate?.reload()
    }
  }

  private final class Passed: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  private final class ErrorList: Sendable {
    let all = Mutex<[Atoll.SyncError]>([])
  }

  private static func write(_ name: String, _ device: TestDevice) async throws {
    try await device.write { realm in
      let task = Task()
      task.taskName = name
      realm.add(task)
    }
  }

  /// Without TLS the same line shows both, so that the test sees what it looks for.
  @Test(arguments: [true, false])
  func nothingOnTheWayShowsTextsAndPasswords(isSecure: Bool) async throws {
    let world = try World(isSecure: isSecure)
    let device = try await world.device()
    try await Self.write(Self.text, device)
    try await device.synchronize()
    // What devices send is masked by WebSocket; what they receive is not.
    let other = try await world.device("bob")
    #expect(try await other.read { $0.objects(Task.self).map(\.taskName) } == [Self.text])
    let bytes = world.bytes
    #expect(bytes.contains(Array(Self.text.utf8)) != isSecure)
    #expect(bytes.contains(Array(Self.password.utf8)) != isSecure)
    await world.service.stop()
  }

  @Test func aCertificateThatIsNotGoodIsToldToTheApplicationAndANewOneIsUsed() async throws {
    let world = try World(isSecure: true)
    let device = try await world.device()
    try await Self.write("before", device)
    try await device.synchronize()
    let session = try #require(try await device.session())
    // Connections that are open go on.
    try world.renew(TestCertificates.expired, TestCertificates.expiredKey)
    try await Self.write("open", device)
    try await device.upload()
    session.suspend()
    session.resume()
    try await eventually { !world.errors.all.withLock { $0.isEmpty } }
    let error = try #require(world.errors.all.withLock { $0.first })
    #expect(error.code == .tlsHandshakeFailed && error.message.contains("has expired"))
    await #expect {
      _ = try await world.app.login(credentials: .anonymous)
    } throws: { error in
      "\(error)".contains("has expired")
    }
    // Each later attempt fails alike, and is not told again.
    session.reconnect()
    await #expect {
      try await session.waitForConnectionFailure()
    } throws: { error in
      (error as? Atoll.SyncError)?.code == .tlsHandshakeFailed
    }
    #expect(world.errors.all.withLock { $0.count } == 1)
    try world.renew(TestCertificates.renewed, TestCertificates.renewedKey)
    try await Self.write("after", device)
    session.reconnect()
    try await device.synchronize()
    await world.service.stop()
  }

  /// A network that is gone ends no connection: nothing comes any more.
  @Test func aDeviceNoticesThatItsConnectionIsDead() async throws {
    let world = try World(
      isSecure: false,
      timeouts: SyncTimeoutOptions(pingKeepalivePeriod: 200, pongKeepaliveTimeout: 200))
    let device = try await world.device()
    let session = try #require(try await device.session())
    try await eventually { session.connectionState == .connected }
    world.line.delay = .seconds(3_600)
    try await eventually { session.connectionState != .connected }
    // A line that is cut ends what still waits on it.
    world.line.cut()
    world.line.delay = .zero
    world.line.heal()
    session.reconnect()
    try await Self.write("again", device)
    try await device.synchronize()
    await world.service.stop()
  }
}
#endif
