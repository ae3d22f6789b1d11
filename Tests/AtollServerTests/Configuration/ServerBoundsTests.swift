#if Sync
import AtollSync
import Foundation
import Logging
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// The bounds of the whole server in a configuration.
@Suite(.computing) struct ServerBoundsTests {
  private func configuration(_ text: String) throws -> ServerConfiguration {
    try ServerConfiguration(yaml: text, path: "server.yaml")
  }

  private static let changed = """
    app: app
    server:
      heldBytes: 1 GiB
      heldBytesPerHost: 70MB
      freeDiskBytes: 0
      turn: {messages: 1 ms, changes: 2 ms, sending: 3ms, connection: 4 ms, transaction: 1 s,
             object: 6 ms}
    """

  private static var expected: ServerBounds {
    var bounds = ServerBounds()
    bounds.heldByteLimit = 1 << 30
    bounds.heldByteLimitOfHost = 70_000_000
    bounds.reserveByteCount = 0
    bounds.work.messages = 1_000_000
    bounds.work.changes = 2_000_000
    bounds.work.stream = 3_000_000
    bounds.work.connection = 4_000_000
    bounds.work.judgement = 1_000_000_000
    bounds.work.object = 6_000_000
    return bounds
  }

  @Test func boundsAreReadWithTheirUnits() throws {
    #expect(try configuration("app: a").bounds == ServerBounds())
    #expect(try configuration(Self.changed).bounds == Self.expected)
    #expect(
      try configuration("server: {freeDiskBytes: 1_000}").bounds.reserveByteCount == 1_000)
    #expect(try configuration("limits: {bytesPerMinute: 3 kB}").limits.bytesPerMinute == 3_000)
  }

  @Test(arguments: [
    ("heldBytes: 1 MiB", "server.heldBytes: at least 64 MiB is expected"),
    ("heldBytesPerHost: 60MB", "server.heldBytesPerHost: at least 64 MiB"),
    ("heldBytes: much", "a size is expected, as '512 MiB' or '2 GB'; units are TiB"),
    ("heldBytes: 1 mib", "a size is expected"), ("heldBytes:", "a text is expected"),
    ("heldBytes: 9999999999 TiB", "a size is expected"), ("freeDiskBytes: -1", "at least 0 B"),
    ("freeDiskBytes: 99999999999999999999 B", "a size is expected"),
    ("turn: {messages: 30}", "server.turn.messages: a time with its unit is expected"),
    ("turn: {messages: 0 ms}", "a time from 1 ms to 1000 ms is expected"),
    ("turn: {object: 2 s}", "server.turn.object: a time from 1 ms"),
    ("turn: {mesages: 3 ms}", "did you mean 'messages'?"),
    ("heldByte: 1 GiB", "did you mean 'heldBytes'?"),
  ])
  func aMistakeIsToldWithItsLine(text: String, words: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try configuration("server:\n  \(text)")
    }
    #expect(error?.line == 2)
    #expect(error?.text.contains(words) == true, "\(String(describing: error))")
  }

  /// What the documentation and the printed configuration show are the defaults.
  @Test func defaultsAreShown() throws {
    let page = try GoldenFiles.text("Sources/Atoll/Atoll.docc/RunAServer.md")
    let start = try #require(page.range(of: "```yaml\nserver:\n  heldBytes")).lowerBound
    let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)).lowerBound
    let shown = String(page[start..<end].dropFirst("```yaml\n".count))
    #expect(try configuration(shown).bounds == ServerBounds())
    let printed = ConfigurationPrinter.text(classes: [], app: nil)
      .split(separator: "\n").drop { !$0.hasPrefix("# server:") }.prefix(3)
    let read = try configuration(printed.map { $0.dropFirst(2) }.joined(separator: "\n"))
    #expect(read.bounds == ServerBounds())
    #expect(printed.joined().contains("object: 50 ms"))
  }

  @Test func theCoreHasThemAtItsStartAndAfterAReload() throws {
    let folder = TemporaryFolder()
    var options = TestService.options(folder)
    options.configuration = try configuration(Self.changed)
    let directory = try ServerDirectory(options.folder, random: options.random) {}
    defer { directory.release() }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let opened = try ServerCore.open(directory, options, logger)
    let core = try #require(opened as? ServerCore)
    defer { core.stop() }
    #expect(core.server.bounds == Self.expected)
    try core.adopt(try configuration("app: app"))
    #expect(core.server.bounds == ServerBounds())
  }
}
#endif
