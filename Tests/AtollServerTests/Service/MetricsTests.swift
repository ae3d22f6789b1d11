#if Sync
import AtollObjects
import AtollTransport
import CoreMetrics
import Logging
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// What `/metrics` says, compared with what was done.
@Suite(.waiting, .hangLimit) struct MetricsTests {
  private static func read(_ service: SyncService) async throws -> PrometheusExposition {
    let client = HTTPClient(
      try #require(service.metricsAddress), timeoutMilliseconds: 1_800_000)
    let reply = try await client.send("GET", "/metrics")
    #expect(reply.status == 200 && reply.contentType == "text/plain; version=0.0.4")
    return try PrometheusExposition(String(decoding: reply.body, as: UTF8.self))
  }

  // MARK: Devices

  /// A server whose core is the real one.
  private struct World {
    let service: SyncService

    init(_ folder: TemporaryFolder, metrics: (any MetricsFactory)? = nil) throws {
      var options = TestService.options(folder)
      options.metricsPort = 0
      options.metrics = metrics
      options.configuration = try ServerConfiguration(
        yaml: """
          app: app
          login: {anonymous: true}
          classes: {Task: {key: _id, properties: {_id: int, name: string}}}
          roles:
            Task: [{name: all, read: true, write: name != 'secret', insert: true}]
          """, path: "server.yaml")
      service = try SyncService.start(
        options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { error in Issue.record("the core failed: \(error)") }
    }

    func token() async throws -> String {
      try await LoginClient(service.address, appID: "app").login(.anonymous).accessToken
    }

    func device(seed: UInt64) async throws -> NetworkDevice {
      let (token, random) = (try await token(), TestRandom(seed: seed))
      return try NetworkDevice(
        WebSocketConnector(service.address, random: random.next) { _ in token }, random: random)
    }
  }

  /// Two devices write, one is refused, and two strangers come: one whose message is none, and one
  /// without a token.
  private func act(in world: World) async throws {
    let (ann, bob) = (try await world.device(seed: 100), try await world.device(seed: 200))
    for key: Int64 in 1...3 { try ann.write(key, "task \(key)") }
    #expect(await eventually { (try? bob.tasks.count) == 3 })
    try bob.write(4, "secret")
    #expect(await eventually { (try? bob.tasks.count) == 3 })
    // Behind it, so that it was judged.
    try bob.write(5, "open")
    #expect(await eventually { (try? ann.tasks.count) == 4 })
    #expect(try ann.tasks[4] == nil)
    #expect(await eventually { (try? bob.tasks.count) == 4 })
    await ann.end()
    await bob.end()

    let inbox = FrameInbox()
    let token = try await world.token()
    try await WebSocketConnector(world.service.address, random: TestRandom().next) { _ in token }
      .connect(inbox)
    try await inbox.send([0, 1, 2])
    #expect(await inbox.next()?.isEmpty == false)
    #expect(await inbox.ended() == .normal)
    await #expect(throws: TransportError.self) {
      try await WebSocketConnector(world.service.address, random: TestRandom().next) { _ in "no" }
        .connect(FrameInbox())
    }
  }

  @Test func theTextCountsWhatDevicesDidAndWhatWasRefused() async throws {
    let folder = TemporaryFolder()
    let world = try World(folder)
    try await act(in: world)
    #expect(
      await eventually {
        (try? await Self.read(world.service))?.value("atoll_open_sessions") == 0
      })
    let text = try await Self.read(world.service)
    #expect(
      text.values("atoll_judged_changes_total", by: "verdict") == [["applied"]: 8, ["refused"]: 2])
    #expect(
      text.values("atoll_refused_changes_total", by: "kind", "reason")
        == [["push", "forbidden"]: 2])
    // A device under load may have connected twice, and has sent again then.
    let received = text.values("atoll_received_messages_total", by: "kind")
    let sessions = try #require(text.value("atoll_sessions_total"))
    #expect(sessions >= 3)
    #expect(received[["hello"]] == sessions - 1 && received[["malformed"]] == 1)
    let pushes = try #require(received[["push"]])
    let answered = try #require(text.value("atoll_push_duration_seconds_count"))
    #expect(pushes >= 5 && 5...pushes ~= answered)
    #expect(
      text.value("atoll_received_message_bytes_count") == received.values.reduce(0, +))
    // No message here has two frames.
    #expect(
      text.value("atoll_received_message_bytes_sum") == text.value("atoll_received_bytes_total"))
    #expect(
      text.value("atoll_received_frames_total") == received.values.reduce(0, +))
    let taken = try #require(text.value("atoll_message_wait_seconds_count"))
    let toTake = ["hello", "schema", "sets", "push", "confirm", "mark", "verify"]
      .compactMap { received[[$0]] }.reduce(0, +)
    #expect(pushes...toTake ~= taken)
    #expect(text.value("atoll_held_bytes") == 0 && text.value("atoll_waiting_messages") == 0)
    #expect(text.values("atoll_sent_errors_total", by: "code") == [["malformed_message"]: 1])
    let closed = text.values("atoll_closed_sessions_total", by: "reason")
    #expect(closed.values.reduce(0, +) == sessions && closed[["normal"]] != nil)
    #expect(
      text.values("atoll_logins_total", by: "request", "status") == [["login", "200"]: 3])
    // A refused token is asked for once more.
    #expect(text.values("atoll_refused_requests_total", by: "status") == [["401"]: 2])
    #expect(text.value("atoll_requests_total") == 5)
    #expect(try #require(text.value("atoll_turn_duration_seconds_sum")) > 0)
    await world.service.stop()
  }

  /// Both have the same values.
  @Test func aBackendThatIsGivenCountsBesideTheText() async throws {
    let (folder, given) = (TemporaryFolder(), PrometheusMetrics(ServerMetric.all))
    let world = try World(folder, metrics: given)
    try await act(in: world)
    await world.service.stop()
    let text = try PrometheusExposition(given.text)
    #expect(
      text.values("atoll_judged_changes_total", by: "verdict") == [["applied"]: 8, ["refused"]: 2])
    #expect(
      text.values("atoll_logins_total", by: "request", "status") == [["login", "200"]: 3])
    #expect(text.value("atoll_open_connections") == 0)
  }

  // MARK: Log-ins

  @Test func logInsAreCountedByTheirAnswers() async throws {
    let (hashes, queue) = (HeldHashes(), PasswordQueue(workerCount: 1, waitingLimit: 1))
    let server = try await TestService { options in
      options.accounts.matches = hashes.matches
      options.passwords = queue
    }
    let client = server.client()
    func logIn(_ password: String) async throws -> LoginClient.Login {
      try await client.login(.emailPassword(email: "a@b.c", password: password))
    }
    try await client.register(email: "a@b.c", password: "secret")
    _ = await refusal { () throws(TransportError) in
      try await client.register(email: "a@b.c", password: "secret")
    }
    // One is compared, one waits, and three find no place.
    let first = Task { try await logIn("secret") }
    #expect(await eventually { hashes.begunCount == 1 })
    let second = Task { try await logIn("secret") }
    #expect(await eventually { queue.waitingCount == 1 })
    for _ in 0..<3 { await #expect(throws: TransportError.self) { _ = try await logIn("secret") } }
    hashes.release()
    _ = try await (first.value, second.value)
    for _ in 0..<12 { await #expect(throws: TransportError.self) { _ = try await logIn("wrong") } }
    let login = try await client.login(.anonymous)
    _ = try await client.refresh(login.refreshToken)
    _ = await refusal { () throws(TransportError) in _ = try await client.refresh("nothing") }
    let text = try await Self.read(server.service)
    #expect(
      text.values("atoll_logins_total", by: "request", "status") == [
        ["login", "200"]: 3, ["login", "401"]: 10, ["login", "429"]: 2, ["login", "503"]: 3,
        ["registration", "201"]: 1, ["registration", "409"]: 1, ["refresh", "200"]: 1,
        ["refresh", "401"]: 1,
      ])
    // Of these, too, each kind was there from the start.
    #expect(text.value("atoll_logins_total", ["request": "refresh", "status": "503"]) == 0)
    await server.service.stop()
  }

  // MARK: The page

  private struct Row: Hashable {
    let name: String
    let kind: String
    let labels: [String]
    let help: String

    init(_ metric: ServerMetric) {
      name = metric.name
      kind = metric.kind.rawValue
      labels = metric.labels.sorted()
      help = metric.help
    }

    /// What a text has; of the labels of a histogram those that are not of its buckets.
    init(_ family: PrometheusExposition.Family) {
      let labels = family.samples.reduce(into: Set<String>()) { $0.formUnion($1.labels.keys) }
      name = family.name
      kind = family.type
      self.labels = labels.subtracting(["le"]).sorted()
      help = family.help
    }

    /// A line of the page's table; nil for any other.
    init?(_ line: Substring) {
      guard line.hasPrefix("| `atoll_") else { return nil }
      let cells = line.split(separator: "|").map { cell in
        cell.split(separator: " ").joined(separator: " ")
      }
      guard cells.count == 4 else { return nil }
      name = cells[0].replacing("`", with: "")
      kind = cells[1]
      labels = cells[2].split(separator: ", ").map { String($0.replacing("`", with: "")) }.sorted()
      help = cells[3]
    }
  }

  /// The table of the page, the catalogue and the text of a server have the same metrics, in the
  /// same order, with the same labels and sentences.
  @Test func thePageListsAllMetrics() async throws {
    let folder = TemporaryFolder()
    let known = ServerMetric.all.map { Row($0) }
    #expect(Set(known.map(\.name)).count == known.count)
    let page = try GoldenFiles.text("Sources/Atoll/Atoll.docc/RunAServer.md")
    #expect(page.split(separator: "\n").compactMap { Row($0) } == known)
    let world = try World(folder)
    let text = try await Self.read(world.service)
    #expect(text.families.map { Row($0) } == known)
    for metric in ServerMetric.all where metric.kind == .histogram {
      #expect(metric.name.hasSuffix("_seconds") || metric.name.hasSuffix("_bytes"))
    }
    await world.service.stop()
  }
}
#endif
