#if Sync
internal import AtollObjects
package import AtollSync
package import AtollTransport
package import Logging

/// The server's core of AtollSync, as the hub uses it.
package final class ServerCore: FrameServer {
  private let server: SyncServer
  private let logger: Logger
  private let close: () -> Void
  private var hasReceived = false

  /// `close` makes the store durable and closes it.
  package init(_ server: SyncServer, logger: Logger, close: @escaping () -> Void) {
    self.server = server
    self.logger = logger
    self.close = close
  }

  /// Opens the folder's store, and makes the core that keeps everything in it.
  @Sendable package static func open(
    _ directory: ServerDirectory, _ options: SyncService.Options, _ logger: Logger
  ) throws(ServerError) -> sending any FrameServer {
    let path = directory.storePath
    let database = try ServerDirectory.open(path)
    do {
      let store = AtollStore(database)
      let server = try SyncServer(
        store: store, options: SyncServer.Options(rights: try rights(options, store)),
        random: options.random)
      return ServerCore(server, logger: logger) {
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

  /// Who may do what; the store gets the classes that the configuration declares.
  private static func rights(
    _ options: SyncService.Options, _ store: AtollStore
  ) throws -> Rights {
    guard let configuration = options.configuration else {
      return Rights(options.isDevelopment ? .development : .denied)
    }
    switch try store.declare(configuration.classes) {
    case .failure(let conflict):
      throw ServerError.configuration(
        ConfigurationError(path: configuration.path, line: nil, conflict.text))
    case .success(let schema):
      do throws(ConfigurationError) {
        return Rights(.rules(try configuration.serverRules(in: schema)))
      } catch { throw ServerError.configuration(error) }
    }
  }

  package func connect(user: String, now: UInt64) -> PeerID {
    PeerID(rawValue: server.connect(user: user, now: now).rawValue)
  }

  package func receive(_ frame: [UInt8], from peer: PeerID, now: UInt64) -> [FrameOutput] {
    hasReceived = true
    return outputs(
      server.receive(frame, from: ConnectionID(rawValue: peer.rawValue), now: now))
  }

  package func advance(
    now: UInt64, isReady: (PeerID) -> Bool
  ) throws -> [FrameOutput] {
    hasReceived = false
    return outputs(
      try server.advance(now: now) { isReady(PeerID(rawValue: $0.rawValue)) })
  }

  package var hasInput: Bool { hasReceived || server.hasWaitingMessages }

  package func waitingByteCount(of peer: PeerID) -> Int {
    server.waitingByteCount(of: ConnectionID(rawValue: peer.rawValue))
  }

  package func disconnect(_ peer: PeerID) {
    server.disconnect(ConnectionID(rawValue: peer.rawValue))
  }

  package func stop() { close() }

  /// The device has heard of an error in a frame of its own: the status code says nothing more.
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
