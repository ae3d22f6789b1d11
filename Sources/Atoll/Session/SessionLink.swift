#if Sync
internal import AtollObjects
internal import AtollSync
internal import AtollTransport
internal import Synchronization

/// What a connected process runs for a file: the client's core, and the driver of its connections.
final class SessionLink: Sendable {
  let driver: SyncSessionDriver
  private let commits: _Concurrency.Task<Void, Never>

  /// - Throws: `TransportError` when the server's address makes no sense.
  init(_ session: SyncSession, database: Database, user: User) throws {
    let address = try ServerAddress(user.app.configuration.serverURL)
    let environment = SyncSessionDriver.Environment(
      now: database.clock, random: database.random)
    let connector = WebSocketConnector(
      address, options: Self.options(user.app.configuration),
      trust: user.app.configuration.trust, random: database.random
    ) { [weak user] (refused) async throws(TransportError) in
      guard let user else { throw .closed(.goingAway) }
      return try await Self.token(of: user, refused: refused)
    }
    var configuration = SyncClient.Configuration()
    configuration.resetMode = session.reset.mode
    configuration.isProgressive = session.configuration()?.bootstrapMode == .progressive
    configuration.willEndReset = { [reset = session.reset, weak file = session.file] in
      if let file { reset.willEnd(file) }
    }
    configuration.willLose = { [weak session] (loss: Loss) throws(ObjectError) in
      let path = try ClientReset.keepCopy(of: database, before: loss)
      session?.noteCopy(path, before: loss)
    }
    let client = SyncClient(database: database, configuration: configuration)
    let marks = ForwardedMarks()
    let endpoint = ClientEndpoint(client) { [weak session] event in
      if case .reached(let mark) = event, let wait = marks.reach(mark) {
        session?.noteDownload(wait)
      }
      session?.handle(event)
    }
    let toldTLSFailure = Mutex<TransportError?>(nil)
    let driver = SyncSessionDriver(
      endpoint, connector: connector, environment: environment
    ) { [weak session] event in
      switch event {
      case .state(let state):
        if state == .connected { toldTLSFailure.withLock { $0 = nil } }
        session?.note(.info, "\(SyncSession.ConnectionState(state))")
        session?.noteConnection()
      case .failure(let error, let hasConnected, let retry):
        let failure = error as? ClientFailure
        session?.note(
          hasConnected ? .detail : .warn,
          "\(hasConnected ? "the connection ended" : "no connection"): \(error); "
            + (retry.map { "tried again after \($0) ms" } ?? "not tried again"))
        // A connection that ends, for a newer token for example, is made again.
        if !hasConnected || retry == nil || failure?.isOfFile == true {
          session?.noteFailure(error)
        }
        guard retry == nil else {
          // The disk is full, for example: it is tried again, but only a user can make room.
          if failure?.isOfFile == true { session?.report(SyncError(error)) }
          // As is a certificate that the operator of the server renews; told once.
          if let error = error as? TransportError, error.isOfTLS,
            toldTLSFailure.withLock({ told in
              defer { told = error }
              return told != error
            })
          {
            session?.report(SyncError(error))
          }
          break
        }
        if let failure, failure.isReset {
          session?.requireReset(failure.description)
          break
        }
        session?.report(SyncError(error))
        session?.noteStop()
      }
    }
    self.driver = driver
    let versions = database.commits
    commits = _Concurrency.Task { [weak driver] in
      do {
        driver?.forward(marks, database)
        for try await _ in versions { driver?.forward(marks, database) }
      } catch {
        // The file was moved or closed: the session ends with it.
      }
    }
  }

  /// Ends the connection, for good.
  ///
  /// - Parameter completion: Called once nothing of the link uses the file any more; a batch that
  ///   has arrived may be applied until then.
  func end(_ completion: @escaping @Sendable () -> Void) {
    commits.cancel()
    driver.stop(completion)
  }

  private static func options(_ configuration: AppConfiguration) -> ConnectionOptions {
    var options = ConnectionOptions.client
    guard let timeouts = configuration.syncTimeouts else { return options }
    if let connect = timeouts.connectTimeout {
      options.connectTimeoutMilliseconds = milliseconds(connect)
    }
    let ping = milliseconds(
      timeouts.pingKeepalivePeriod ?? SyncTimeoutOptions.defaultPingKeepalivePeriod)
    options.pingMilliseconds = ping
    options.silenceMilliseconds =
      ping
      + milliseconds(
        timeouts.pongKeepaliveTimeout ?? SyncTimeoutOptions.defaultPongKeepaliveTimeout)
    return options
  }

  /// A time that an application set; years are as good as any longer time, and overflow nothing.
  private static func milliseconds(_ count: UInt) -> UInt64 { min(UInt64(count), 1 << 40) }

  /// The access token; another one when the server does not take `refused` any more.
  private static func token(
    of user: User, refused: String?
  ) async throws(TransportError) -> String {
    if let token = user.accessToken, token != refused { return token }
    do { return try await user.app.refreshAccessToken(of: user) } catch let error as AppError {
      guard error.code == .invalidSession else { throw .closed(.lost) }
      throw .refused(
        TransportError.Refusal(status: 401, code: "invalidSession", message: error.message))
    } catch { throw .closed(.lost) }
  }
}

extension SyncSessionDriver {
  /// Sends what a commit of any process has added.
  fileprivate func forward(_ marks: ForwardedMarks, _ database: Database) {
    perform { endpoint in
      guard let endpoint = endpoint as? ClientEndpoint else { return }
      // A file that cannot be read ends the session with the next call of the client.
      try? marks.forward(database, endpoint.client)
    }
    wake()
  }
}

/// The downloads that a process waits for, and the marks that stand for them.
private final class ForwardedMarks: Sendable {
  private struct State {
    /// The newest wait that the server was asked for.
    var forwarded: UInt64 = 0
    var open: [(mark: UInt64, wait: UInt64)] = []
  }

  private let state = Mutex(State())

  /// Asks the server for what is waited for since the last call; between two calls of the client.
  func forward(_ database: Database, _ client: SyncClient) throws {
    let waits = try DownloadWaits(database.snapshot())
    state.withLock { state in
      guard waits.asked > max(state.forwarded, waits.reached) else { return }
      state.forwarded = waits.asked
      state.open.append((client.requestMark(), waits.asked))
    }
  }

  /// The newest wait that a mark ends; nil when it ends none.
  func reach(_ mark: UInt64) -> UInt64? {
    state.withLock { state in
      let done = state.open.filter { $0.mark <= mark }
      state.open.removeAll { $0.mark <= mark }
      return done.map(\.wait).max()
    }
  }
}

/// The client's core as the driver sees it.
final class ClientEndpoint: FrameEndpoint {
  let client: SyncClient
  private let handle: (SyncEvent) -> Void

  /// `handle` hears of what the application is to know, on the session's queue.
  init(_ client: SyncClient, handle: @escaping (SyncEvent) -> Void) {
    self.client = client
    self.handle = handle
  }

  func open(now: UInt64) throws -> [[UInt8]] { try telling { try client.open(now: now) } }

  func receive(_ frame: [UInt8], now: UInt64) throws -> [[UInt8]] {
    try telling { try client.receive(frame, now: now) }
  }

  func outgoing(now: UInt64) throws -> [[UInt8]] { try telling { try client.outgoing(now: now) } }

  func close(now: UInt64) { client.close(now: now) }

  /// Passes on what happened in a call, and says what an error asks for.
  private func telling(_ body: () throws -> [[UInt8]]) throws -> [[UInt8]] {
    defer { for event in client.takeEvents() { handle(event) } }
    do { return try body() } catch let error as AtollSync.SyncError {
      throw ClientFailure(error: error)
    }
  }
}

/// An error of the client's core, with what is to be done about it.
struct ClientFailure: FrameEndpointError, CustomStringConvertible {
  let error: AtollSync.SyncError

  var recovery: SessionRecovery {
    switch error.action {
    case .retry, .newIdentity, .report:
      var milliseconds: UInt64 = 0
      if case .remote(let message) = error { milliseconds = message.retryAfterMilliseconds ?? 0 }
      return .reconnect(afterMilliseconds: milliseconds)
    // The connector gets another token if the server refuses the one there is.
    case .logIn: return .renew
    case .stop: return .stop
    }
  }

  /// Whether the file has to synchronise again, and waits for the application.
  var isReset: Bool {
    switch error {
    case .resetRequired, .resetsRepeated: true
    default: false
    }
  }

  /// Whether the file could not be read or written.
  var isOfFile: Bool {
    if case .file = error { true } else { false }
  }

  var parting: [[UInt8]] { error.reply.map { MessageFrames.encode($0) } ?? [] }

  var description: String { error.description }
}

extension SyncError {
  /// The report to the application of an error that ended a connection.
  init(_ error: any Error) {
    switch error {
    case let error as TransportError:
      self.init(error.isOfTLS ? .tlsHandshakeFailed : .connectionFailed, error.description)
    case let failure as ClientFailure:
      self.init(
        failure.isOfFile ? .clientInternalError : .clientSessionError, failure.description)
    default: self.init(.clientSessionError, "\(error)")
    }
  }
}

extension SyncSession.ConnectionState {
  init(_ state: AtollTransport.ConnectionState) {
    self =
      switch state {
      case .disconnected: .disconnected
      case .connecting: .connecting
      case .connected: .connected
      }
  }
}
#endif
