#if Sync
import AtollTransport
import Foundation
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The server as people start it: a process of its own.
@Suite(.waiting, .hangLimit) struct ServeCommandTests {
  private let folder = TestSupport.TemporaryFolder()

  /// `atoll serve`, whose errors come with its output.
  private func atoll(_ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
      "/bin/sh",
      ["-c", #"exec "$0" "$@" 2>&1"#, ChildProcess.path(ofProgram: "atoll"), "serve"] + arguments)
  }

  /// A server that listens, its address, and its output.
  private func start(
    _ more: String...
  ) throws -> (process: ChildProcess, address: ServerAddress, greeting: String) {
    let process = try atoll(
      ["--dir", folder.path(of: "server"), "--log-level", "error", "--port", "0"] + more)
    var greeting = ""
    while !greeting.contains("Ctrl-C") { greeting += try process.receive() + "\n" }
    let url = try #require(greeting.firstMatch(of: /https?:\/\/[0-9.]+:[0-9]+/))
    return (process, try ServerAddress(String(url.0)), greeting)
  }

  /// The output of a command that cannot start, and its exit status.
  private func failure(_ arguments: String...) throws -> (words: String, status: Int32?) {
    let process = try atoll(arguments)
    var words = ""
    while let line = try? process.receive() { words += line + "\n" }
    guard case .status(let status) = process.waitForEnd() else { return (words, nil) }
    return (words, status)
  }

  @Test func aServerSaysWhereItListensAndWhatToDo() async throws {
    let (process, address, greeting) = try start("--development")
    #expect(greeting.contains("Development mode"))
    #expect(greeting.contains(#"AppConfiguration(baseURL: "\#(address)")"#))
    #expect(try await HTTPClient(address).send("GET", "/health").status == 200)
    #expect(try await HTTPClient(address).send("GET", "/metrics").status == 404)
    let metrics = try #require(greeting.firstMatch(of: /Metrics on (.*)\/metrics/))
    let operators = HTTPClient(try ServerAddress(String(metrics.1)))
    #expect(operators.address.host == "127.0.0.1" && operators.address.port != address.port)
    #expect(try await operators.send("GET", "/metrics").status == 200)
    #expect(try await operators.send("GET", "/health").status == 200)
    let login = try await LoginClient(address, appID: "app").login(.anonymous)
    #expect(!login.userID.isEmpty)
    process.kill()
    // Killed, it leaves a folder that the next one uses.
    let again = try start("--development")
    _ = try await LoginClient(again.address, appID: "app").refresh(login.refreshToken)
  }

  @Test func aServerWithACertificateReadsItAgainAfterAHangup() async throws {
    let (certificate, key) = try TestCertificates.write(
      TestCertificates.server, TestCertificates.serverKey, in: folder)
    let authority = try TestCertificates.write(
      TestCertificates.authority, to: "authority.pem", in: folder)
    let (process, address, greeting) = try start(
      "--development", "--certificate", certificate, "--key", key)
    defer { process.kill() }
    #expect(address.isSecure && greeting.contains("https://"))
    let client = HTTPClient(address, trust: .authorities(path: authority))
    #expect(try await client.send("GET", "/health").status == 200)
    try TestCertificates.write(
      TestCertificates.otherName, TestCertificates.otherNameKey, in: folder)
    kill(process.processID, SIGHUP)
    #expect(
      await eventually {
        do throws(TransportError) {
          _ = try await client.send("GET", "/health")
          return false
        } catch { return error == .tls(.otherName, address) }
      })
  }

  @Test func aCertificateThatCannotBeUsedIsNamedBeforeAnythingStarts() throws {
    let (certificate, key) = try TestCertificates.write(
      TestCertificates.server, TestCertificates.unknownKey, in: folder)
    let other = try failure(
      "--dir", folder.path(of: "server"), "--certificate", certificate, "--key", key)
    #expect(other.words.contains("is not that of the certificate") && other.status == 2)
    let alone = try failure("--dir", folder.path(of: "server"), "--certificate", certificate)
    #expect(alone.words.contains("given together") && alone.status != 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path(of: "server")))
  }

  @Test func aServerForOtherMachinesWithoutTLSSaysSo() throws {
    let words = "Connections are not encrypted"
    let open = try start("--host", "0.0.0.0")
    #expect(open.greeting.contains(words))
    open.process.kill()
    let (certificate, key) = try TestCertificates.write(
      TestCertificates.server, TestCertificates.serverKey, in: folder)
    let secure = try start("--host", "0.0.0.0", "--certificate", certificate, "--key", key)
    #expect(!secure.greeting.contains(words))
    secure.process.kill()
    #expect(!(try start().greeting.contains(words)))
  }

  @Test func withoutDevelopmentItSaysThatEverythingIsDenied() throws {
    #expect(try start().greeting.contains("Everything is denied"))
    let path = folder.path(of: "rules.yaml")
    try Data("app: app\n".utf8).write(to: URL(filePath: path))
    #expect(try start("--config", path).greeting.contains("they have no 'roles'"))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItInGoodOrder(signal: Int32) async throws {
    let (process, address, _) = try start("--development")
    let login = try await LoginClient(address, appID: "app").login(.anonymous)
    let inbox = FrameInbox()
    try await WebSocketConnector(address, random: { 1 }) { _ in login.accessToken }.connect(inbox)
    kill(process.processID, signal)
    #expect(await inbox.ended() == .goingAway)
    #expect(process.waitForEnd() == .status(0))
  }

  @Test func aHangupMakesItReadTheConfigurationAgain() async throws {
    let path = folder.path(of: "rules.yaml")
    func write(_ text: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
    try write("app: app\n")
    let (process, address, _) = try start("--config", path)
    let client = LoginClient(address, appID: "app")
    _ = try await client.login(.anonymous)
    try write("app: app\nlogin: {password: true}\n")
    kill(process.processID, SIGHUP)
    #expect(
      await eventually {
        do throws(TransportError) { _ = try await client.login(.anonymous) } catch {
          return true
        }
        return false
      })
    // An invalid one is reported with its line, and the rules before it stay.
    try write("app: app\nlogin: {anonymous: true}\nroles: 7\n")
    kill(process.processID, SIGHUP)
    let line = try process.receive()
    #expect(line.contains("cannot be taken over") && line.contains("rules.yaml:3:"), "\(line)")
    await #expect(throws: TransportError.self) { _ = try await client.login(.anonymous) }
    kill(process.processID, SIGTERM)
    #expect(process.waitForEnd() == .status(0))
  }

  @Test func aFolderOrPortThatIsTakenIsASentence() throws {
    let (process, address, _) = try start("--development")
    let sameFolder = try failure("--dir", folder.path(of: "server"), "--port", "0")
    #expect(sameFolder.status == 1)
    #expect(sameFolder.words.contains("another server (process \(process.processID)) uses"))
    let samePort = try failure("--dir", folder.path(of: "other"), "--port", "\(address.port)")
    #expect(samePort.status == 1)
    #expect(samePort.words.contains("another program listens on 127.0.0.1:\(address.port)"))
    #expect(samePort.words.contains("--port"))
    let sameMetricsPort = try failure(
      "--dir", folder.path(of: "other"), "--port", "0", "--metrics-port", "\(address.port)")
    #expect(sameMetricsPort.status == 1)
    #expect(sameMetricsPort.words.contains("another program listens on 127.0.0.1:\(address.port)"))
    #expect(sameMetricsPort.words.contains("--metrics-port"))
    // What it had begun to listen on is free again, and so is the folder.
    let badHost = try failure(
      "--dir", folder.path(of: "other"), "--port", "0", "--metrics-host", "192.0.2.1")
    #expect(badHost.status == 1)
    #expect(badHost.words.contains("cannot listen on 192.0.2.1:0 for /health and /metrics"))
  }

  @Test func aFolderThatIsNoStoreIsASentence() throws {
    let letter = folder.path(of: "letter.txt")
    try Data("hello".utf8).write(to: URL(filePath: letter))
    let other = try failure("--dir", folder.path, "--port", "0")
    #expect(other.status == 1)
    #expect(other.words.contains("holds other files"))
    let file = try failure("--dir", letter, "--port", "0")
    #expect(file.status == 1)
    #expect(file.words.contains("is a file"))
  }

  @Test func badOptionsAreUsage() throws {
    #expect(try failure().status == 2)
    #expect(try failure("--dir", "").status == 2)
    #expect(try failure("--dir", "d", "--port", "65536").status == 2)
    #expect(try failure("--dir", "d", "--port=-1").status == 2)
    #expect(try failure("--dir", "d", "--metrics-port", "65536").status == 2)
    let last = try failure("--dir", "d", "--port", "65535")
    #expect(last.status == 2 && last.words.contains("--metrics-port is needed"), "\(last.words)")
    #expect(try failure("--dir", "d", "--log-level", "loud").status == 2)
    let path = folder.path(of: "s")
    #expect(try failure("--dir", path, "--development", "--host", "0.0.0.0").status == 2)
  }

  @Test(arguments: [
    ("app: a\nrole: {}\n", "server.yaml:2:"),
    ("app: a\nclasses: {A: {key: b}}\n", "server.yaml:2:"),
    ("app: a\nroles: {Task: [{name: x, read: true}]}\n", "no class 'Task'"),
    ("login: {password: true}\n", "no app yet"),
    ("app: a\nclasses:\n  A: {key: b, properties: {b: int, c: objectid}}\n", "server.yaml:3:"),
    ("app: a\nclasses:\n  A: {key: b, properties: {b: int, c: Number}}\n", "mean 'double'?"),
  ])
  func aConfigurationThatCannotBeIsUsageAndWritesNothing(text: String, words: String) throws {
    let server = folder.path(of: "server")
    try FileManager.default.createDirectory(atPath: server, withIntermediateDirectories: true)
    let path = folder.path(of: "server/server.yaml")
    try Data(text.utf8).write(to: URL(filePath: path))
    let refused = try failure("--dir", server, "--port", "0")
    #expect(refused.status == 2)
    #expect(refused.words.contains(words), "\(refused.words)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: server) == ["server.yaml"])
    let elsewhere = try failure("--dir", folder.path(of: "new"), "--port", "0", "--config", path)
    #expect(elsewhere.status == 2)
    #expect(!FileManager.default.fileExists(atPath: folder.path(of: "new")))
  }

  @Test func aConfigurationThatIsRefusedBindsNoFolderToItsApp() throws {
    let server = folder.path(of: "server")
    let (first, _, _) = try start()
    kill(first.processID, SIGTERM)
    #expect(first.waitForEnd() == .status(0))
    let path = folder.path(of: "rules.yaml")
    func write(_ text: String) throws {
      try Data(text.utf8).write(to: URL(filePath: path))
    }
    let bad = "roles: {None: [{name: x, read: true}]}\n"
    try write("app: a\n" + bad)
    #expect(try failure("--dir", server, "--port", "0", "--config", path).status == 2)
    // A running server that has no app yet is the same.
    let (second, _, _) = try start()
    try write("app: b\n" + bad)
    try FileManager.default.copyItem(
      atPath: path, toPath: folder.path(of: "server/server.yaml"))
    kill(second.processID, SIGHUP)
    let line = try second.receive()
    #expect(line.contains("cannot be taken over") && line.contains("no class 'None'"), "\(line)")
    kill(second.processID, SIGTERM)
    #expect(second.waitForEnd() == .status(0))
    try write("app: c\n")
    #expect(try start("--config", path).greeting.contains("Rules of"))
  }

  @Test func developmentBesideRulesIsRefused() throws {
    let server = folder.path(of: "server")
    try FileManager.default.createDirectory(atPath: server, withIntermediateDirectories: true)
    try Data("app: a\n".utf8).write(to: URL(filePath: folder.path(of: "server/server.yaml")))
    let refused = try failure("--dir", server, "--port", "0", "--development")
    #expect(refused.status == 2)
    #expect(refused.words.contains("--development would allow everything"), "\(refused.words)")
  }
}
#endif
