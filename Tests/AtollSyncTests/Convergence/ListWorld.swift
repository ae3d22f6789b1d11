import AtollObjects
import TestSupport
import Testing

@testable import AtollSync

/// Devices that share a board with a list, and a server.
final class ListWorld {
  typealias Peer = SyncWorld.Peer

  let world: SyncWorld
  let kind: ListKind
  private let folder = TemporaryFolder()
  private var copyCount = 0
  private var subscriptionCount: UInt32 = 0

  /// The device that has made the board.
  private(set) var a: Peer
  let b: Peer

  /// Makes a board with these elements, which both devices hold; they are offline then.
  init(_ kind: ListKind, _ names: [String], cards: String = "TRUEPREDICATE") throws {
    self.kind = kind
    world = try SyncWorld(seed: 5)
    a = try world.addPeer(classes: ListKind.classes)
    b = try world.addPeer(classes: ListKind.classes)
    try subscribe(a)
    try subscribe(b, cards: cards)
    try makeBoard("board", names, on: a)
    try settle()
  }

  func subscribe(_ peer: Peer, cards: String = "TRUEPREDICATE") throws {
    var count = subscriptionCount
    try peer.device.database.write { transaction in
      var editor = try SubscriptionEditor(
        transaction, now: try #require(Timestamp(seconds: 1, nanoseconds: 0))
      ) {
        count += 1
        return ObjectID(seconds: 1, random: 1, counter: count)
      }
      editor.removeAll()
      editor.add("Board", query: "TRUEPREDICATE")
      editor.add("Card", query: cards)
      try editor.save(in: transaction)
    }
    subscriptionCount = count
  }

  func makeBoard(_ board: String, _ names: [String], on peer: Peer) throws {
    try write(peer) { transaction in
      try transaction.create("Board", ["_id": .string(board)])
      let editor = try ListEditor(transaction, kind, board: board)
      for name in names { try editor.apply(.append(name)) }
    }
  }

  // MARK: Changes

  /// Commits a transaction, which is later than all before it by the clocks.
  func write(_ peer: Peer, _ body: (Transaction) throws -> Void) throws {
    world.now += 10
    for peer in world.peers { peer.device.clock.milliseconds = world.now }
    try peer.device.database.write(body)
  }

  func edit(_ peer: Peer, _ body: (ListEditor) throws -> Void) throws {
    try write(peer) { try body(ListEditor($0, kind)) }
  }

  /// Makes changes in one transaction, or in as many as `.commit` parts them into.
  func change(_ peer: Peer, _ changes: [ListChange]) throws {
    for part in changes.split(whereSeparator: { if case .commit = $0 { true } else { false } }) {
      try edit(peer) { editor in for change in part { try editor.apply(change) } }
    }
  }

  // MARK: The network

  /// Lets all devices have a network until they are quiet; they are offline then.
  ///
  /// `first`: the devices that have it before the others.
  func settle(first: [Peer] = []) throws {
    for some in [first, world.peers] {
      try world.settle(some)
      for peer in world.peers { world.drop(peer) }
    }
  }

  /// Writes a copy of a device's file, which can be opened later, and more than once.
  func backUp(_ peer: Peer) throws -> String {
    let path = nextPath()
    try peer.device.database.writeCompactCopy(to: path)
    return path
  }

  private func nextPath() -> String {
    copyCount += 1
    return folder.path(of: "copy \(copyCount)")
  }

  /// Opens a copy of a device's file on one more device.
  func addCopy(of peer: Peer) throws -> Peer {
    try world.addPeer(copyOf: peer, at: backUp(peer))
  }

  /// Restores the file of the first device from a backup.
  func restore(_ backup: String) throws {
    let old = a
    world.remove(old)
    let path = nextPath()
    // It may be restored once more.
    let kept = try Database.open(backup, options: Database.Options(mode: .readOnly))
    try kept.writeCompactCopy(to: path)
    try kept.close()
    a = try world.addPeer(copyOf: old, at: path)
  }

  // MARK: The end

  func names(_ peer: Peer, board: String = "board") throws -> [String] {
    try peer.device.read { try ListEditor($0, kind, board: board).names }
  }

  /// Settles, adds a device that has nothing, and requires one of the results on all of them.
  func expect(
    _ results: [[String]], first: [Peer] = [], board: String = "board", _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try settle(first: first)
    let new = try world.addPeer(classes: ListKind.classes)
    try subscribe(new)
    try settle()
    let found = try names(new, board: board)
    #expect(results.contains(found), "\(comment) \(kind)", sourceLocation: sourceLocation)
    for peer in world.peers {
      #expect(
        try names(peer, board: board) == found, "\(comment) \(kind)",
        sourceLocation: sourceLocation)
      #expect(try peer.device.outbox == [], sourceLocation: sourceLocation)
    }
    world.remove(new)
  }

  func expect(_ result: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expect([result], sourceLocation: sourceLocation)
  }
}
