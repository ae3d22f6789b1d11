import Atoll
import AtollTesting
import CoreMetrics
import Synchronization
import TestThreads
import Testing

/// A backend of swift-metrics that is none of the server's.
///
/// It knows only what every backend has to: no meters and no counters of fractions.
final class ForeignBackend: MetricsFactory {
  private final class Values: CounterHandler, RecorderHandler, TimerHandler {
    let content = Mutex<(sum: Int64, last: Double, count: Int)>((0, 0, 0))

    func increment(by amount: Int64) { content.withLock { $0.sum += amount } }
    func reset() { content.withLock { $0.sum = 0 } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
      content.withLock {
        $0.last = value
        $0.count += 1
      }
    }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
  }

  private let values = Mutex<[String: Values]>([:])
  private let made = Mutex(0)

  /// How many instruments were made.
  var madeCount: Int { made.withLock { $0 } }

  /// What was added to a counter.
  func sum(_ name: String, _ labels: String = "") -> Int64 {
    find(name, labels).content.withLock { $0.sum }
  }

  /// What was recorded last.
  func last(_ name: String) -> Double { find(name, "").content.withLock { $0.last } }

  /// How often something was recorded.
  func count(_ name: String) -> Int { find(name, "").content.withLock { $0.count } }

  private func find(_ name: String, _ labels: String) -> Values {
    values.withLock { values in
      let known = values[name + labels] ?? Values()
      values[name + labels] = known
      return known
    }
  }

  private func make(_ name: String, _ dimensions: [(String, String)]) -> Values {
    made.withLock { $0 += 1 }
    return find(name, dimensions.map { "{\($0)=\($1)}" }.joined())
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    make(label, dimensions)
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { make(label, dimensions) }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    make(label, dimensions)
  }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

/// A server in a program that has a backend of its own.
@MainActor @Suite(.waiting, .hangLimit) struct MetricsBackendTests {
  private static let rules = """
    login: {password: true, registration: true}
    classes: {Note: {key: _id, properties: {_id: objectId, text: string}}}
    roles:
      Note: [{name: all, read: true, write: text != 'secret', insert: true}]
    """

  private func add(_ text: String, _ realm: Realm) throws {
    try realm.write { realm.create(Note.self, value: ["text": text]) }
  }

  @Test func aForeignBackendCountsWhatAppsDo() async throws {
    let backend = ForeignBackend()
    let server = try await TestServer(rules: Self.rules, metrics: backend)
    let (ann, bob) = (try await server.device("ann"), try await server.device("bob"))
    let (onAnn, onBob) = (try await openNotes(ann), try await openNotes(bob))
    try await server.synchronize()
    let made = backend.madeCount
    bob.cutNetwork()
    try add("one", onAnn)
    try add("secret", onAnn)
    try add("two", onBob)
    try await server.synchronize()
    #expect(!onAnn.objects(Note.self).map(\.text).contains("secret"))
    bob.healNetwork()
    try await server.synchronize()
    onBob.refresh()
    #expect(onBob.objects(Note.self).map(\.text).sorted() == ["one", "two"])
    await server.stop()

    #expect(backend.sum("atoll_judged_changes_total", "{verdict=applied}") == 4)
    #expect(backend.sum("atoll_judged_changes_total", "{verdict=refused}") == 2)
    #expect(
      backend.sum("atoll_refused_changes_total", "{kind=push}{reason=forbidden}") == 2)
    #expect(backend.sum("atoll_logins_total", "{request=registration}{status=201}") == 2)
    #expect(backend.sum("atoll_logins_total", "{request=login}{status=200}") == 2)
    #expect(backend.sum("atoll_sessions_total") >= 3)
    #expect(backend.last("atoll_open_sessions") == 0)
    #expect(backend.last("atoll_open_connections") == 0)
    #expect(backend.count("atoll_push_duration_seconds") >= 3)
    #expect(backend.count("atoll_turn_duration_seconds") > 0)
    // All were made with the server.
    #expect(backend.madeCount == made)
  }
}
