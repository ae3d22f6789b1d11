#if Sync
import TestThreads
import Testing

@testable import AtollTransport

@Suite(.computing) struct ConnectionTableTests {
  private static let one = HostKey("192.0.2.1")
  private static let two = HostKey("192.0.2.2")

  /// A table whose changes can stand in an expectation.
  private final class Table {
    var table: ConnectionTable<Int>

    init(limit: Int, reserve: Int = 0, hostLimit: Int = 10_000) {
      table = ConnectionTable(limit: limit, reserve: reserve, hostLimit: hostLimit)
    }

    func add(_ id: Int, _ host: HostKey?, isLocal: Bool = false) -> Added {
      let (refusal, closing) = table.add(id, host: host, isLocal: isLocal)
      return Added(refusal: refusal, closing: closing)
    }

    func beginSession(_ id: Int, _ host: HostKey, now: UInt64 = 0) -> Bool {
      table.beginSession(id, host: host, now: now) == nil
    }
  }

  private struct Added: Equatable {
    var refusal: ConnectionRefusal?
    var closing: [Int] = []
  }

  @Test func theOldestThatWaitMakeRoomAndNeverTheOthers() {
    let table = Table(limit: 4)
    for id in 0..<4 { #expect(table.add(id, Self.one) == Added()) }
    table.table.setAnswering(0, true)
    #expect(table.beginSession(1, Self.one))
    #expect(table.add(4, Self.two) == Added(closing: [2]))
    // A connection that waits again has kept its age.
    table.table.setAnswering(0, false)
    #expect(table.add(5, Self.two) == Added(closing: [0]))
    for id in 3...5 { table.table.setAnswering(id, true) }
    #expect(table.add(6, Self.two) == Added(refusal: .full))
    table.table.remove(1)
    #expect(table.add(6, Self.two) == Added())
  }

  @Test func aHostMakesRoomForItselfOnly() {
    let table = Table(limit: 100, hostLimit: 2)
    #expect(table.add(0, Self.two) == Added())
    #expect(table.add(1, Self.one) == Added())
    #expect(table.add(2, Self.one) == Added())
    #expect(table.add(3, Self.one) == Added(closing: [1]))
    #expect(table.beginSession(2, Self.one) && table.beginSession(3, Self.one))
    #expect(table.add(4, Self.one) == Added(refusal: .host))
    #expect(table.add(5, Self.two) == Added())
    // Those of a proxy count for nobody until they are sessions, and then for who opened them.
    for id in 6..<20 { #expect(table.add(id, nil) == Added()) }
    #expect(!table.beginSession(6, Self.one))
    #expect(table.beginSession(7, HostKey("192.0.2.3")))
    table.table.remove(2)
    #expect(table.beginSession(6, Self.one))
    #expect(!table.beginSession(8, Self.one))
    table.table.hostLimit = 3
    #expect(table.beginSession(8, Self.one))
    // One that made room is gone, whatever it does meanwhile.
    #expect(!table.beginSession(1, Self.one))
  }

  /// Each costs the core far more than one that is open.
  @Test func aHostBeginsSoManySessionsInAMinute() {
    let table = Table(limit: 100, hostLimit: 10)
    func begin(_ host: HostKey, now: UInt64) -> Bool {
      _ = table.add(0, host)
      defer { table.table.remove(0) }
      return table.beginSession(0, host, now: now)
    }
    for _ in 0..<20 { #expect(begin(Self.one, now: 5)) }
    #expect(!begin(Self.one, now: 5))
    _ = table.add(0, Self.one)
    #expect(
      table.table.beginSession(0, host: Self.one, now: 5) == .tooFast(milliseconds: 3_000))
    table.table.remove(0)
    #expect(begin(Self.two, now: 5))
    #expect(!begin(Self.one, now: 3_004))
    #expect(begin(Self.one, now: 3_005))
    #expect(!begin(Self.one, now: 3_005))
    // One that found no room has begun none.
    let full = Table(limit: 100, hostLimit: 1)
    _ = full.add(1, Self.one)
    for id in 2..<30 { _ = full.add(id, nil) }
    for id in 2..<30 {
      #expect(full.table.beginSession(id, host: Self.one, now: 0) == .noRoom)
    }
    #expect(full.beginSession(1, Self.one))
    // Other settings begin a new count.
    table.table.hostLimit = 11
    #expect(begin(Self.one, now: 3_005))
    table.table.hostLimit = .max
    #expect(begin(Self.one, now: 3_005))
  }

  @Test func theReserveIsForThisMachine() {
    let table = Table(limit: 4, reserve: 2)
    for id in 0..<2 {
      #expect(table.add(id, Self.one) == Added())
      table.table.setAnswering(id, true)
    }
    #expect(table.add(2, Self.one) == Added(refusal: .full))
    #expect(table.add(3, Self.two, isLocal: true) == Added())
    // An operator's connection makes no room for others.
    #expect(table.add(4, Self.one) == Added(refusal: .full))
    #expect(table.add(5, Self.two, isLocal: true) == Added())
    #expect(table.add(6, Self.two, isLocal: true) == Added(closing: [3]))
  }

  @Test func aFloodLooksThroughTheTableNowAndThenOnly() {
    let table = Table(limit: 3_200)
    for id in 0..<3_200 { #expect(table.add(id, Self.one) == Added()) }
    #expect(table.add(-1, Self.two) == Added(closing: Array(0..<100)))
    #expect(table.add(-2, Self.two) == Added())
    #expect(table.table.makeRoom() == Array(100..<200))
  }

  @Test func whereDescriptorsAreFewTheOlderHalfMakesRoom() {
    let table = Table(limit: 3_200)
    for id in 0..<6 { #expect(table.add(id, Self.one) == Added()) }
    table.table.setAnswering(1, true)
    #expect(table.table.makeRoom() == [0, 2])
    #expect(table.table.makeRoom() == [3])
    #expect(table.table.makeRoom() == [4])
    #expect(table.table.makeRoom() == [])
  }
}
#endif
