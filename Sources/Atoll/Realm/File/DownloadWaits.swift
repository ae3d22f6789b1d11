internal import AtollObjects
internal import AtollStorage

/// How many waits for a download have begun in a file, and how many have ended.
///
/// In the named tree `sync`, under `wait/asked` and `wait/reached`, so that a process waits for
/// what another one receives: the connected one asks the server for each that has begun. Numbers
/// only grow.
struct DownloadWaits {
  private static let tree = "sync"
  private static let askedKey = Array("wait/asked".utf8)
  private static let reachedKey = Array("wait/reached".utf8)

  /// The newest wait that has begun.
  let asked: UInt64
  /// The newest wait whose data has arrived.
  let reached: UInt64

  init(_ snapshot: Snapshot) throws {
    let tree = snapshot.namedTree(Self.tree)
    asked = Self.number(try tree?.get(Self.askedKey))
    reached = Self.number(try tree?.get(Self.reachedKey))
  }

  /// Begins a wait.
  ///
  /// - Returns: Its number.
  static func ask(_ database: Database) throws -> UInt64 {
    try database.write(durability: .relaxed) { transaction in
      let tree = try transaction.namedTree(tree)
      let number = Self.number(try tree.get(askedKey)) + 1
      try tree.set(Array("\(number)".utf8), for: askedKey)
      return number
    }
  }

  /// Ends a wait and all before it.
  static func end(_ number: UInt64, in database: Database) throws {
    try database.write(durability: .relaxed) { transaction in
      let tree = try transaction.namedTree(tree)
      guard Self.number(try tree.get(reachedKey)) < number else { return }
      try tree.set(Array("\(number)".utf8), for: reachedKey)
    }
  }

  private static func number(_ bytes: [UInt8]?) -> UInt64 {
    bytes.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
  }
}
