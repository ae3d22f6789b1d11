/// What a caller of the storage layer has to be ready to handle.
///
/// Three families, because each asks for a different response: refuse the request, stop using
/// the file, or give up until it is opened again. Bugs in this package are not here: they trap.
public enum StorageError: Error, Equatable, Sendable {
  // The request cannot be served; the database is unharmed.

  /// A value is longer than the format can hold.
  case valueTooLarge(byteCount: Int, limit: Int)
  /// A change was asked of a database that was opened for reading only.
  case readOnly(path: String)
  /// Every reader slot is in use by a live reader, and none by one of the newest version in the
  /// same store, whose slot could be shared; `processID` has most of them.
  case readerTableFull(limit: Int, processID: Int32, slotCount: Int)
  /// Every process entry is in use by a live process.
  case processTableFull(limit: Int)
  /// The lock file cannot be used, nor rebuilt while other processes have the database open.
  case lockFileUnusable(path: String, LockFileProblem)

  /// A transaction was asked for, or something else that waits for the one that is running, inside
  /// of `write`: it would wait for itself.
  case insideWrite(path: String)
  /// Something of a transaction was used after its end: itself, or an object, table or result that
  /// was read from it.
  case transactionEnded(path: String)
  /// What was asked needs the file for itself, and others have it open: these processes, if
  /// they are known.
  case inUse(path: String, processIDs: [Int32])
  /// The path does not lead to the open file any more, so whatever is written to it would be lost.
  case moved(path: String, Move)

  // The bytes are not what a writer of this format produces.

  /// The file does not begin as a database does.
  case notADatabase(path: String)
  /// Nothing has been written to the file: making a database in it did not get further.
  case empty(path: String)
  /// The file is encrypted and the key does not open it, or the other way round.
  case encryption(path: String, EncryptionProblem)
  /// The file was written in a format that this library does not read: a newer one, or an older one
  /// that is not read any more.
  case unsupportedFormat(version: UInt32, newestSupported: UInt32)
  /// The page at `block` (its number in units of 4 096 bytes) is damaged.
  case corrupted(block: UInt64, Corruption)

  // The operating system said no.

  /// A system call on the file at `path` failed.
  case io(operation: Operation, path: String, errno: Int32)
  /// The database is closed, and every later call says so.
  ///
  /// `failedSync` is the error number of the synchronisation that closed it: the system may have
  /// dropped what was not yet on the disk, so only opening the file again shows what is there.
  /// It is nil when the owner closed the database.
  case closed(path: String, failedSync: Int32?)

  /// How a page fails to be a page of this format.
  public enum Corruption: Error, Equatable, Sendable {
    /// The checksum does not match the bytes.
    case checksum(stored: UInt64, computed: UInt64)
    /// The page carries the number of another block.
    case misplaced(found: UInt64)
    /// The page is of another kind than its parent says.
    case wrongKind(found: UInt8, expected: UInt8)
    /// Bytes that this format keeps zero are not.
    case reservedBytesInUse
    /// A reference leads outside of the file or the page; the offset is in bytes.
    case outOfBounds(offset: UInt64, byteCount: UInt64)
    /// The file ends before the newest version does; both in bytes.
    case truncated(byteCount: UInt64, expected: UInt64)
    /// A compressed page does not decompress to the length it states.
    case decompressionFailed
    /// A rule of the structure inside the page is broken.
    case structure(Structure)
    /// A vector of the leaf is damaged.
    indirect case vector(VectorPart, VectorProblem)
  }

  /// The rules that the contents of a page obey, by name.
  public enum Structure: String, Equatable, Sendable, CaseIterable {
    case keysOutOfOrder
    case keyOutsideSeparators
    case emptyPage
    case wrongEntryCount
    case wrongDepth
    case overlappingEntries
    case unknownPageKind
    case unknownPageCodec
    case byteCounts
    case malformedEntries
    case spaceLog
    case headerSlot
    case wrongTree
    case sharedPage
    case freePageInUse
    case lostPage
    case laterTransaction
    case notAuthentic
  }

  /// What was asked of the operating system.
  public enum Operation: String, Equatable, Sendable, CaseIterable {
    case open, map, read, write, synchronize, resize, lock, watch, close
  }

  /// Why a key and a file do not go together.
  public enum EncryptionProblem: Equatable, Sendable {
    /// The file is encrypted, and no key was given.
    case keyMissing
    /// The file is encrypted with another key.
    case keyWrong
    /// A key was given, and the file is not encrypted.
    case notEncrypted
    /// A key has 64 or 32 bytes.
    case keyByteCount(Int)
  }

  /// What happened to the path of an open file.
  public enum Move: Equatable, Sendable {
    /// Nothing is there: the file was deleted, or has another path now.
    case gone
    /// Another file is there.
    case replaced
    /// Another program wrote other contents into it while processes had it open.
    case overwritten
  }

  /// Why a lock file cannot be used.
  public enum LockFileProblem: Equatable, Sendable {
    /// Its header is not one that this library writes.
    case damaged
    /// It was written by another version of this library, which is still running.
    case layout(version: UInt32, supported: UInt32)
    /// Other processes coordinate through a lock file that was deleted or replaced under them.
    case replaced
    /// These processes coordinate through it, and have a file open that was at the database's path
    /// before.
    case ofAnotherFile(processIDs: [Int32])
    /// The user of this process may not write it.
    case notPermitted
    /// A database lies where the lock file of another has its place.
    case database
  }
}

extension StorageError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .valueTooLarge(let byteCount, let limit):
      "a value of \(byteCount) bytes is longer than the limit of \(limit) bytes"
    case .readOnly(let path):
      "\(path) is open for reading only"
    case .readerTableFull(let limit, let processID, let slotCount):
      "all \(limit) reader slots are in use, \(slotCount) of them by process \(processID): "
        + "end snapshots of older versions there"
    case .processTableFull(let limit):
      "\(limit) processes have the database open already, which is the limit"
    case .lockFileUnusable(let path, let problem):
      "the lock file \(path) cannot be used: \(problem)"
    case .insideWrite(let path):
      "a transaction of \(path) is running on this thread, and what was asked waits for its end: "
        + "use the transaction that `write` gave, or wait until it returned"
    case .transactionEnded(let path):
      "the transaction of \(path) has ended, and what was read from it went with it: "
        + "copy values before, or read them from a snapshot"
    case .inUse(let path, let processIDs):
      "\(path) is in use: \(Self.users(processIDs, have: "it"))"
    case .moved(let path, let move):
      "\(path) \(move)"
    case .notADatabase(let path):
      "\(path) is not an Atoll database"
    case .empty(let path):
      "\(path) is empty: a database was never finished in it; "
        + "delete it, or open it so that a database is made"
    case .encryption(let path, let problem):
      "\(path) cannot be opened: \(problem)"
    case .unsupportedFormat(let version, let newestSupported):
      "the database has format version \(version), and this library reads version "
        + (version < newestSupported
          ? "\(newestSupported) only; dump it with the library that wrote it, and import the dump"
          : "\(newestSupported); a newer library wrote it")
    case .corrupted(_, .truncated(let byteCount, let expected)):
      "the file is cut short: it has \(byteCount) bytes, and its newest version \(expected)"
    case .corrupted(let block, let corruption):
      "the page at block \(block) is damaged: \(corruption)"
    case .io(let operation, let path, let errno):
      "cannot \(operation) \(path): \(SystemCalls.message(for: errno)) (error \(errno))"
    case .closed(let path, .some(let errno)):
      "\(path) is closed because synchronizing it failed: "
        + "\(SystemCalls.message(for: errno)) (error \(errno)); open it again to go on"
    case .closed(let path, nil):
      "\(path) is closed"
    }
  }
}

extension StorageError {
  /// That what was asked needs `path` for itself, which the other users of `coordinator` have open.
  package static func inUse(_ path: String, _ coordinator: any Coordinator) -> StorageError {
    let others = (try? coordinator.otherProcesses()) ?? []
    return .inUse(path: path, processIDs: others.processIDs)
  }

  /// Says which processes have `file` open.
  fileprivate static func users(_ processIDs: [Int32], have file: String) -> String {
    let names = processIDs.map { "process \($0)" }
    switch names.count {
    case 0: return "another process has \(file) open"
    case 1: return "\(names[0]) has \(file) open"
    default: return names.joined(separator: ", ") + " have \(file) open"
    }
  }
}

extension StorageError.Corruption: CustomStringConvertible {
  public var description: String {
    switch self {
    case .checksum(let stored, let computed):
      "its checksum is 0x\(stored.hexadecimalDigits) "
        + "but its bytes give 0x\(computed.hexadecimalDigits)"
    case .misplaced(let found):
      "it says that it belongs at block \(found)"
    case .wrongKind(let found, let expected):
      "it is of kind \(found) where kind \(expected) belongs"
    case .reservedBytesInUse:
      "bytes that this format keeps zero are in use"
    case .outOfBounds(let offset, let byteCount):
      "it refers to \(byteCount) bytes at offset \(offset), which are out of bounds"
    case .truncated(let byteCount, let expected):
      "the file has \(byteCount) bytes of \(expected)"
    case .decompressionFailed:
      "its contents cannot be decompressed"
    case .structure(let rule):
      "\(rule)"
    case .vector(let part, let problem):
      "in \(part), \(problem)"
    }
  }
}

extension StorageError.Structure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .keysOutOfOrder: "its keys are not in ascending order"
    case .keyOutsideSeparators: "it holds a key that belongs in another page"
    case .emptyPage: "it holds no entries"
    case .wrongEntryCount: "its entries are not as many as its parent says"
    case .wrongDepth: "it does not lie at the depth of the other leaves"
    case .overlappingEntries: "its entries overlap"
    case .unknownPageKind: "unknown page kind"
    case .unknownPageCodec: "unknown page codec"
    case .byteCounts: "its byte counts contradict each other"
    case .malformedEntries: "its entries do not fit into it"
    case .spaceLog: "the log of free space contradicts itself"
    case .headerSlot: "the header slot does not describe a version"
    case .wrongTree: "it belongs to another tree"
    case .sharedPage: "two places refer to it"
    case .freePageInUse: "it is in use and yet listed as free"
    case .lostPage: "it is neither in use nor listed as free"
    case .laterTransaction: "it was written after the version that refers to it"
    case .notAuthentic: "it was not encrypted with this file's key, or not for this place"
    }
  }
}

extension StorageError.EncryptionProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .keyMissing: "it is encrypted, and no key was given"
    case .keyWrong: "it is encrypted with another key than the one that was given"
    case .notEncrypted: "it is not encrypted, but a key was given"
    case .keyByteCount(let byteCount):
      "the key has \(byteCount > 64 ? "more than 64" : "\(byteCount)") bytes, "
        + "and an encryption key has 64 or 32"
    }
  }
}

extension StorageError.Move: CustomStringConvertible {
  public var description: String {
    switch self {
    case .gone:
      "was deleted or moved while it was open, and nothing more is written to it; "
        + "close it, and open the file where it is now"
    case .replaced:
      "leads to another file than the one that is open, to which nothing more is written; "
        + "close it and open it again"
    case .overwritten:
      "was written over while processes had it open, and they go on with what was in it; "
        + "end them, and open it then"
    }
  }
}

extension StorageError.LockFileProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .damaged:
      "its header is damaged, and other processes have the database open"
    case .layout(let version, let supported):
      "it has layout \(version), this library uses layout \(supported), "
        + "and other processes have the database open"
    case .replaced:
      "it was deleted or replaced while other processes had the database open"
    case .ofAnotherFile(let processIDs):
      "\(StorageError.users(processIDs, have: "another file")), "
        + "which was at the database's path before; end that, and open this one then"
    case .notPermitted:
      "readers register in it, and this user cannot write it; grant write access to it, or open a "
        + "copy of the database"
    case .database:
      "it is a database itself: give one of the two another name"
    }
  }
}

extension UInt64 {
  /// All 16 lower-case digits, so that two checksums can be compared by eye.
  package var hexadecimalDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
