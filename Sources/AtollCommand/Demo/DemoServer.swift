#if Sync
import AtollServer
import AtollStorage
import AtollTransport
import Logging

/// The demo's server, in this process.
struct DemoServer {
  private let service: SyncService

  /// Starts it on a free port of this machine; everything is kept in `folder`.
  init(folder: String) throws {
    var options = SyncService.Options(
      folder: folder, now: { SystemCalls.millisecondsSince1970() },
      random: { SystemCalls.randomNumber() })
    options.port = 0
    options.isDevelopment = true
    service = try SyncService.start(options, logger: Logger(label: "demo") { _ in SilentLog() }) {
      _ in
    }
  }

  /// Where it listens.
  var address: String { service.address.description }

  func stop() async { await service.stop() }
}

/// A log that is discarded.
private struct SilentLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.critical

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {}
}
#endif
