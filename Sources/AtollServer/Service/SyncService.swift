#if Sync
internal import AtollObjects
internal import AtollSync
package import AtollTransport
package import CoreMetrics
package import Logging

/// A running server: its folder, its accounts, its core, its port.
package final class SyncService: Sendable {
  package struct Options: Sendable {
    package var folder: String
    package var host = "127.0.0.1"
    /// 0 takes a free one.
    package var port = ServerAddress.defaultPort
    /// Where operators ask how the server is, and what it counts.
    package var metricsHost = "127.0.0.1"
    /// 0 takes a free one; nil: nowhere.
    package var metricsPort: Int?
    /// Whether it starts without that, with a warning, where another program has the port.
    package var isMetricsPortOptional = false
    /// Adopts the first app, and lets every user synchronise everything.
    package var isDevelopment = false
    /// The rules, unless everything is allowed; with neither, everything is denied.
    package var configuration: ServerConfiguration?
    /// Allows development mode when other machines can connect.
    package var isInsecure = false
    package var listener = SyncListener.Options()
    package var accounts = AccountStore.Options()
    /// Where passwords are hashed.
    package var passwords = PasswordQueue()
    /// Milliseconds since 1970.
    package var now: @Sendable () -> UInt64
    /// Where everything is counted besides `/metrics`: the backend of a program that has a server in
    /// it.
    package var metrics: (any MetricsFactory)?
    /// Nanoseconds of a clock that nobody sets.
    package var uptime: @Sendable () -> UInt64 = TurnWatch.systemUptime
    package var random: @Sendable () -> UInt64

    package init(
      folder: String, now: @escaping @Sendable () -> UInt64,
      random: @escaping @Sendable () -> UInt64
    ) {
      self.folder = folder
      self.now = now
      self.random = random
    }

    /// The options of a server that counts for the text of `/metrics`, too, if it has one.
    fileprivate func counting(in text: PrometheusMetrics?) -> Options {
      guard let text else { return self }
      var options = self
      if let metrics {
        options.metrics = MultiplexMetricsHandler(factories: [text, metrics])
      } else {
        options.metrics = text
      }
      return options
    }
  }

  /// Makes the server's core on the folder's store.
  package typealias MakeServer =
    @Sendable (ServerDirectory, Options, Logger) throws(ServerError) -> sending any FrameServer

  /// Where it listens.
  package var address: ServerAddress { listener.address }
  /// Where it has `/health` and `/metrics`.
  package var metricsAddress: ServerAddress? { operators?.address }
  /// Whether the folder was made just now.
  package let isNew: Bool
  private let listener: SyncListener
  private let operators: SyncListener?
  private let responder: ServerResponder
  private let hub: SyncHub
  let accounts: SerialWork<AccountStore>
  private let logger: Logger
  /// Milliseconds since 1970.
  private let now: @Sendable () -> UInt64
  /// Notices what other processes do to the accounts.
  private let watcher: Task<Void, Never>
  /// Forgets the log-ins that ended by themselves, and users who cannot log in any more.
  private let sweeper: Task<Void, Never>
  /// Holds the folder's lock.
  private let directory: ServerDirectory

  private init(
    _ directory: ServerDirectory, _ listener: SyncListener, _ operators: SyncListener?,
    _ responder: ServerResponder, _ hub: SyncHub, _ accounts: SerialWork<AccountStore>,
    _ logger: Logger, _ watcher: Task<Void, Never>, _ sweeper: Task<Void, Never>,
    now: @escaping @Sendable () -> UInt64
  ) {
    self.now = now
    self.watcher = watcher
    self.sweeper = sweeper
    self.directory = directory
    self.listener = listener
    self.operators = operators
    self.responder = responder
    self.hub = hub
    self.accounts = accounts
    self.logger = logger
    isNew = directory.isNew
  }

  /// Opens the folder and begins to listen; blocks the thread meanwhile.
  ///
  /// `handleFailure` is called with an error that ended the core: the server cannot continue then.
  package static func start(
    _ options: Options, logger: Logger, handleFailure: @escaping @Sendable (any Error) -> Void,
    makeServer: MakeServer = ServerCore.open
  ) throws(ServerError) -> SyncService {
    guard !options.isDevelopment || options.isInsecure || isLoopback(options.host) else {
      throw .developmentOutsideLoopback(host: options.host)
    }
    precondition(
      !options.isDevelopment || options.configuration == nil,
      "a server in development mode allows everything, so that a configuration has no place there")
    let directory = try ServerDirectory(options.folder, random: options.random) {
      () throws(ServerError) in
      if let configuration = options.configuration { try ServerCore.check(configuration) }
    }
    if directory.isKeyNew, !directory.isNew {
      logger.warning("the key of the tokens was missing; all users have to log in again")
    }
    let accounts = try openAccounts(directory, options)
    var hub: SyncHub?
    do throws(ServerError) {
      let metrics = options.metricsPort.map { _ in PrometheusMetrics(ServerMetric.all) }
      let options = options.counting(in: metrics)
      let factory = options.metrics ?? NOOPMetricsHandler.instance
      let running = SyncHub(
        try makeServer(directory, options, logger), now: options.now, uptime: options.uptime,
        instruments: TransportInstruments(factory)
      ) { error in
        logger.critical("the core failed", metadata: ["error": "\(error)"])
        handleFailure(error)
      }
      hub = running
      try directory.didStart()
      // After the rules: a folder becomes that of an app only by a configuration that holds.
      if let configuration = options.configuration {
        try bind(accounts, directory, to: configuration)
      }
      // Before the look at those that were ended: what comes after it is noticed.
      let commits = accounts.wait { $0.database.commits }
      let ended = try endedSessions(accounts, directory, options)
      let responder = ServerResponder(
        accounts: accounts, passwords: options.passwords, ended: ended,
        signer: TokenSigner(key: directory.tokenKey), hub: running,
        admission: ServerResponder.Admission(
          login: options.configuration?.login ?? ServerConfiguration.Login(),
          hasRules: options.isDevelopment || options.configuration != nil),
        instruments: LoginInstruments(factory), logger: logger, now: options.now)
      let operators = try listenForOperators(options, running, accounts, metrics, logger)
      let listener: SyncListener
      do throws(ServerError) {
        listener = try listen(options, responder, running, logger)
      } catch {
        operators?.abandon()
        throw error
      }
      return SyncService(
        directory, listener, operators, responder, running, accounts, logger,
        watch(commits, responder, logger), sweep(accounts, logger, now: options.now),
        now: options.now)
    } catch {
      hub?.stopAndWait()
      accounts.wait { $0.close() }
      directory.release()
      throw error
    }
  }

  /// Ends the connections of log-ins that other processes end, within a second.
  private static func watch(
    _ commits: Database.Commits, _ responder: ServerResponder, _ logger: Logger
  ) -> Task<Void, Never> {
    Task {
      do {
        for try await _ in commits {
          await responder.noteEndedSessions()
          // Of many commits, most of them the server's own, not each is a reason to look.
          try await Task.sleep(for: .milliseconds(250))
        }
      } catch is CancellationError {
        return
      } catch {
        logger.error("the accounts cannot be watched", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Looks at the start, and once a day, for what is over in the accounts.
  ///
  /// Not before the start: another process may keep their file locked.
  private static func sweep(
    _ accounts: SerialWork<AccountStore>, _ logger: Logger, now: @escaping @Sendable () -> UInt64
  ) -> Task<Void, Never> {
    Task {
      repeat {
        var isDone = false
        while !isDone, !Task.isCancelled {
          let result = await accounts.run { accounts in
            Result { try accounts.removeWhatEnded(now: now()) }
          }
          switch result {
          case .success(let isAll): isDone = isAll
          case .failure(let error):
            logger.error("ended log-ins cannot be removed", metadata: ["error": "\(error)"])
            isDone = true
          }
        }
      } while (try? await Task.sleep(for: .seconds(24 * 3_600))) != nil
    }
  }

  private static func listen(
    _ options: Options, _ responder: ServerResponder, _ hub: SyncHub, _ logger: Logger
  ) throws(ServerError) -> SyncListener {
    var listenerOptions = options.listener
    if let settings = options.configuration?.network { listenerOptions.settings = settings }
    do throws(SyncListener.Failure) {
      let listener = try SyncListener.start(
        host: options.host, port: options.port, options: listenerOptions, responder: responder,
        hub: hub, logger: logger, random: options.random)
      logger.notice(
        "listening",
        metadata: [
          "address": "\(listener.address)", "folder": "\(options.folder)",
          "connections": "\(listenerOptions.connectionLimit)",
          "development": "\(options.isDevelopment)",
          "configuration": "\(options.configuration?.path ?? "none")",
        ])
      if listener.address.isOpen {
        logger.warning(
          "connections are not encrypted, passwords and data neither; see --certificate and --key",
          metadata: ["address": "\(listener.address)"])
      }
      return listener
    } catch { throw .listening(error) }
  }

  /// How many operators may ask at a time.
  private static let operatorLimit = 64

  private static func listenForOperators(
    _ options: Options, _ hub: SyncHub, _ accounts: SerialWork<AccountStore>,
    _ metrics: PrometheusMetrics?, _ logger: Logger
  ) throws(ServerError) -> SyncListener? {
    guard let port = options.metricsPort, let metrics else { return nil }
    var listenerOptions = options.listener
    listenerOptions.connectionLimit = operatorLimit
    listenerOptions.certificate = nil
    // Behind a name of the network, as a scraper of another machine has one, there may be any.
    listenerOptions.needsOwnName = isLoopback(options.metricsHost)
    listenerOptions.settings = SyncListener.Settings()
    do throws(SyncListener.Failure) {
      let listener = try SyncListener.start(
        host: options.metricsHost, port: port, options: listenerOptions,
        responder: OperatorResponder(hub: hub, accounts: accounts, metrics: metrics), hub: nil,
        logger: logger,
        random: options.random)
      logger.notice(
        "listening for operators", metadata: ["address": "\(listener.address.authority)"])
      return listener
    } catch .portInUse where options.isMetricsPortOptional {
      logger.warning(
        "another program has the port of /health and /metrics; choose one with --metrics-port",
        metadata: ["port": "\(port)"])
      return nil
    } catch { throw .listeningForOperators(error) }
  }

  private static func openAccounts(
    _ directory: ServerDirectory, _ options: Options
  ) throws(ServerError) -> SerialWork<AccountStore> {
    var accountOptions = options.accounts
    accountOptions.adoptsApp = options.isDevelopment
    let path = directory.accountsPath
    let database = try directory.open(path)
    do {
      let accounts = try AccountStore(database, options: accountOptions, random: options.random)
      if let configuration = options.configuration {
        _ = try newApp(of: configuration, accounts)
      }
      return SerialWork("atoll.accounts", accounts, uptime: options.uptime)
    } catch let error as ObjectError {
      throw .database(path: path, error)
    } catch let error as ServerError {
      throw error
    } catch {
      throw .damaged(path: path)
    }
  }

  /// Ends the log-ins that the configuration does not allow, and returns those that were ended and
  /// whose access tokens may be valid.
  private static func endedSessions(
    _ accounts: SerialWork<AccountStore>, _ directory: ServerDirectory, _ options: Options
  ) throws(ServerError) -> [String: UInt64] {
    let now = options.now()
    let result = accounts.wait { accounts -> Result<[String: UInt64], any Error> in
      Result {
        // Without a configuration nothing is synchronised, or it is a trial.
        if let login = options.configuration?.login {
          _ = try accounts.endSessions(now: now, unless: login.allows)
        }
        return try accounts.endedSessions(now: now)
      }
    }
    do { return try result.get() } catch { throw serverError(error, directory) }
  }

  /// Makes a folder that of the configuration's app, if it has none.
  private static func bind(
    _ accounts: SerialWork<AccountStore>, _ directory: ServerDirectory,
    to configuration: ServerConfiguration
  ) throws(ServerError) {
    let failure = accounts.wait { accounts in
      problem { try setApp(of: configuration, accounts) }
    }
    if let failure { throw serverError(failure, directory) }
  }

  /// Returns the app that the configuration names for a folder that has none yet.
  ///
  /// - Throws: `ServerError` when neither names an app, or each another one.
  private static func newApp(
    of configuration: ServerConfiguration, _ accounts: AccountStore
  ) throws -> String? {
    let known = try accounts.appID()
    guard let app = configuration.app else {
      guard known != nil else { throw ServerError.noApp(configuration: configuration.path) }
      return nil
    }
    if let known, known != app {
      throw ServerError.configuration(
        ConfigurationError(
          path: configuration.path, line: nil,
          "the folder is that of the app '\(known)', and the configuration is for '\(app)'"))
    }
    return known == nil ? app : nil
  }

  /// Makes the app of the configuration the folder's own, if it has none.
  private static func setApp(
    of configuration: ServerConfiguration, _ accounts: AccountStore
  ) throws {
    if let app = try newApp(of: configuration, accounts) { try accounts.setApp(app) }
  }

  /// Applies a configuration while devices are connected.
  ///
  /// They receive and lose objects as it says. Blocks the thread meanwhile.
  ///
  /// - Throws: `.configuration` for one that does not fit the folder or itself: then all stays as
  ///   it was.
  package func adopt(_ configuration: ServerConfiguration) throws(ServerError) {
    // What can be refused comes before what is written.
    let problem =
      accounts.wait { accounts in
        Self.problem { _ = try Self.newApp(of: configuration, accounts) }
      }
      ?? hub.performAndWait { server in
        Self.problem { try (server as? ServerCore)?.check(configuration) }
      }
      ?? accounts.wait { accounts in Self.problem { try Self.setApp(of: configuration, accounts) } }
      ?? hub.performAndWait { server in
        Self.problem { try (server as? ServerCore)?.adopt(configuration) }
      }
    if let problem { throw Self.serverError(problem, directory) }
    responder.setAdmission(
      ServerResponder.Admission(login: configuration.login, hasRules: true))
    endSessions(notAllowedBy: configuration.login)
    listener.apply(configuration.network)
    if !configuration.hasRoles {
      logger.warning(
        "the configuration has no roles: everything is denied",
        metadata: ["configuration": "\(configuration.path)"])
    }
    logger.notice("took a configuration over", metadata: ["configuration": "\(configuration.path)"])
  }

  /// Ends the log-ins that rest on what was removed, and their connections.
  private func endSessions(notAllowedBy login: ServerConfiguration.Login) {
    let now = now()
    let result = accounts.wait { accounts in
      Result { try accounts.endSessions(now: now, unless: login.allows) }
    }
    do {
      let ended = try result.get()
      responder.close(ended)
      if !ended.isEmpty {
        logger.notice(
          "ended log-ins that are not allowed any more", metadata: ["count": "\(ended.count)"])
      }
    } catch {
      // None of them is refreshed.
      logger.error("log-ins could not be ended", metadata: ["error": "\(error)"])
    }
  }

  /// The error of `body`, to be reported on another queue.
  private static func problem(_ body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
  }

  private static func serverError(
    _ problem: any Error, _ directory: ServerDirectory
  ) -> ServerError {
    switch problem {
    case let error as ServerError: error
    case ServerStoreError.objects(let error): .database(path: directory.storePath, error)
    case AccountError.storage(let error), let error as ObjectError:
      .database(path: directory.accountsPath, error)
    default: .damaged(path: directory.storePath)
    }
  }

  private static func isLoopback(_ host: String) -> Bool {
    ServerAddress(host: host, port: 1).isLoopback
  }

  /// Stops the server: finishes running work, notifies every connection, makes everything durable.
  ///
  /// Returns within about `timeoutMilliseconds`, the time for a running transaction aside.
  package func stop(timeoutMilliseconds: UInt64 = 1_000) async {
    logger.notice("stopping")
    // Each may take the time that there is.
    async let isWithoutOperators: Void? = operators?.stop(timeoutMilliseconds: timeoutMilliseconds)
    await listener.stop(timeoutMilliseconds: timeoutMilliseconds)
    _ = await isWithoutOperators
    watcher.cancel()
    sweeper.cancel()
    // Behind work that does not get on it would wait without an end.
    if accounts.isStuck {
      logger.warning("the accounts are locked by another process, and were not closed")
    } else {
      await accounts.run { $0.close() }
    }
    directory.release()
    logger.notice("stopped")
  }
}
#endif
