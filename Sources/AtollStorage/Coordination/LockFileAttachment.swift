/// The steps by which a process joins those that have a data file open.
///
/// All steps happen under the lock of byte 0, so processes attach one after another:
///
/// 1. Open or make the lock file, lock byte 0, and begin again if the path leads to another file
///    by then. A data file that was replaced meanwhile is left to its users.
/// 2. No other process has an entry: the state of earlier processes is void, whatever it is.
///    Write it again. But processes that are present in the data file use a lock file that is no
///    longer at the path, and two groups that do not see each other must not come to be.
/// 3. Another process has an entry: the file must be what this version understands and belong to
///    this data file.
/// 4. Take the first entry whose byte is not locked. Show presence in the data file.
struct LockFileAttachment {
  let path: String
  let lockFile: FileDescriptor
  let dataFile: FileDescriptor
  let memory: LockFileMemory
  let entry: Int
  let owner: UInt64

  init(to file: PosixFile, now: UInt64, token: UInt64) throws(StorageError) {
    let path = file.canonicalPath + PosixFile.lockFileSuffix
    self.path = path
    dataFile = try file.openDescriptor()
    lockFile = try Self.openLocked(path, beside: dataFile)
    // A compaction may have put another file in its place while we waited, and a process that has
    // that open must not find the lock file of this one.
    try file.checkPlace()
    let others = try Self.others(path, lockFile, dataFile)
    switch (others.areHere, others.areElsewhere) {
    case (false, true):
      throw .lockFileUnusable(path: path, .replaced)
    case (false, false):
      try Self.prepare(path, lockFile)
      memory = try Self.map(path, lockFile)
      memory.reset(for: file.identity)
    case (true, _):
      try Self.check(path, lockFile)
      memory = try Self.map(path, lockFile)
      guard memory.dataFile == file.identity else {
        let users = try Self.users(path, memory, lockFile)
        throw .lockFileUnusable(path: path, .ofAnotherFile(processIDs: users))
      }
    }
    let hasUnseenReaders: Bool
    do throws(ErrorNumber) {
      entry = try Self.takeEntry(lockFile)
      _ = try SystemCalls.lock(
        dataFile.rawValue, LockFile.presenceLock, .shared, waiting: true)
      let isReadUnseen = try SystemCalls.isLockedByAnother(
        dataFile.rawValue, LockFile.unseenReaderLock)
      hasUnseenReaders = isReadUnseen && !file.isReadOnly
    } catch {
      throw error.during(.lock, path)
    }
    guard !hasUnseenReaders else {
      SystemCalls.unlock(dataFile.rawValue, LockFile.presenceLock)
      throw .inUse(path: file.path, processIDs: [])
    }
    guard entry < LockFileMemory.entryCount else {
      SystemCalls.unlock(dataFile.rawValue, LockFile.presenceLock)
      throw .processTableFull(limit: LockFileMemory.entryCount)
    }
    owner = LockFile.owner(token: token, entry: entry)
    memory.fillEntry(
      entry, owner: owner, processID: SystemCalls.processID(), openSince: now)
    SystemCalls.unlock(lockFile.rawValue, LockFileMemory.attachLock)
  }
}

extension LockFileAttachment {
  /// Opens the lock file, made if need be, and locks byte 0 of the one that is at the path.
  private static func openLocked(
    _ path: String, beside dataFile: FileDescriptor
  ) throws(StorageError) -> FileDescriptor {
    while true {
      let descriptor: FileDescriptor
      do throws(ErrorNumber) {
        descriptor = try open(path, beside: dataFile)
      } catch .permissionDenied {
        throw .lockFileUnusable(path: path, .notPermitted)
      } catch {
        throw error.during(.open, path)
      }
      do throws(ErrorNumber) {
        _ = try SystemCalls.lock(
          descriptor.rawValue, LockFileMemory.attachLock, .exclusive, waiting: true)
        let ours = try SystemCalls.status(of: descriptor.rawValue)
        if let current = try? SystemCalls.status(at: path), current.identity == ours.identity {
          return descriptor
        }
      } catch {
        throw error.during(.lock, path)
      }
    }
  }

  private static func open(
    _ path: String, beside dataFile: FileDescriptor
  ) throws(ErrorNumber) -> FileDescriptor {
    while true {
      do throws(ErrorNumber) {
        return FileDescriptor(owning: try SystemCalls.open(path, .readWrite))
      } catch  where error == .notFound {
        do throws(ErrorNumber) {
          var model = try SystemCalls.status(of: dataFile.rawValue)
          // The owner may write it even when the data file is read-only now: a lock file made by a
          // reader must not keep a later writer out. Others get no more than the data file gives
          // them, as a user that may write the lock file may stop the writers.
          model.permissions |= 0o600
          let made = FileDescriptor(
            owning: try SystemCalls.open(path, .readWrite, creating: model.permissions & 0o666))
          SystemCalls.adopt(made.rawValue, permissionsAndOwnerOf: model)
          return made
        } catch  where error == .alreadyExists {
          // Another process made it between the two calls; a link to nowhere never exists.
          if (try? SystemCalls.status(at: path)) == nil { throw ErrorNumber.notFound }
        }
      }
    }
  }

  /// Whether others have entries in this lock file, and whether others have the data file open.
  private static func others(
    _ path: String, _ lockFile: FileDescriptor, _ dataFile: FileDescriptor
  ) throws(StorageError) -> (areHere: Bool, areElsewhere: Bool) {
    do throws(ErrorNumber) {
      return (
        try SystemCalls.isLockedByAnother(lockFile.rawValue, LockFileMemory.entryLocks),
        try SystemCalls.isLockedByAnother(dataFile.rawValue, LockFile.presenceLock)
      )
    } catch {
      throw error.during(.lock, path)
    }
  }

  /// The ids of the processes that have entries in a lock file.
  private static func users(
    _ path: String, _ memory: LockFileMemory, _ lockFile: FileDescriptor
  ) throws(StorageError) -> [Int32] {
    do throws(ErrorNumber) {
      return try memory.uses(seenBy: lockFile).processIDs
    } catch {
      throw error.during(.lock, path)
    }
  }

  /// Gives an unused lock file its length, with disk space behind every byte.
  ///
  /// A hole would do for reading. But where the disk is full, the system answers a store to a
  /// mapped hole with a signal, while it answers a write with an error.
  ///
  /// - Throws: `.lockFileUnusable(…, .database)` rather than write over a database.
  private static func prepare(_ path: String, _ lockFile: FileDescriptor) throws(StorageError) {
    let (header, byteCount) = try state(path, lockFile)
    let own = (LockFileMemory.magic, UInt64(LockFileMemory.layoutVersion))
    if header == own, byteCount == UInt64(LockFileMemory.byteCount) { return }
    guard header.magic != databaseMagic else { throw .lockFileUnusable(path: path, .database) }
    do throws(ErrorNumber) {
      try SystemCalls.setByteCount(of: lockFile.rawValue, to: 0)
      let zeroes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: LockFileMemory.byteCount, alignment: 8)
      defer { unsafe zeroes.deallocate() }
      unsafe zeroes.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe try lockFile.write(UnsafeRawBufferPointer(zeroes), at: 0)
    } catch {
      throw error.during(.write, path)
    }
  }

  /// Checks that a lock file that others use is one that this version understands.
  private static func check(_ path: String, _ lockFile: FileDescriptor) throws(StorageError) {
    let (header, byteCount) = try state(path, lockFile)
    guard header.magic == LockFileMemory.magic, let layout = UInt32(exactly: header.layout) else {
      throw .lockFileUnusable(path: path, .damaged)
    }
    guard layout == LockFileMemory.layoutVersion else {
      throw .lockFileUnusable(
        path: path, .layout(version: layout, supported: LockFileMemory.layoutVersion))
    }
    guard byteCount == UInt64(LockFileMemory.byteCount) else {
      throw .lockFileUnusable(path: path, .damaged)
    }
  }

  /// The first bytes of a database, read as `readHeader` reads them.
  private static let databaseMagic = Block.magic.reversed().reduce(UInt64(0)) {
    $0 << 8 | UInt64($1)
  }

  /// The first two words of the file, and its length.
  private static func state(
    _ path: String, _ lockFile: FileDescriptor
  ) throws(StorageError) -> (header: (magic: UInt64, layout: UInt64), byteCount: UInt64) {
    do throws(ErrorNumber) {
      return (
        try readHeader(lockFile), try SystemCalls.status(of: lockFile.rawValue).byteCount
      )
    } catch {
      throw error.during(.read, path)
    }
  }

  /// The first two words of the file, zero where it is shorter.
  private static func readHeader(
    _ lockFile: FileDescriptor
  ) throws(ErrorNumber) -> (magic: UInt64, layout: UInt64) {
    var header: (magic: UInt64, layout: UInt64) = (0, 0)
    // SAFETY: two words without padding, for the length of the call.
    _ = unsafe try withUnsafeMutableBytes(of: &header) { (buffer) throws(ErrorNumber) in
      unsafe try lockFile.read(into: buffer, at: 0)
    }
    return header
  }

  private static func map(
    _ path: String, _ lockFile: FileDescriptor
  ) throws(StorageError) -> LockFileMemory {
    do throws(ErrorNumber) {
      return try LockFileMemory(mapping: lockFile)
    } catch {
      throw error.during(.map, path)
    }
  }

  /// Locks the byte of the first entry without a live process.
  ///
  /// - Returns: the entry's index, `LockFileMemory.entryCount` when all are taken.
  private static func takeEntry(_ lockFile: FileDescriptor) throws(ErrorNumber) -> Int {
    for index in 0..<LockFileMemory.entryCount {
      let byte = LockFileMemory.entryLock(index)
      if try SystemCalls.lock(lockFile.rawValue, byte, .exclusive, waiting: false) {
        return index
      }
    }
    return LockFileMemory.entryCount
  }
}
