#if Sync
import AtollTransport
import Synchronization
import TestThreads
import Testing

/// Requests whose connections are closed before they are answered.
@Suite(.waiting, .hangLimit) struct GoneRequestTests {
  /// Takes as long as nobody cancels it.
  private final class SlowResponder: HTTPResponder {
    let begunCount = Mutex(0)
    let cancelledCount = Mutex(0)

    func respond(to request: HTTPRequest) async -> HTTPReply {
      begunCount.withLock { $0 += 1 }
      try? await Task.sleep(for: .seconds(86_400))
      cancelledCount.withLock { $0 += 1 }
      return HTTPReply(status: 204)
    }

    func admit(_ request: HTTPRequest) -> SyncAdmission {
      .refused(HTTPReply(refusing: 401, "invalid-token", "nobody is admitted"))
    }
  }

  /// The work for a request that nobody waited for any more was done all the same.
  @Test func theirWorkIsCancelled() async throws {
    let responder = SlowResponder()
    let server = try await TestListener(responder: responder)
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send("GET /slow HTTP/1.1\r\n\r\n")
    #expect(await eventually { responder.begunCount.withLock { $0 } == 1 })
    #expect(responder.cancelledCount.withLock { $0 } == 0)
    socket.end()
    #expect(await eventually { responder.cancelledCount.withLock { $0 } == 1 })
    await server.listener.stop()
  }

  @Test func theEndOfTheListenerCancelsThem() async throws {
    let responder = SlowResponder()
    let server = try await TestListener(responder: responder)
    let socket = try #require(RawSocket(port: server.address.port))
    await socket.send("GET /slow HTTP/1.1\r\n\r\n")
    #expect(await eventually { responder.begunCount.withLock { $0 } == 1 })
    await server.listener.stop()
    #expect(await eventually { responder.cancelledCount.withLock { $0 } == 1 })
  }
}
#endif
