#if Sync
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
package import AtollTransport
internal import CoreMetrics
package import Logging

/// The server's core of AtollSync, as the hub uses it.
package final class ServerCore: FrameServer {
  let server: SyncServer
  private let store: AtollStore
  private let logger: Logger
  private let close: () -> Void
  private var hasReceived = false

  /// `close` makes the store durable and closes it.
  private init(
    _ server: SyncServer, _ store: AtollStore, logger: Logger, close: @escaping () -> Void
  ) {
    self.server = server
    self.store = store
    self.logger = logger
    self.close = close
  }

  /// Opens the folder's store, and makes the core that keeps everything in it.
  @Sendable package static func open(
    _ directory: ServerDirectory, _ options: SyncService.Options, _ logger: Logger
  ) throws(ServerError) -> sending any FrameServer {
    let path = directory.storePath
    let database = try directory.open(path)
    do {
      let store = AtollStore(database)
      let rights =
        if let configuration = options.configuration {
          try rights(of: configuration, store)
        } else { Rights(options.isDevelopment ? .development : .denied) }
      var serverOptions = SyncServer.Options(rights: rights)
      if let configuration = options.configuration {
        serverOptions.limits = configuration.limits
        serverOptions.bounds = configuration.bounds
      }
      let folder = directory.path
      serverOptions.freeByteCount = { FolderCalls.freeByteCount(of: folder) }
      serverOptions.processorTime = { SystemCalls.processorNanosecondsOfThread() }
      serverOptions.uptime = options.uptime
      serverOptions.observer = options.metrics.map { CoreInstruments($0) }
      let server = try SyncServer(store: store, options: serverOptions, random: options.random)
      return ServerCore(server, store, logger: logger) {
        do { try database.close() } catch {
          logger.error("closing the store failed", metadata: ["error": "\(error)"])
        }
      }
    } catch let error as ServerError {
      throw error
    } catch {
      if case ServerStoreError.objects(let error) = error { throw .database(path: path, error) }
      throw .damaged(path: path)
    }
  }

  /// Checks a configuration for a folder that no server has used; nothing is written.
  ///
  /// - Throws: `.configuration` or `.noApp`.
  static func check(_ configuration: ServerConfiguration) throws(ServerError) {
    guard configuration.app != nil else { throw .noApp(configuration: configuration.path) }
    do {
      try check(configuration, in: AtollStore(try Database.inMemory()))
    } catch let error as ServerError {
      throw error
    } catch {
      throw .damaged(path: configuration.path)
    }
  }

  /// Checks that a configuration fits the store, which stays as it is.
  ///
  /// - Throws: `.configuration` when its classes or rules are invalid.
  package func check(_ configuration: ServerConfiguration) throws {
    try Self.check(configuration, in: store)
  }

  private struct Fits: Error {}

  private static func check(_ configuration: ServerConfiguration, in store: AtollStore) throws {
    do {
      try declare(configuration, store) { schema in
        _ = try configuration.serverRules(in: schema)
        throw Fits()
      }
    } catch is Fits {}
  }

  /// Returns the rights of a configuration; the store gets the classes that it declares.
  private static func rights(
    of configuration: ServerConfiguration, _ store: AtollStore
  ) throws -> Rights {
    try declare(configuration, store) { schema in
      Rights(.rules(try configuration.serverRules(in: schema)))
    }
  }

  private static func declare<Result>(
    _ configuration: ServerConfiguration, _ store: AtollStore, _ check: (Schema) throws -> Result
  ) throws -> Result {
    do {
      return try store.declare(configuration.classes, check)
    } catch let error as ConfigurationError {
      throw ServerError.configuration(error)
    } catch let conflict as SchemaConflict {
      throw ServerError.configuration(configuration.error(of: conflict))
    }
  }

  /// Applies another configuration; the connections follow with the next `advance`.
  ///
  /// - Throws: `.configuration` when its classes or rules cannot be: then all stays as it was.
  package func adopt(_ configuration: ServerConfiguration) throws {
    server.setRights(try Self.rights(of: configuration, store))
    server.setLimits(configuration.limits)
    server.setBounds(configuration.bounds)
  }

  package func connect(user: String, host: String, now: UInt64) -> PeerID {
    PeerID(rawValue: server.connect(user: user, host: host, now: now).rawValue)
  }

  package func receive(
    _ frame: [UInt8], from peer: PeerID, now: UInt64, arrivedAt: UInt64
  ) -> [FrameOutput] {
    hasReceived = true
    return outputs(
      server.receive(
        frame, from: ConnectionID(rawValue: peer.rawValue), now: now, arrivedAt: arrivedAt))
  }

  /// At least what the longest message to a device takes.
  package var sendByteLimit: Int { max(server.bounds.heldByteLimit, 256 << 20) }

  package func hold(_ byteCount: Int, of peer: PeerID) -> [FrameOutput] {
    outputs(server.hold(byteCount, of: ConnectionID(rawValue: peer.rawValue)))
  }

  package func advance(
    now: UInt64, blocked: Set<PeerID>
  ) throws -> [FrameOutput] {
    hasReceived = false
    return outputs(
      try server.advance(
        now: now, blocked: Set(blocked.lazy.map { ConnectionID(rawValue: $0.rawValue) })))
  }

  package var hasInput: Bool { hasReceived || server.hasWaitingMessages }

  package func waitingByteCount(of peer: PeerID) -> Int {
    server.waitingByteCount(of: ConnectionID(rawValue: peer.rawValue))
  }

  package func disconnect(_ peer: PeerID) {
    server.disconnect(ConnectionID(rawValue: peer.rawValue))
  }

  package func stop() { close() }

  /// The device was sent the error in a frame: the status code adds nothing.
  private func outputs(_ outputs: [SyncServer.Output]) -> [FrameOutput] {
    outputs.map { output in
      switch output {
      case .send(let id, let frame): return .send(PeerID(rawValue: id.rawValue), frame)
      case .close(let id, let reason):
        logger.info(
          "ended by the core",
          metadata: ["connection": "\(id.rawValue)", "reason": "\(reason)"])
        return .close(PeerID(rawValue: id.rawValue), .normal)
      }
    }
  }
}
#endif
