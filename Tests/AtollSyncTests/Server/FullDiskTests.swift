import AtollCapture
import AtollObjects
import AtollStorage
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// A server whose disk is full, or nearly.
@Suite(.computing) struct FullDiskTests {
  private let all = ["TRUEPREDICATE"]

  /// What is pushed waits, is told of once, and others read on.
  @Test func whileLittleIsFreePushesWaitAndReadsGoOn() throws {
    let free = Mutex<UInt64>(1 << 40)
    let world = try ServerWorld {
      $0.freeByteCount = { free.withLock { $0 } }
      $0.bounds.reserveByteCount = 1 << 20
    }
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1, text: "first")
    try world.settle()
    free.withLock { $0 = (1 << 20) - 1 }
    world.now += 1_000
    try ann.make(2, team: 1, text: "second")
    try ann.make(3, team: 1, text: "third")
    try world.settle()
    #expect(ann.errors.map(\.code) == [.tooBusy])
    #expect(ann.errors.map(\.action) == [.report])
    #expect(ann.connection != nil)
    // A new device subscribes and reads.
    let bob = try world.device(2, user: "bob", subscribing: all)
    #expect(bob.texts == [1: "first"])
    // A large set would stay.
    let large = world.device(3, user: "bob")
    try large.connect()
    try large.subscribe((0..<500).map { "team == \($0 + 10)" })
    try world.settle()
    #expect(large.errors.map(\.code) == [.tooBusy])
    #expect(!large.state.outbox.isEmpty)
    free.withLock { $0 = 1 << 20 }
    world.now += 1_000
    try world.settle()
    #expect(bob.texts == [1: "first", 2: "second", 3: "third"])
    #expect(large.state.outbox.isEmpty)
    #expect(ann.state.outbox.isEmpty)
  }

  /// Another reserve counts at once.
  @Test func anotherReserveIsObeyedByTheNextTick() throws {
    let world = try ServerWorld { $0.freeByteCount = { 1 << 20 } }
    let ann = try world.device(1, user: "ann", subscribing: all)
    try ann.make(1, team: 1, text: "first")
    try world.settle()
    #expect(ann.errors.map(\.code) == [.tooBusy])
    var bounds = world.server.bounds
    bounds.reserveByteCount = 1 << 20
    world.server.setBounds(bounds)
    try world.settle()
    #expect(ann.state.outbox.isEmpty)
  }

  /// The connections end and come again; what was acknowledged is there, and nothing is twice.
  @Test func aFullDiskEndsTheConnectionsAndNotTheServer() throws {
    let disk = try SimulatedFile()
    let store = try PageStore(
      file: disk, coordinator: LocalCoordinator(path: disk.path), cacheByteCount: 1 << 20, key: nil,
      makeFileID: { [UInt8](repeating: 7, count: 16) })
    let world = try ServerWorld(store: AtollStore(Database(store: store, options: .recording)))
    let ann = try world.device(1, user: "ann", subscribing: all)
    let bob = try world.device(2, user: "bob", subscribing: all)
    try ann.make(1, team: 1, text: "first")
    try world.settle()
    disk.faults.byteCountLimit = try disk.byteCount()
    var key: Int64 = 2
    while ann.connection != nil, key < 2_000 {
      try ann.make(key, team: 1, text: String(repeating: "\(key) ", count: 500))
      try world.settle()
      key += 1
    }
    #expect(ann.connection == nil && bob.connection == nil)
    #expect(ann.errors.map(\.action) == [.retry])
    #expect(ann.errors.map(\.code) == [.tooBusy])
    #expect(ann.errors.last?.retryAfterMilliseconds == 10_000)
    let known = bob.texts
    // Still full.
    try bob.connect()
    // There is room again.
    disk.faults.byteCountLimit = nil
    if bob.connection == nil { try bob.connect() }
    try ann.connect()
    try world.settle()
    #expect(ann.state.outbox.isEmpty)
    #expect(bob.texts.count == Int(key) - 1)
    #expect(known.allSatisfy { bob.texts[$0] == $1 })
    #expect(ann.texts == bob.texts)
    #expect(world.server.version > 0)
  }
}
