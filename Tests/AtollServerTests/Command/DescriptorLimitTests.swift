#if Sync
import AtollTransport
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `atoll serve` where the system gives few descriptors.
@Suite(.waiting, .hangLimit) struct DescriptorLimitTests {
  private let folder = TestSupport.TemporaryFolder()

  /// A server with limits of descriptors, its addresses, and what it said.
  private func start(
    soft: Int, hard: Int
  ) throws -> (process: ChildProcess, server: HTTPClient, operators: HTTPClient, words: String) {
    // Descriptors of other tests, which a child inherits, would count, too.
    let closing = #"for f in /dev/fd/*; do f=${f##*/}; [ "$f" -gt 2 ] && eval "exec $f>&-"; done"#
    let process = try ChildProcess(
      "/bin/bash",
      [
        "-c",
        "{ \(closing); } 2> /dev/null; ulimit -Sn \(soft) && ulimit -Hn \(hard) && "
          + "exec \"$0\" serve --dir \"$1\" --port 0 --development 2>&1",
        ChildProcess.path(ofProgram: "atoll"), folder.path(of: "server"),
      ])
    var words = ""
    while !words.contains("Ctrl-C") { words += try process.receive() + "\n" }
    func client(_ match: Substring?) throws -> HTTPClient {
      HTTPClient(
        try ServerAddress(String(try #require(match))), timeoutMilliseconds: 1_800_000)
    }
    return (
      process, try client(words.firstMatch(of: /Atoll server on (http:[^ ,]+)/)?.1),
      try client(words.firstMatch(of: /Metrics on (http:[^ \/]*\/\/[^ \/]+)/)?.1), words
    )
  }

  /// Ends a server in good order, or tells what it says.
  private func end(_ process: ChildProcess) {
    kill(process.processID, SIGTERM)
    var words = ""
    while let line = try? process.receive() { words += line + "\n" }
    #expect(process.waitForEnd() == .status(0), "\(words)")
  }

  @Test func theSoftLimitIsRaisedAndBoundsTheConnections() async throws {
    let (process, server, operators, words) = try start(soft: 100, hard: 160)
    #expect(words.contains("descriptors=160"))
    #expect(words.contains("connections=80"))
    // More than there may be: those that do nothing make room.
    let sockets = (0..<200).compactMap { _ in RawConnection(port: server.address.port) }
    #expect(sockets.count == 200)
    #expect(try await server.send("GET", "/health").status == 200)
    #expect(
      await eventually {
        guard let reply = try? await operators.send("GET", "/metrics") else { return false }
        let text = String(decoding: reply.body, as: UTF8.self)
        return text.contains("\natoll_displaced_connections_total ")
          && !text.contains("\natoll_displaced_connections_total 0\n")
          && text.contains("\natoll_accept_failures_total 0\n")
      })
    end(process)
    _ = sockets
  }

  #if os(Linux)
  @Test func aServerWithoutDescriptorsClosesWhatDoesNothingAndServes() async throws {
    let first = try start(soft: 160, hard: 160)
    let used = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(first.process.processID)/fd"
    ).count
    end(first.process)

    let (process, server, operators, _) = try start(soft: used + 6, hard: used + 6)
    let sockets = (0..<20).compactMap { _ in RawConnection(port: server.address.port) }
    // It may be among those that are closed while more wait than there are descriptors.
    var health: Int?
    while health == nil {
      do throws(TransportError) { health = try await server.send("GET", "/health").status } catch {
        try #require(error == .closed(.lost), "\(error)")
      }
    }
    #expect(health == 200)
    #expect(
      await eventually {
        guard let reply = try? await operators.send("GET", "/metrics") else { return false }
        return !String(decoding: reply.body, as: UTF8.self)
          .contains("\natoll_accept_failures_total 0\n")
      })
    end(process)
    _ = sockets
  }
  #endif

  @Test(arguments: [(1_024, 768), (1_048_576, 1_048_320), (512, 256), (100, 50), (1, 1), (0, 1)])
  func someDescriptorsAreKeptForFiles(limit: Int, connections: Int) {
    #expect(DescriptorLimit.connections(of: limit) == connections)
  }
}

/// An open TCP connection that sends nothing.
private final class RawConnection {
  private let descriptor: Int32

  init?(port: Int) {
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, result == 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }
}
#endif
