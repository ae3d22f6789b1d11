import AtollStorage
import TestSupport

/// A store in the file at a path, whose catalogue is one tree of numbered values.
///
/// Every answer is written after its call has returned, so that a trace of the process shows the
/// system calls before each acknowledgement.
final class StoreProbe {
  private let path: String
  private let file: PosixFile
  private let store: PageStore

  init(_ path: String) throws {
    self.path = path
    file = try PosixFile(path: path, mode: .create)
    store = try Self.store(in: file, LockFile(for: file))
  }

  /// Does what one line says, and returns the answer.
  func perform(_ line: String) throws -> String {
    switch line {
    case "grow": try commit(40, .full)
    case "grow relaxed": try commit(40, .relaxed)
    case "change": try commit(1, .full)
    case "change relaxed": try commit(1, .relaxed)
    case "synchronize": try store.makeCommitsDurable()
    case "cut": try cut()
    case "close": try store.close()
    case "replace": try replace()
    case "write to the file": try write()
    case "synchronize the file": try file.synchronize(.full)
    default: return "unknown command"
    }
    return line
  }

  private static func store(
    in file: PosixFile, _ coordinator: any Coordinator
  ) throws -> PageStore {
    try PageStore(
      file: file, coordinator: coordinator, cacheByteCount: 1 << 20,
      makeFileID: { [UInt8](1...16) })
  }

  private static let treeID: UInt32 = 7

  private func commit(_ count: Int, _ durability: Durability) throws {
    try Self.commit(count, durability, in: store)
  }

  /// Commits values of 6000 bytes for the first keys.
  private static func commit(_ count: Int, _ durability: Durability, in store: PageStore) throws {
    let transaction = try store.beginWrite()
    defer { transaction.cancel() }
    let tree = MutableKeyValueTree(
      root: transaction.base.catalogue, treeID: treeID, transaction: transaction)
    for number in 0..<count {
      try tree.set([UInt8](repeating: UInt8(number), count: 6000), for: [0, UInt8(number)])
    }
    try transaction.commit(catalogue: tree.flush(), durability: durability)
  }

  /// Removes what there is, and makes the file as short as it can be then.
  private func cut() throws {
    let transaction = try store.beginWrite()
    defer { transaction.cancel() }
    try transaction.commit(catalogue: .empty)
    var compaction = Compaction(store, stepByteCount: 1 << 16, leastGain: 1)
    while case .goesOn = try compaction.step(
      mayWait: false,
      relocate: {
        try $0.relocate($0.transaction.base.catalogue, KeyValueTree.form(Self.treeID))
      })
    {}
  }

  /// Puts a file with a store of its own in the place of the file, as a compaction does.
  private func replace() throws {
    let original = try PosixFile(path: path, mode: .readWrite)
    let copyPath = original.canonicalPath + "-compact"
    try PosixFile.makePrivate(copyPath)
    let copy = try PosixFile(path: copyPath, mode: .readWrite)
    let store = try Self.store(in: copy, LocalCoordinator(path: copyPath))
    try Self.commit(3, .full, in: store)
    try store.close()
    try PosixFile(path: copyPath, mode: .readWrite).takePlace(of: original)
  }

  private func write() throws {
    let byteCount = try file.byteCount()
    try withUnsafeBytes(of: UInt64(0)) { (bytes) throws(StorageError) in
      try file.write(bytes, at: byteCount)
    }
  }
}

/// Makes a store in the file at `path` and does what the input says.
func runStore(_ path: String) throws {
  let probe = try StoreProbe(path)
  writeToStandardOutput("make")
  while let line = readLine(), line != "end" {
    do {
      writeToStandardOutput(try probe.perform(line))
    } catch StorageError.closed(_, let failedSync) {
      writeToStandardOutput("closed: \(failedSync.map { "\($0)" } ?? "in good order")")
    } catch StorageError.io(let operation, _, let errno) {
      writeToStandardOutput("\(operation): \(errno)")
    }
  }
}
