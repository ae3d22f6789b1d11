internal import AtollStorage
internal import Foundation

extension Database {
  /// How a rewritten file is encrypted.
  public enum Encryption: Sendable, CustomReflectable {
    /// As the file it is made from.
    case unchanged
    /// With this key: 64 random bytes, or 32.
    case key([UInt8])
    /// Not at all.
    case none

    /// Printed without the key.
    public var customMirror: Mirror {
      let name =
        switch self {
        case .unchanged: "unchanged"
        case .key: "key"
        case .none: "none"
        }
      return Mirror(self, children: ["encryption": name])
    }

    /// Refuses a key of the wrong length; `path` is the file that it is meant for.
    fileprivate func check(_ path: String) throws(StorageError) {
      if case .key(let bytes) = self { _ = try EncryptionKey(bytes, path: path) }
    }

    fileprivate func key(insteadOf old: EncryptionKey?) -> [UInt8]? {
      switch self {
      case .unchanged: old?.bytes
      case .key(let bytes): bytes
      case .none: nil
      }
    }
  }

  /// Rewrites the file at `path` without the free space between its pages.
  ///
  /// The copy takes the place of the file only when it is complete and on the disk. Costs disk
  /// space for the copy, beside the file. Nothing of the old file's bytes is kept, so a change of
  /// `encryption` leaves nothing that the old key opens but what the disk itself has not
  /// overwritten.
  ///
  /// The versions of the new file are counted from 1 again.
  ///
  /// `encryptionKey`: the file's key when it is encrypted.
  ///
  /// - Returns: the bytes of the file before and after.
  /// - Throws: `.storage(.inUse)` when another process has the file open; nothing is changed then.
  public static func compact(
    _ path: String, encryptionKey: [UInt8]? = nil, encryption: Encryption = .unchanged,
    progress: (Double) -> Void = { _ in }
  ) throws(ObjectError) -> (byteCountBefore: UInt64, byteCountAfter: UInt64) {
    do {
      try encryption.check(path)
      let file = try PosixFile(path: path, mode: .readWrite)
      try Recovery.refuseForeign(file, isCreating: false)
      let coordinator = try soleCoordinator(for: file)
      defer { coordinator.close() }
      let database = Database(
        store: try store(file, coordinator, Options(mode: .readWrite, encryptionKey: encryptionKey))
      )
      // From here on there is no other writer.
      let transaction = try database.beginWrite()
      defer { transaction.cancel() }
      removeLeftovers(of: file.canonicalPath)
      let copyPath = CompactCopyName.path(
        beside: file.canonicalPath, number: SystemCalls.randomNumber())
      defer { PosixFile.removeDatabase(copyPath) }
      let byteCountBefore = try file.byteCount()
      // The copy is private, even if the file is not.
      try PosixFile.makePrivate(copyPath)
      try database.writeCompactCopy(into: copyPath, encryption, progress: progress)
      let copy = try PosixFile(path: copyPath, mode: .readWrite)
      // From here on the file cannot be opened, until the coordinator closes.
      guard try coordinator.excludeOthers() else { throw StorageError.inUse(path, coordinator) }
      try copy.takePlace(of: file)
      return (byteCountBefore, try copy.byteCount())
    } catch { throw ObjectError(any: error) }
  }

  /// Removes what compactions that were killed left beside the file at `path`.
  private static func removeLeftovers(of path: String) {
    let file = URL(filePath: path)
    let folder = file.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where CompactCopyName.isOne(name, beside: file.lastPathComponent) {
      PosixFile.remove(folder.appending(path: name).path)
    }
  }

  /// Writes the newest version to a new file, without free space between its pages.
  ///
  /// Classes, properties and objects keep their numbers, so handles and keys stay valid.
  ///
  /// `path` must not exist, and does not exist after an error. Tells `progress` the share of the
  /// objects that is copied, now and then.
  ///
  /// - Returns: the version that was copied.
  @discardableResult
  public func writeCompactCopy(
    to path: String, encryption: Encryption = .unchanged,
    progress: (Double) -> Void = { _ in }
  ) throws(ObjectError) -> UInt64 {
    do throws(StorageError) { try encryption.check(path) } catch { throw .storage(error) }
    do throws(StorageError) { try Self.refuseExisting(path) } catch { throw .storage(error) }
    do throws(ObjectError) {
      return try writeCompactCopy(into: path, encryption, progress: progress)
    } catch {
      PosixFile.removeDatabase(path)
      throw error
    }
  }

  /// Refuses to write a file over another.
  static func refuseExisting(_ path: String) throws(StorageError) {
    guard let existing = try? PosixFile(path: path, mode: .readOnly) else { return }
    existing.close()
    // EEXIST has this number on every system with POSIX error numbers.
    throw .io(operation: .open, path: path, errno: 17)
  }

  /// Writes the newest version into the file at `path`, which is empty or does not exist.
  @discardableResult
  private func writeCompactCopy(
    into path: String, _ encryption: Encryption, progress: (Double) -> Void
  ) throws(ObjectError) -> UInt64 {
    let source = try snapshot()
    let copy = try Database.open(
      path, options: Options(encryptionKey: encryption.key(insteadOf: store.slots.key)))
    let transaction = try copy.beginWrite()
    do throws(ObjectError) {
      try transaction.copy(source, progress: progress)
      // The file has grown in steps, of which the last is mostly free.
      transaction.shortensFile = true
      try transaction.commit(durability: .full)
    } catch {
      transaction.cancel()
      throw error
    }
    do throws(StorageError) { try copy.store.cutFile() } catch { throw .storage(error) }
    try copy.close()
    return source.version
  }
}

/// The name of a copy in the making: unlike any other file's, since the next compaction deletes
/// files of this name.
enum CompactCopyName {
  private static let separator = "-compacting-"

  /// `number`: one that no other copy has.
  static func path(beside path: String, number: UInt64) -> String {
    path + separator + number.hexadecimalDigits
  }

  /// Whether `name` is that of a copy of the file `original` in the same folder, or of its lock
  /// file.
  static func isOne(_ name: String, beside original: String) -> Bool {
    guard name.hasPrefix(original + separator) else { return false }
    var rest = name.dropFirst(original.count + separator.count)
    if rest.hasSuffix(PosixFile.lockFileSuffix) {
      rest = rest.dropLast(PosixFile.lockFileSuffix.count)
    }
    return UInt64(rest, radix: 16).map { $0.hexadecimalDigits == rest } ?? false
  }
}

extension Transaction {
  /// Fills an empty database with the contents of `source`: class by class, tree by tree, leaf by
  /// leaf.
  fileprivate func copy(_ source: Snapshot, progress: (Double) -> Void) throws(ObjectError) {
    adoptEmptied(source.catalogue)
    var tables: [Table] = []
    for schema in source.schema.tables { tables.append(try source.table(schema.name)) }
    let total = Double(max(1, tables.reduce(0) { $0 + $1.count }))
    var done = 0.0
    for table in tables {
      do {
        let writer = try writer(id: table.schema.id)
        var cursor = table.tree.cursor()
        while let entry = try cursor.next() {
          let rowGroup = try table.rowGroup(entry.reference)
          let columns = try table.schema.columns.map { try rowGroup.column($0.id, $0.layout) }
          for row in 0..<rowGroup.rowCount {
            try writer.insert(rowGroup.key(row))
            for (column, view) in zip(table.schema.columns, columns) {
              try writer.setSelected(column, try view.value(row))
            }
          }
          done += Double(rowGroup.rowCount)
          progress(done / total)
        }
      } catch { throw ObjectError(any: error, className: table.name) }
    }
    try pending.copy(of: source)
    for name in source.namedTreeNames {
      guard let tree = source.namedTree(name) else { continue }
      let copy = try namedTree(name)
      try tree.forEach { key, value throws(ObjectError) in try copy.set(value, for: key) }
    }
  }
}
