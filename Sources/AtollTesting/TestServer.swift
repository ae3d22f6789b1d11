#if Sync
internal import Atoll
internal import AtollServer
internal import AtollStorage
internal import AtollTransport
public import CoreMetrics
internal import Foundation
internal import Logging
internal import Synchronization

/// A server in this process and devices of an app, for the tests of that app.
///
///     let server = try await TestServer()
///     let phone = try await server.device("phone", of: "ann")
///     let tablet = try await server.device("tablet", of: "ann")
///     phone.cutNetwork()
///     …
///     phone.healNetwork()
///     try await server.synchronize()
///     await server.stop()
///
/// Everything lies in a temporary folder, which goes with the last reference to the server.
public final class TestServer: Sendable {
  /// A wait of a test timed out.
  public struct TimedOut: Error, CustomStringConvertible {
    public let description: String
  }

  /// The call needs a running server.
  public struct Stopped: Error, CustomStringConvertible {
    public let description = "the server is stopped; start it first"
  }

  private struct State {
    var service: SyncService?
    var port = 0
    var devices: [Device] = []
  }

  private let folder: URL
  private let configuration: ServerConfiguration?
  private let metrics: any MetricsFactory
  private let clock = TestClock()
  private let state = Mutex(State())

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - rules: The text of a `server.yaml`; by default, every user may do everything, and classes
  ///     come from the devices.
  ///   - metrics: Where the server counts what it does; by default the backend that the program has
  ///     given to `MetricsSystem.bootstrap`, and nowhere without one.
  /// - Throws: The problem of the rules, with its line.
  public init(
    rules: String? = nil, metrics: any MetricsFactory = MetricsSystem.factory
  ) async throws {
    self.metrics = metrics
    folder = FileManager.default.temporaryDirectory.appending(
      path: "atoll-testing-\(String(SystemCalls.randomNumber(), radix: 36))")
    configuration = try rules.map(Self.configuration)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await start()
  }

  deinit {
    let (service, folder) = (state.withLock { $0.service }, folder)
    _Concurrency.Task {
      await service?.stop()
      try? FileManager.default.removeItem(at: folder)
    }
  }

  private static let path = "server.yaml"

  /// Reads rules; those that name no app are for the one of the devices.
  private static func configuration(_ text: String) throws -> ServerConfiguration {
    let configuration = try ServerConfiguration(yaml: text, path: path)
    guard configuration.app == nil else { return configuration }
    return try ServerConfiguration(yaml: "\(text)\napp: \(defaultAppID)\n", path: path)
  }

  private static let defaultAppID = "app"

  // MARK: The server

  /// Starts the server after `stop()`, with all that it had.
  public func start() async throws {
    guard state.withLock({ $0.service }) == nil else { return }
    var options = SyncService.Options(
      folder: folder.appending(path: "server").path(percentEncoded: false),
      now: { [clock] in clock.milliseconds }, random: { SystemCalls.randomNumber() })
    options.port = 0
    options.isDevelopment = configuration == nil
    options.configuration = configuration
    options.accounts = .forTests
    options.metrics = metrics
    let service = try SyncService.start(
      options, logger: Logging.Logger(label: "AtollTesting") { _ in SwiftLogNoOpLogHandler() },
      handleFailure: { _ in })
    let devices = state.withLock { state in
      state.service = service
      state.port = service.address.port
      return state.devices
    }
    for device in devices { device.find(port: service.address.port) }
  }

  /// Stops the server in good order; devices continue without it.
  public func stop() async {
    let service = state.withLock { state in
      defer { state.service = nil }
      return state.service
    }
    await service?.stop()
  }

  /// Stops the server and starts it again.
  public func restart() async throws {
    await stop()
    try await start()
  }

  /// Lets the server think that it is later, or earlier with a negative duration, than it is.
  ///
  /// Access tokens last half an hour: after more, devices log in again by themselves.
  public func moveClock(by duration: Duration) { clock.move(by: duration) }

  // MARK: Devices

  /// The devices, in the order of their creation.
  public var devices: [Device] { state.withLock { $0.devices } }

  /// A new device with nothing on it, on which a user has logged in.
  ///
  /// - Parameters:
  ///   - name: The name of the device, for messages.
  ///   - user: The name of the user, who gets an account with the first device; by default that of
  ///     the device. Several devices may be one user's.
  /// - Returns: The device, connected to nothing until it opens a realm.
  /// - Throws: `Stopped`; what a log-in throws, as where the rules allow no passwords.
  public func device(_ name: String, of user: String? = nil) async throws -> Device {
    let (isRunning, port, number) = state.withLock { state in
      (state.service != nil, state.port, state.devices.count)
    }
    guard isRunning else { throw Stopped() }
    let device = try await Device(
      name, user: user ?? name, appID: configuration?.app ?? Self.defaultAppID,
      folder: folder.appending(path: "device \(number) \(name)"), port: port)
    state.withLock { $0.devices.append(device) }
    return device
  }

  /// Waits until all devices have sent their changes, and have received all changes that match
  /// their subscriptions.
  ///
  /// Devices whose network is cut are left out. A realm shows the changes after `refresh()`, or
  /// with the next turn of its thread.
  ///
  /// - Throws: `TimedOut`, with the devices that did not finish; `Stopped`; the errors of a
  ///   session's wait, as when it is suspended.
  public func synchronize(timeout: Duration = .seconds(60)) async throws {
    guard state.withLock({ $0.service }) != nil else { throw Stopped() }
    let connected = devices.filter { !$0.isNetworkCut }
    for direction in [SyncSession.ProgressDirection.upload, .download] {
      try await Self.wait(for: direction, of: connected, timeout)
    }
  }

  private static func wait(
    for direction: SyncSession.ProgressDirection, of devices: [Device], _ timeout: Duration
  ) async throws {
    try await withThrowingTaskGroup(of: Device?.self) { group in
      for device in devices {
        group.addTask {
          try await device.wait(for: direction)
          return device
        }
      }
      group.addTask {
        try await _Concurrency.Task.sleep(for: timeout)
        return nil
      }
      defer { group.cancelAll() }
      var missing = devices
      while !missing.isEmpty {
        guard let next = try await group.next(), let device = next else {
          let names = missing.map { "'\($0.name)'" }.joined(separator: ", ")
          throw TimedOut(description: "not synchronised after \(timeout): \(names)")
        }
        missing.removeAll { $0 === device }
      }
    }
  }
}
#endif
