import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// A set is narrowed without a network, and then an object is edited that the new set does not ask
/// for.
@Suite(.computing) struct NarrowedSetTests {
  private let world: SyncWorld
  private let writer: SyncWorld.Peer
  private let peer: SyncWorld.Peer
  private let folder = TemporaryFolder()

  init() throws {
    world = try SyncWorld(seed: 9)
    writer = try world.addPeer()
    peer = try world.addPeer()
    for peer in world.peers { try Self.subscribe(peer, "TRUEPREDICATE", id: 1) }
    try writer.device.database.write { transaction in
      for id in [1, 2] as [Int64] {
        try transaction.create("Task", ["_id": .int(id), "minutes": .int(id)])
      }
    }
    try world.settle()
    for peer in world.peers { world.drop(peer) }
  }

  private static func subscribe(_ peer: SyncWorld.Peer, _ query: String, id: UInt32) throws {
    try peer.device.database.write { transaction in
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
      ) { ObjectID(seconds: 1, random: 1, counter: id) }
      editor.removeAll()
      editor.add("Task", query: query)
      try editor.save(in: transaction)
    }
  }

  /// Tells how often edits were reported, and how many each time.
  private func reports(_ peer: SyncWorld.Peer) -> [Int] {
    peer.device.client.takeEvents().compactMap { event in
      if case .inboxGrew(let ids) = event { ids.count } else { nil }
    }
  }

  /// Accepts the edit, as the device held the object at its confirmed cursor.
  ///
  /// Promise: refusals.heldAtCursor.
  @Test func anEditOfWhatTheDeviceHeldIsAccepted() throws {
    try Self.subscribe(peer, "minutes == 1", id: 2)
    try peer.device.set(2, "taskName", .string("edited"))
    try world.settle()
    #expect(try writer.device.value(2, "taskName") == .string("edited"))
    // It leaves the device with the set.
    #expect(try peer.device.value(2, "taskName") == nil)
    #expect(reports(peer) == [])
    #expect(try Inbox.entries(peer.device.database.snapshot()) == [])
  }

  /// A file that was restored has another identity, of which the server does not know what it held:
  /// the sets decide.
  ///
  /// Promise: refusals.heldUnknown.
  @Test func anEditUnderAnotherIdentityIsJudgedByTheSets() throws {
    let path = folder.path(of: "backup")
    try peer.device.database.writeCompactCopy(to: path)
    // The file goes on, so that the backup is behind it.
    try peer.device.set(1, "taskName", .string("first"))
    try world.settle()
    world.remove(peer)
    let restored = try world.addPeer(copyOf: peer, at: path)
    try Self.subscribe(restored, "minutes == 1", id: 2)
    try restored.device.set(1, "assignee", .string("kept"))
    try restored.device.set(2, "taskName", .string("refused"))
    let old = try restored.device.state.clientID
    try world.connect(restored)
    for _ in 0..<10 where restored.connection != nil {
      while world.deliverUp(restored) {}
      _ = try world.advance()
      while try world.deliverDown(restored) {}
    }
    #expect(try restored.device.state.clientID != old)
    // What waits is sent after the welcome, before the data of the server has arrived.
    try world.connect(restored)
    while world.deliverUp(restored) {}
    _ = try world.advance()
    _ = try world.deliverDown(restored)
    while try world.send(restored) {}
    while world.deliverUp(restored) {}
    try world.settle()
    #expect(try writer.device.value(1, "assignee") == .string("kept"))
    #expect(try writer.device.value(2, "taskName") == .string(""))
    #expect(try restored.device.value(1, "taskName") == .string("first"))
    #expect(try restored.device.value(2, "taskName") == nil)
    #expect(reports(restored) == [1])
    let entries = try Inbox.entries(restored.device.database.snapshot())
    #expect(entries.map(\.object) == [restored.device.task(2)])
    #expect(entries.map(\.reason) == [.refused(.outsideView)])
    // And not again.
    world.drop(restored)
    try world.settle()
    #expect(reports(restored) == [])
  }
}
