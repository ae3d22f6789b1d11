import AtollCapture
import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// What it costs to record the change of one element: what a leaf does, however long the list.
@Suite(.computing) struct SyncedListCostTests {
  enum Change: CaseIterable {
    case append, insert, set, remove, move
  }

  /// Long enough that a change which wrote all of a list would write a megabyte.
  private static func name(_ number: Int) -> Value {
    var random = SplitMix64(seed: UInt64(number))
    return .string((0..<3).map { _ in String(random.next(), radix: 36) }.joined())
  }

  /// Counts the fewest bytes that a commit writes which makes a change in a list of `count` elements.
  private func cost(_ change: Change, _ count: Int) throws -> Int {
    let file = CountingFile(try MemoryFile(path: "list"))
    let options = Database.Options.recording
    let database = Database(
      store: try Database.store(file, LocalCoordinator(path: "list"), options), options: options)
    let board = try database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Board",
          properties: [
            PropertySchema("_id", .int), PropertySchema("names", .string, collection: .list),
          ], primaryKey: "_id", isSynced: true)
      ])
      let names = (0..<count).map { Self.name($0) }
      return try transaction.create("Board", ["_id": .int(1), "names": .list(names)])
    }
    let column = try #require(try database.snapshot().schema.table("Board")?.column("names"))
    var least = Int.max
    // The space log is written again now and then.
    for round in 0..<8 {
      let before = file.writtenByteCount
      let name = Self.name(count + round)
      try database.write { transaction in
        switch change {
        case .append: try transaction.insertElement(board, column, at: nil, name)
        case .insert: try transaction.insertElement(board, column, at: count / 2, name)
        case .set: try transaction.setElement(board, column, at: count / 2, name)
        case .remove: try transaction.removeElement(board, column, at: count / 2)
        case .move:
          try transaction.rearrange(board, column, Array(1..<count) + [0], moved: [0])
        }
      }
      least = min(least, file.writtenByteCount - before)
    }
    return least
  }

  /// Promise: lists.cost.
  @Test(arguments: Change.allCases)
  func aChangeWritesAsMuchToALongList(_ change: Change) throws {
    // Two leaves and two branches more in each of the trees of elements, places and ids.
    #expect(try cost(change, 30_000) <= cost(change, 1_000) + 3 * (2 * 16 * 1024 + 2 * 4096))
  }
}
