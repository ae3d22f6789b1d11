#if Sync
import ArgumentParser
import AtollTransport
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand
@testable import AtollServer

/// The container file of the page "Run a server", as far as no engine is needed.
@Suite(.waiting, .hangLimit) struct ContainerTests {
  private struct Container {
    var lines: [String: [String]] = [:]

    init() throws {
      let page = try GoldenFiles.text("Sources/Atoll/Atoll.docc/RunAServer.md")
      let start = try #require(page.range(of: "```dockerfile\n"))
      let end = try #require(page[start.upperBound...].range(of: "\n```"))
      let text = page[start.upperBound..<end.lowerBound].replacing("\\\n", with: "")
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 1)
        lines[String(words[0]), default: []].append(String(words[1]))
      }
    }

    /// The words of a line's form in brackets.
    func words(_ keyword: String) throws -> [String] {
      let line = try #require(lines[keyword]?.last)
      let bracket = try #require(line.firstIndex(of: "["))
      return try JSONDecoder().decode([String].self, from: Data(line[bracket...].utf8))
    }
  }

  /// The arguments that the text below the file adds.
  private func addedArguments() throws -> [String] {
    let page = try GoldenFiles.text("Sources/Atoll/Atoll.docc/RunAServer.md")
    let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("  atoll --config ") })
    return line.split(separator: " ").dropFirst().map(String.init)
  }

  @Test func theCommandIsOneOfAtoll() throws {
    let container = try Container()
    let words = try container.words("ENTRYPOINT")
    #expect(words.prefix(2) == ["atoll", "serve"])
    let command = try ServeCommand.parse(Array(words.dropFirst(2)) + addedArguments())
    #expect(command.host == "0.0.0.0" && command.metricsHost == "127.0.0.1")
    #expect(command.config == "/etc/atoll/server.yaml")
    let volume = try #require(container.lines["VOLUME"]?.first)
    #expect(command.dir.hasPrefix(volume + "/"))
    #expect(container.lines["EXPOSE"] == ["\(command.port)"])
    let health = try #require(try container.words("HEALTHCHECK").last)
    #expect(health == "http://127.0.0.1:\(try #require(command.metricsPort))/health")
    #expect(container.lines["STOPSIGNAL"] == ["SIGTERM"])
    #expect(container.lines["USER"]?.isEmpty == false)
  }

  private static let hasCurl = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/curl") }

  /// The command of the check, with the address of a server that works, and of one whose core has
  /// ended.
  @Test(.enabled(if: hasCurl, "the check is a command of curl"))
  func theHealthCheckTellsAServerThatWorks() async throws {
    var check = try Container().words("HEALTHCHECK")
    let server = try await TestService()
    let address = try #require(server.service.metricsAddress)
    check[check.count - 1] = "\(address)/health"
    // Of a machine that does other things, too.
    let time = try #require(check.firstIndex(of: "--max-time"))
    check[time + 1] = "1800"
    func status() throws -> Int32? {
      let process = try ChildProcess("/usr/bin/env", check)
      while (try? process.receive()) != nil {}
      guard case .status(let status) = process.waitForEnd() else { return nil }
      return status
    }
    #expect(try status() == 0)
    let login = try await server.client().login(.anonymous)
    let inbox = try await server.connect(token: login.accessToken)
    try await inbox.send(CoreGate.failure)
    _ = await inbox.ended()
    #expect(try status() == 22)
    await server.service.stop()
  }
}
#endif
