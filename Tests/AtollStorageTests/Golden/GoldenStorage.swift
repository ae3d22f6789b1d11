import AtollStorage
import TestSupport
import Testing

/// The golden files of the storage layer: what is in them, and how they are made.
struct GoldenStorage: Sendable, CustomTestStringConvertible {
  typealias Entry = (key: [UInt8], value: [UInt8])

  let name: String
  /// How many transactions the file has seen, the one that made it included.
  let transaction: Int
  /// The key of an encrypted file.
  var encryptionKey: [UInt8]?
  /// The entries of each commit, in the order in which they are set; nil removes.
  private let commits: @Sendable () -> [[(key: [UInt8], value: [UInt8]?)]]

  static let treeID: UInt32 = 7
  static let fileID: [UInt8] = Array(0xA0...0xAF)

  var path: String { "Tests/AtollStorageTests/Golden/Files/\(name).golden" }
  var testDescription: String { name }

  /// What the file holds, in the order of the keys.
  var contents: [Entry] {
    var contents: [[UInt8]: [UInt8]] = [:]
    for (key, value) in commits().joined() { contents[key] = value }
    return contents.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { (key: $0.key, value: $0.value) }
  }

  /// The file; while files are written, as it will be.
  func bytes() throws -> [UInt8] {
    try GoldenFiles.isWriting ? make() : GoldenFiles.read(path)
  }

  /// Makes the file as a database that is opened, changed and closed in good order.
  func make() throws -> [UInt8] {
    let file = try MemoryFile(path: name, capacity: 64 << 20)
    let store = try PageStore(
      file: file, coordinator: LocalCoordinator(path: name), cacheByteCount: 1 << 20,
      key: try encryptionKey.map { try EncryptionKey($0, path: name) },
      makeFileID: { Self.fileID })
    for entries in commits() {
      let transaction = try store.beginWrite()
      let tree = MutableKeyValueTree(
        root: transaction.base.catalogue, treeID: Self.treeID, transaction: transaction)
      for (key, value) in entries { try tree.set(value, for: key) }
      try transaction.commit(catalogue: tree.flush())
    }
    var bytes = [UInt8](repeating: 0, count: Int(try file.byteCount()))
    let snapshot = try store.snapshot()
    try store.close()
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    withExtendedLifetime(snapshot) {}
    guard count == bytes.count else { throw FormatError("the file ends early") }
    return bytes
  }
}

extension GoldenStorage {
  static let all = plain + [encrypted]
  /// Those that can be decoded without a cipher.
  static let plain = [empty, small, tree, log]

  /// A database that was made and never changed.
  static let empty = GoldenStorage(name: "v3-empty", transaction: 1) { [] }

  /// One commit, one leaf.
  static let small = GoldenStorage(name: "v3-small", transaction: 2) {
    [[(text("apple"), text("red")), (text("banana"), text("yellow")), (text("fig"), [])]]
  }

  /// A branch above leaves of both codecs, after insertions, changes and removals.
  static let tree = GoldenStorage(name: "v3-tree", transaction: 4) {
    var random = SplitMix64(seed: 1)
    var entries: [(key: [UInt8], value: [UInt8]?)] = []
    for number in 0..<240 {
      let name = text("key \(number * 7 % 240 + 1000)")
      // The upper half cannot be compressed, so that both codecs occur.
      let value =
        number * 7 % 240 < 120
        ? text(String(repeating: "value of \(number) ", count: 6))
        : (0..<90).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      entries.append((name, value))
    }
    return [
      entries,
      entries[..<10].map { ($0.key, text("changed")) },
      entries[10..<20].map { ($0.key, nil) },
    ]
  }

  /// Enough small commits that the space log leaves the header slot for pages of its own.
  static let log = GoldenStorage(name: "v3-log", transaction: 401) {
    (0..<400).map { number in [(text("counter"), text("\(number)"))] }
  }

  /// As `tree`, encrypted.
  static let encrypted: GoldenStorage = {
    var golden = GoldenStorage(
      name: "v3-encrypted", transaction: tree.transaction, commits: tree.commits)
    golden.encryptionKey = Array(0..<64)
    return golden
  }()

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
}
