#if Sync
public import Atoll
public import Foundation

extension TestServer {
  /// A device of one user: an app with a folder of its own, behind a network of its own.
  ///
  /// It is used as the app itself would:
  /// `Realm(configuration: device.user.flexibleSyncConfiguration())`.
  public final class Device: Sendable {
    /// The name of the device, for messages.
    public let name: String
    /// The app, with users and files that are this device's own.
    public let app: App
    /// The user who has logged in on the device.
    public let user: User
    /// Where the app keeps its users and their files.
    public let folder: URL
    private let line: NetworkLine

    private static let password = "a password for tests"

    init(_ name: String, user: String, appID: String, folder: URL, port: Int) async throws {
      self.name = name
      self.folder = folder
      line = try NetworkLine(toPort: port)
      app = App(
        unsharedID: appID,
        configuration: AppConfiguration(baseURL: "http://127.0.0.1:\(line.port)"), folder: folder)
      let email = "\(user)@example.com"
      do {
        try await app.emailPasswordAuth.registerUser(email: email, password: Self.password)
      } catch let error as AppError where error.code == .accountNameInUse {
        // By another device of the user.
      }
      self.user = try await app.login(
        credentials: .emailPassword(email: email, password: Self.password))
    }

    // MARK: The network

    /// Whether the device has no network.
    public var isNetworkCut: Bool { line.isCut }

    /// Ends the device's connections, and lets it make no others until `healNetwork()`.
    public func cutNetwork() { line.cut() }

    /// Lets the device connect again, at once.
    public func healNetwork() {
      line.heal()
      for session in user.allSessions { session.reconnect() }
    }

    /// The delay of all messages, in both directions.
    public var networkDelay: Duration {
      get { line.delay }
      set { line.delay = newValue }
    }

    /// The server listens elsewhere.
    func find(port: Int) {
      line.find(port: port)
      for session in user.allSessions { session.reconnect() }
    }

    // MARK: Waiting

    /// Waits until the server has answered what the device wrote, or until the device has what the
    /// server has for it, in all files that the device has open; and until the app's error handler has
    /// returned.
    public func wait(for direction: SyncSession.ProgressDirection) async throws {
      for session in user.allSessions {
        try await session.wait(for: direction)
        await session.waitForHandler()
      }
    }
  }
}
#endif
