#if Sync
import AtollStorage
import AtollTransport
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// `atoll users`, a process of its own beside a server.
@Suite(.waiting, .hangLimit) struct UsersCommandTests {
  private static let ada = LoginClient.Identity.emailPassword(
    email: "ada@example.com", password: "a long password")

  private struct Outcome: Equatable {
    var output: String
    var status: Int32?
  }

  private func users(
    of folder: String, _ arguments: [String], input: String = ""
  ) throws -> Outcome {
    let process = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"input=$1; shift; printf '%s\nmore\n' "$input" | "$0" users "$@" 2>&1"#,
        ChildProcess.path(ofProgram: "atoll"), input,
      ] + arguments + ["--dir", folder])
    var output = ""
    while let line = try? process.receive() { output += line + "\n" }
    guard case .status(let status) = process.waitForEnd() else {
      return Outcome(output: output, status: nil)
    }
    return Outcome(output: output, status: status)
  }

  private func users(
    _ server: TestService, _ arguments: String..., input: String = ""
  ) throws -> Outcome {
    try users(of: server.folder.path(of: "server"), arguments, input: input)
  }

  /// A server whose clock is that of the command.
  private func start(_ login: String) async throws -> TestService {
    try await TestService(configuration: "app: app-1\nlogin: \(login)\n") { options in
      options.now = SystemCalls.millisecondsSince1970
    }
  }

  private func code(
    _ body: () async throws(TransportError) -> Void
  ) async -> String? { await refusal(body)?.code }

  @Test func anAccountIsMadeWhereRegistrationIsClosed() async throws {
    let server = try await start("{password: true}")
    let client = server.client()
    let closed = await code { () throws(TransportError) in
      try await client.register(email: "ada@example.com", password: "a long password")
    }
    #expect(closed == "provider-disabled")
    let added = try users(server, "add", "ada@example.com", input: "a long password")
    #expect(added.status == 0, "\(added.output)")
    let login = try await client.login(Self.ada)
    #expect(added.output.contains(login.userID))
    let twice = try users(server, "add", "Ada@example.com", input: "another password")
    #expect(twice.output.contains("there is an account") && twice.status == 2)
    let short = try users(server, "add", "bob@example.com", input: "short")
    #expect(short.output.contains("from 6 to 128 characters") && short.status == 2)
    await server.service.stop()
  }

  @Test func theListHasAllUsers() async throws {
    let server = try await start("{password: true, registration: true, anonymous: true}")
    let client = server.client()
    try await client.register(email: "ada@example.com", password: "a long password")
    let ada = try await client.login(Self.ada)
    _ = try await client.login(Self.ada)
    let guest = try await client.login(.anonymous)
    try await client.logOut(guest.refreshToken)
    _ = try users(server, "disable", guest.userID)
    let lines = try users(server, "list", "--json").output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["id"] as? String } == [ada.userID, guest.userID])
    #expect(lines.map { $0["logIns"] as? [String] } == [["local-userpass:ada@example.com"], []])
    #expect(lines.map { $0["openLogIns"] as? Int } == [2, 0])
    #expect(lines.map { $0["isDisabled"] as? Bool } == [false, true])
    let table = try users(server)
    #expect(table.status == 0)
    for words in ["log-in", ada.userID, "anonymous", "disabled"] {
      #expect(table.output.contains(words), "\(table.output)")
    }
    await server.service.stop()
  }

  @Test func aDisabledUserIsCutOffAndRefusedUntilEnabled() async throws {
    let server = try await start("{password: true, registration: true, anonymous: true}")
    let client = server.client()
    try await client.register(email: "ada@example.com", password: "a long password")
    let (ada, guest) = (try await client.login(Self.ada), try await client.login(.anonymous))
    let inbox = try await server.connect(token: ada.accessToken)
    let bystander = try await server.connect(token: guest.accessToken)
    let disabled = try users(server, "disable", "ada@example.com")
    #expect(disabled.output.contains("1 log-in was ended"), "\(disabled.output)")
    #expect(await inbox.ended() == .tokenExpired)
    let attempts = [
      await code { () throws(TransportError) in
        _ = try await server.connect(token: ada.accessToken)
      },
      await code { () throws(TransportError) in _ = try await client.refresh(ada.refreshToken) },
      await code { () throws(TransportError) in _ = try await client.login(Self.ada) },
    ]
    #expect(attempts == ["token-expired", "session-ended", "user-disabled"])
    try await bystander.send([1])
    #expect(await bystander.next() != nil)
    #expect(try users(server, "enable", ada.userID).status == 0)
    #expect(try await client.login(Self.ada).userID == ada.userID)
    await server.service.stop()
  }

  @Test func aNewPasswordEndsWhatTheOldOneBegan() async throws {
    let server = try await start("{password: true, registration: true}")
    let client = server.client()
    try await client.register(email: "ada@example.com", password: "a long password")
    let login = try await client.login(Self.ada)
    let inbox = try await server.connect(token: login.accessToken)
    let set = try users(
      server, "set-password", "ADA@example.com", "--json", input: "another password")
    #expect(set.output == "{\"id\":\"\(login.userID)\",\"endedLogIns\":1}\n")
    #expect(await inbox.ended() == .tokenExpired)
    let old = await code { () throws(TransportError) in _ = try await client.login(Self.ada) }
    #expect(old == "invalid-credentials")
    let new = try await client.login(
      .emailPassword(email: "ada@example.com", password: "another password"))
    #expect(new.userID == login.userID)
    await server.service.stop()
  }

  @Test func aLogOutEndsAllLogInsAndADeletionTheUser() async throws {
    let server = try await start("{password: true, registration: true}")
    let client = server.client()
    try await client.register(email: "ada@example.com", password: "a long password")
    let (first, second) = (try await client.login(Self.ada), try await client.login(Self.ada))
    let loggedOut = try users(server, "log-out", "ada@example.com")
    #expect(loggedOut.output.contains("2 log-ins were ended"), "\(loggedOut.output)")
    for login in [first, second] {
      let refreshed = await code { () throws(TransportError) in
        _ = try await client.refresh(login.refreshToken)
      }
      #expect(refreshed == "session-ended")
    }
    let again = try await client.login(Self.ada)
    #expect(again.userID == first.userID)
    let inbox = try await server.connect(token: again.accessToken)
    #expect(try users(server, "delete", "ada@example.com").status == 0)
    #expect(await inbox.ended() == .tokenExpired)
    let deleted = await code { () throws(TransportError) in _ = try await client.login(Self.ada) }
    #expect(deleted == "invalid-credentials")
    #expect(try users(server, "list", "--json").output.isEmpty)
    // The address is free again, for another user.
    try await client.register(email: "ada@example.com", password: "a long password")
    #expect(try await client.login(Self.ada).userID != first.userID)
    await server.service.stop()
  }

  @Test func aLogInIsTakenFromAUserWhoHasOthers() async throws {
    let server = try await start("{password: true, registration: true, anonymous: true}")
    let client = server.client()
    let guest = try await client.login(.anonymous)
    let none = try users(server, "unlink", guest.userID)
    #expect(none.output.contains("nobody logs in as") && none.status == 2)
    try await client.register(email: "ada@example.com", password: "a long password")
    let ada = try await client.login(Self.ada)
    let inbox = try await server.connect(token: ada.accessToken)
    try ServerDirectory.withAccounts(
      of: server.folder.path(of: "server"), random: SystemCalls.randomNumber
    ) { accounts in
      try accounts.link(from: .token(issuer: "i"), name: "ada", to: ada.userID)
    }
    let taken = try users(server, "unlink", "custom-token:ada", "--json")
    #expect(taken.output == "{\"id\":\"\(ada.userID)\",\"endedLogIns\":1}\n")
    #expect(await inbox.ended() == .tokenExpired)
    let refused = try users(server, "unlink", "ada@example.com")
    #expect(refused.output.contains("only log-in of its user") && refused.status == 2)
    #expect(try await client.login(Self.ada).userID == ada.userID)
    await server.service.stop()
  }

  @Test func whatCannotBeDoneSaysWhy() async throws {
    let server = try await start("{password: true, anonymous: true}")
    let unknown = try users(server, "disable", "nobody@example.com")
    #expect(unknown.output.contains("no user 'nobody@example.com'") && unknown.status == 2)
    let guest = try await server.client().login(.anonymous)
    let none = try users(server, "set-password", guest.userID, input: "a long password")
    #expect(none.output.contains("does not log in with a password") && none.status == 2)
    await server.service.stop()
    let elsewhere = try users(of: server.folder.path(of: "nothing"), ["list"])
    #expect(elsewhere.output.contains("start one there first") && elsewhere.status == 1)
    // Another program's database of the name is left alone.
    let other = server.folder.path(of: "other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: other + "/accounts.atoll"))
    let foreign = try users(of: other, ["add", "ada@example.com"], input: "a long password")
    #expect(foreign.output.contains("start one there first") && foreign.status == 1)
    #expect(try Data(contentsOf: URL(filePath: other + "/accounts.atoll")).isEmpty)
  }
}
#endif
