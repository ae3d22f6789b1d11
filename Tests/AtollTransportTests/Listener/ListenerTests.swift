#if Sync
import AtollTransport
import Dispatch
import Synchronization
import TestSupport
import TestThreads
import Testing

@Suite(.waiting, .hangLimit) struct ListenerTests {
  @Test func requestsAreAnswered() async throws {
    let server = try await TestListener()
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    let health = try await client.send("GET", "/health")
    #expect(health.status == 200)
    #expect(health.body == Array("well".utf8))
    let body = Array(#"{"a":1}"#.utf8)
    #expect(try await client.send("POST", "/echo", json: body).body == body)
    #expect(try await client.send("DELETE", "/nothing").status == 204)
    let missing = try await client.send("GET", "/elsewhere")
    #expect(missing.status == 404)
    #expect(
      missing.refusal
        == .refused(.init(status: 404, code: "not-found", message: "there is no /elsewhere")))
    #expect(server.count(.requests) == 4)
    #expect(server.counts(.refusedRequests) == ["404": 1])
    await server.listener.stop()
  }

  @Test func aRequestForSyncWithoutWebSocketSaysWhatIsMissing() async throws {
    let server = try await TestListener()
    let reply = try await HTTPClient(server.address, timeoutMilliseconds: 1_800_000).send(
      "GET", "/sync", bearerToken: "good")
    #expect(reply.status == 426)
    await server.listener.stop()
  }

  /// Any web page could open connections and send requests, also to a server on this machine only.
  @Test func webPagesOfOthersAreRefused() async throws {
    let server = try await TestListener()
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    let port = server.address.port
    func health(_ headers: [String: String]) async throws -> Int {
      try await client.send("GET", "/health", headers: headers).status
    }
    for origin in [
      "http://example.org", "http://example.org:\(port)", "null", "", "http://127.0.0.1",
      "http://127.0.0.1:\(port == 1 ? 2 : 1)", "http://localhost:\(port)",
      "http://127.0.0.1:\(port)@example.org", "http://127.0.0.1:\(port), http://example.org",
    ] {
      #expect(try await health(["Origin": origin]) == 403, "\(origin)")
    }
    #expect(try await health(["Origin": "http://127.0.0.1:\(port)"]) == 200)
    #expect(try await health(["Origin": "http://localhost", "Host": "localhost"]) == 200)
    // A name that its owner lets stand for this machine.
    let name = "rebound.example.org:\(port)"
    #expect(try await health(["Origin": "http://\(name)", "Host": name]) == 403)

    let page = try #require(RawSocket(port: port))
    let answer = await page.upgrade(headers: "Origin: http://example.org\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 403"))
    #expect(server.count(.sessions) == 0)
    await server.listener.stop()
  }

  @Test func longBodiesAndHeadsAreRefused() async throws {
    var options = TestListener.patient
    options.bodyByteLimit = 1_000
    options.headByteLimit = 2_000
    let server = try await TestListener(options: options)
    let client = HTTPClient(server.address, timeoutMilliseconds: 1_800_000)
    let fits = [UInt8](repeating: 32, count: 1_000)
    #expect(try await client.send("POST", "/echo", json: fits).status == 200)
    #expect(try await client.send("POST", "/echo", json: fits + [32]).status == 413)
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<20 { await socket.send("40\r\n" + String(repeating: "x", count: 64) + "\r\n") }
    #expect(String(decoding: await socket.receive() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 413"))
    let other = try #require(RawSocket(port: server.address.port))
    await other.send("GET /health HTTP/1.1\r\nA: \(String(repeating: "x", count: 3_000))\r\n\r\n")
    #expect(await other.receiveAll() != nil)
    await server.listener.stop()
  }

  @Test func aSlowRequestIsNotWaitedFor() async throws {
    var options = TestListener.patient
    options.requestTimeoutMilliseconds = 50
    let server = try await TestListener(options: options)
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send("GET /health HT")
    #expect(await socket.receiveAll() == [])
    #expect(await eventually { server.count(.openConnections) == 0 })
    await server.listener.stop()
  }

  @Test func tooManyConnectionsAreClosedAtOnce() async throws {
    var options = TestListener.patient
    options.connectionLimit = 1
    let server = try await TestListener(options: options)
    let inbox = try await server.connect()
    let error = await transportError { () throws(TransportError) in
      _ = try await HTTPClient(server.address, timeoutMilliseconds: 1_800_000).send(
        "GET", "/health")
    }
    #expect(error != nil)
    #expect(server.counts(.refusedConnections) == ["full": 1])
    try await inbox.send([1])
    #expect(await inbox.next() == [1])
    await server.listener.stop()
  }

  @Test func aPortInUseIsATypedError() async throws {
    let server = try await TestListener()
    let port = server.address.port
    await #expect(throws: SyncListener.Failure.portInUse(host: "127.0.0.1", port: port)) {
      _ = try await TestListener(port: port)
    }
    await server.listener.stop()
  }

  @Test func stoppingTellsEveryConnection() async throws {
    let server = try await TestListener()
    let inboxes = [try await server.connect(), try await server.connect()]
    // A request that never ends, and a WebSocket that never answers the close frame.
    let slow = try #require(RawSocket(port: server.address.port))
    await slow.send("GET /health HT")
    let mute = try #require(RawSocket(port: server.address.port))
    #expect(await mute.upgrade().hasPrefix("HTTP/1.1 101"))
    #expect(await eventually { server.record.users.count == 3 })
    await server.listener.stop(timeoutMilliseconds: 200)
    for inbox in inboxes { #expect(await inbox.ended() == .goingAway) }
    #expect(server.record.isStopped)
    #expect(server.record.disconnectCount == 3)
    #expect(server.count(.openConnections) == 0)
  }

  @Test func aCoreThatFailsEndsAllConnections() async throws {
    let server = try await TestListener()
    let inboxes = [try await server.connect(), try await server.connect()]
    server.record.content.withLock { $0.failure = TransportError.malformedResponse }
    try await inboxes[0].send([1])
    for inbox in inboxes { #expect(await inbox.ended() == .internalError) }
    #expect(server.record.isStopped)
    #expect(try await server.connect().ended() == .internalError)
    await server.listener.stop()
  }

  /// Received frames were returned to the window before they were processed, so that a device could
  /// fill the server's memory.
  @Test func aBusyCoreIsReadNoFasterThanItWorks() async throws {
    var options = TestListener.patient
    options.connection.receiveWindowByteCount = 64 << 10
    let server = try await TestListener(options: options)
    server.record.content.withLock { $0.isBusy = true }
    let inbox = try await server.connect()
    let (frame, count) = ([UInt8](repeating: 1, count: 8 << 10), 256)
    let sending = Task {
      for _ in 0..<count { try await inbox.send(frame) }
    }
    #expect(await eventually { server.record.receivedByteCount >= 64 << 10 })
    try await Task.sleep(for: .seconds(1))
    // The window, and what one read brings beyond it.
    #expect(server.record.receivedByteCount < 512 << 10)
    server.record.content.withLock { $0.isBusy = false }
    for _ in 0..<count { #expect(await inbox.next() == frame) }
    try await sending.value
    await server.listener.stop()
  }

  /// Frames without contents took nothing of the window.
  @Test func emptyFramesFillTheWindowToo() async throws {
    var options = TestListener.patient
    options.connection.receiveWindowByteCount = 16 << 10
    let server = try await TestListener(options: options)
    server.record.content.withLock { $0.isBusy = true }
    let socket = try #require(RawSocket(port: server.address.port))
    #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101"))
    // While the core does this, nothing of what comes is worked off.
    let isOver = DispatchSemaphore(value: 0)
    await withCheckedContinuation { isHeld in
      server.hub.perform { _ in
        isHeld.resume()
        isOver.wait()
      }
    }
    let count = 60_000
    await socket.send(Array(repeatElement(maskedFrame([]), count: count).joined()))
    try await Task.sleep(for: .seconds(1))
    isOver.signal()
    #expect(await eventually { server.record.receivedCount == count })
    // A window has 256 of them, and one read brings some thousands beyond it.
    #expect(server.record.content.withLock { $0.turnCount } < count / 2)
    await server.listener.stop()
  }

  @Test func brokenFramesEndTheirConnectionOnly() async throws {
    var options = TestListener.patient
    options.connection.maximumFrameByteCount = 100_000
    options.connection.closeTimeoutMilliseconds = 50
    let server = try await TestListener(options: options)
    let bystander = try await server.connect()
    let frame = maskedFrame([1, 2, 3])
    let broken: [(name: String, bytes: [UInt8])] = [
      ("unmasked", [0x82, 1, 0]), ("text", maskedFrame([65], opcode: 1)),
      ("reserved bits", [0xF2] + frame.dropFirst()),
      ("reserved opcode", maskedFrame([], opcode: 3)),
      ("continuation of nothing", maskedFrame([1], opcode: 0)),
      ("begun twice", maskedFrame([1], isFinal: false) + frame),
      ("long control frame", maskedFrame([UInt8](repeating: 0, count: 126), opcode: 9)),
      ("control frame in parts", maskedFrame([1], opcode: 9, isFinal: false)),
      ("long", maskedFrame([UInt8](repeating: 0, count: 100_001))),
      ("longest", [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0]),
      (
        "long in parts",
        maskedFrame([UInt8](repeating: 0, count: 99_000), isFinal: false)
          + maskedFrame([UInt8](repeating: 0, count: 2_000), opcode: 0)
      ),
      ("close without a code", maskedFrame([], opcode: 8)),
      ("close with half a code", maskedFrame([3], opcode: 8)),
      ("close with any code", maskedFrame([0xFF, 0xFF, 0xFF], opcode: 8)),
    ]
    for (name, bytes) in broken {
      let socket = try #require(RawSocket(port: server.address.port))
      #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101"))
      await socket.send(bytes)
      #expect(await socket.receiveAll() != nil, "\(name) did not end the connection")
    }
    #expect(server.record.receivedCount == 0)
    // Truncated: the client goes in the middle of a frame.
    for length in 1..<frame.count {
      let socket = try #require(RawSocket(port: server.address.port))
      #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101"))
      await socket.send(Array(frame[..<length]))
    }
    #expect(await eventually { server.count(.openSessions) == 1 })
    try await bystander.send([9])
    #expect(await bystander.next() == [9])
    await server.listener.stop()
  }

  @Test func messagesInPartsArePutTogether() async throws {
    let server = try await TestListener()
    let socket = try #require(RawSocket(port: server.address.port))
    #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101"))
    await socket.send(
      maskedFrame([1, 2], isFinal: false) + maskedFrame([7], opcode: 9)
        + maskedFrame([3], opcode: 0, isFinal: false) + maskedFrame([4], opcode: 0))
    var received: [UInt8] = []
    while received.count < 9, let bytes = await socket.receive(), !bytes.isEmpty {
      received += bytes
    }
    // The answer to the ping, then the echo.
    #expect(received == [0x8A, 1, 7, 0x82, 4, 1, 2, 3, 4])
    await server.listener.stop()
  }

  @Test func randomBytesTrapNothing() async throws {
    var options = TestListener.patient
    options.connection.closeTimeoutMilliseconds = 20
    let server = try await TestListener(options: options)
    var random = SplitMix64(seed: 7)
    for round in 0..<200 {
      let socket = try #require(RawSocket(port: server.address.port))
      if round % 2 == 0 { #expect(await socket.upgrade().hasPrefix("HTTP/1.1 101")) }
      let count = Int(random.next() % 300)
      var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // Half of them begin like a good frame.
      if round % 4 == 0 { bytes = maskedFrame(Array(bytes.prefix(9))) + bytes }
      await socket.send(bytes)
    }
    #expect(await eventually { server.count(.openConnections) == 0 })
    let health = try await HTTPClient(server.address, timeoutMilliseconds: 1_800_000).send(
      "GET", "/health")
    #expect(health.status == 200)
    await server.listener.stop()
  }
}
#endif
