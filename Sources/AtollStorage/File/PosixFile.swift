import Synchronization

/// A database file on a file system.
///
/// Two paths can lead to one file, so whatever must be unique per file (a registry of open
/// databases, the lock file) goes by `identity` and `canonicalPath`, never by `path`.
package final class PosixFile: DataFile {
  /// What may be done with the file, and whether it may be made.
  package enum Mode: Sendable {
    /// The file exists and is not changed.
    case readOnly
    /// The file exists and may be changed.
    case readWrite
    /// The file may be changed, and is made, empty, when there is none.
    case create
  }

  private struct State {
    /// Nil once closed.
    var descriptor: FileDescriptor?
    /// The error number of the synchronisation that failed.
    var failedSync: Int32?
    /// Whether the folder entry of the file is known to be on the disk.
    var isNameDurable: Bool
  }

  /// What follows the file's path in that of its lock file.
  package static let lockFileSuffix = "-lock"

  package let path: String
  package let isReadOnly: Bool

  /// The absolute path, without symbolic links, at the time of opening.
  package let canonicalPath: String

  /// The device and number of the file.
  package let identity: FileIdentity

  private let state: Mutex<State>
  private let windows: WindowDirectory

  /// Opens the file at `path`.
  ///
  /// - Throws: `.io(operation: .open, …)` with the system's error number: no such file, a folder,
  ///   no permission. `.notADatabase` for a pipe, a device or a socket.
  package init(path: String, mode: Mode) throws(StorageError) {
    let descriptor: FileDescriptor
    let status: FileStatus
    do throws(ErrorNumber) {
      descriptor = FileDescriptor(owning: try Self.open(path, mode))
      status = try SystemCalls.status(of: descriptor.rawValue)
      if status.kind == .folder { throw ErrorNumber.isFolder }
      canonicalPath = try SystemCalls.canonicalPath(path)
      windows = try WindowDirectory()
    } catch {
      throw error.during(.open, path)
    }
    guard status.kind == .regular else { throw .notADatabase(path: path) }
    self.path = path
    isReadOnly = mode == .readOnly
    identity = status.identity
    // The process that made the file, or put it in the place of another, may have died before the
    // name was on the disk.
    let isNameDurable = isReadOnly
    state = Mutex(State(descriptor: descriptor, isNameDurable: isNameDurable))
  }

  deinit {
    close()
  }

  package func byteCount() throws(StorageError) -> UInt64 {
    let descriptor = try openDescriptor()
    do throws(ErrorNumber) {
      return try SystemCalls.status(of: descriptor.rawValue).byteCount
    } catch {
      throw error.during(.read, path)
    }
  }

  package func setByteCount(_ byteCount: UInt64) throws(StorageError) {
    let held = try writableDescriptor()
    // The number is another file's once the descriptor is closed.
    defer { withExtendedLifetime(held) {} }
    let descriptor = held.rawValue
    do throws(ErrorNumber) {
      guard byteCount <= Self.byteCountLimit, let newByteCount = Int64(exactly: byteCount) else {
        throw .fileTooLarge
      }
      let oldByteCount = Int64(clamping: try SystemCalls.status(of: descriptor).byteCount)
      if newByteCount > oldByteCount {
        try Self.grow(descriptor, oldByteCount..<newByteCount)
      } else if newByteCount < oldByteCount {
        try SystemCalls.setByteCount(of: descriptor, to: newByteCount)
      }
    } catch {
      throw error.during(.resize, path)
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StorageError) -> Int {
    let descriptor = try openDescriptor()
    do throws(ErrorNumber) {
      // SAFETY: the caller's buffer for the length of the call, which keeps to its count.
      return unsafe try descriptor.read(into: buffer, at: offset)
    } catch {
      throw error.during(.read, path)
    }
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(StorageError) {
    let descriptor = try writableDescriptor()
    do throws(ErrorNumber) {
      // SAFETY: the caller's bytes for the length of the call, which keeps to their count.
      unsafe try descriptor.write(bytes, at: offset)
    } catch {
      throw error.during(.write, path)
    }
  }

  package func synchronize(_ scope: SynchronizationScope) throws(StorageError) {
    let descriptor = try writableDescriptor()
    do throws(ErrorNumber) {
      try SystemCalls.synchronize(descriptor.rawValue, scope)
      if !state.withLock({ $0.isNameDurable }) {
        try SystemCalls.synchronizeFolder(of: canonicalPath)
        state.withLock { $0.isNameDurable = true }
      }
    } catch {
      state.withLock { $0.failedSync = $0.failedSync ?? error.rawValue }
      throw error.during(.synchronize, path)
    }
  }

  @inline(__always)
  package func window(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    // SAFETY: the directory checks the index. A window is mapped until `close`, which comes after
    // the last use of the file (`FileUse`).
    if let address = unsafe windows.address(index) { return unsafe address }
    return unsafe try mapWindow(index)
  }

  package func close() {
    // The descriptor itself closes when the last call that uses it returns.
    state.withLock { $0.descriptor = nil }
    windows.unmapAll()
  }

  /// Throws `.moved` when nothing is at `canonicalPath` any more, or another file.
  ///
  /// A path that cannot be looked at says nothing, and is no error.
  package func checkPlace() throws(StorageError) {
    let status: FileStatus
    do throws(ErrorNumber) {
      status = try SystemCalls.status(at: canonicalPath)
    } catch  where error == .notFound {
      throw .moved(path: path, .gone)
    } catch {
      return
    }
    guard status.identity == identity else { throw .moved(path: path, .replaced) }
  }

  /// Puts this file in the place of `other`, whose permissions and owner it takes.
  ///
  /// This file must be synchronised, and in the same folder. A process that has `other` open keeps
  /// it.
  package func takePlace(of other: PosixFile) throws(StorageError) {
    let descriptor = try writableDescriptor()
    let model = try other.openDescriptor()
    do throws(ErrorNumber) {
      SystemCalls.adopt(
        descriptor.rawValue,
        permissionsAndOwnerOf: try SystemCalls.status(of: model.rawValue))
      try SystemCalls.rename(canonicalPath, to: other.canonicalPath)
      try SystemCalls.synchronizeFolder(of: other.canonicalPath)
    } catch {
      throw error.during(.write, other.path)
    }
  }

  /// Makes an empty file at `path`, where there is none, that only its owner may read and write.
  package static func makePrivate(_ path: String) throws(StorageError) {
    do throws(ErrorNumber) {
      _ = FileDescriptor(owning: try SystemCalls.open(path, .readWrite, creating: 0o600))
    } catch {
      throw error.during(.open, path)
    }
  }

  /// Removes the file at `path`, if there is one.
  package static func remove(_ path: String) {
    try? SystemCalls.remove(path)
  }

  /// Removes the database at `path`, which is not open, with its lock file.
  package static func removeDatabase(_ path: String) {
    remove(path)
    remove(path + Self.lockFileSuffix)
  }

  /// The descriptor, kept open for as long as the caller keeps the reference.
  func openDescriptor() throws(StorageError) -> FileDescriptor {
    let descriptor = state.withLock { $0.descriptor }
    guard let descriptor else { throw .closed(path: path, failedSync: nil) }
    return descriptor
  }
}

extension PosixFile {
  /// The longest file that the windows cover, in bytes.
  private static var byteCountLimit: UInt64 {
    min(
      UInt64(FileWindow.limit) * UInt64(FileWindow.stride),
      Block.countLimit * UInt64(Block.byteCount))
  }

  /// Opens, or makes and opens, the file at `path`.
  private static func open(_ path: String, _ mode: Mode) throws(ErrorNumber) -> Int32 {
    switch mode {
    case .readOnly: return try SystemCalls.open(path, .readOnly)
    case .readWrite: return try SystemCalls.open(path, .readWrite)
    case .create: break
    }
    while true {
      do throws(ErrorNumber) {
        return try SystemCalls.open(path, .readWrite)
      } catch  where error == .notFound {
        do throws(ErrorNumber) {
          return try SystemCalls.open(path, .readWrite, creating: 0o666)
        } catch  where error == .alreadyExists {
          // Another process made it between the two calls; or the path is a link to nowhere,
          // which never comes to exist.
          if (try? SystemCalls.status(at: path)) == nil { throw ErrorNumber.notFound }
        }
      }
    }
  }

  /// Extends the file over `range`, or leaves it at `range.lowerBound`.
  private static func grow(_ descriptor: Int32, _ range: Range<Int64>) throws(ErrorNumber) {
    do throws(ErrorNumber) {
      if try !SystemCalls.allocate(descriptor, range) {
        try SystemCalls.setByteCount(of: descriptor, to: range.upperBound)
      }
    } catch {
      // The system may have stopped half-way. If it refuses this too, the file has a tail of
      // zeroes that no commit refers to.
      try? SystemCalls.setByteCount(of: descriptor, to: range.lowerBound)
      throw error
    }
  }

  private func writableDescriptor() throws(StorageError) -> FileDescriptor {
    let (descriptor, failedSync) = state.withLock { ($0.descriptor, $0.failedSync) }
    guard !isReadOnly else { throw .readOnly(path: path) }
    guard failedSync == nil, let descriptor else {
      throw .closed(path: path, failedSync: failedSync)
    }
    return descriptor
  }

  @inline(never)
  private func mapWindow(_ index: Int) throws(StorageError) -> UnsafeRawPointer {
    let descriptor = try openDescriptor()
    let address: UnsafeRawPointer?
    do throws(ErrorNumber) {
      // SAFETY: the directory checks the index before it maps, so the offset does not overflow, and
      // takes over the mapping; after `close` it maps nothing.
      unsafe address = try windows.address(index) { () throws(ErrorNumber) in
        unsafe try SystemCalls.map(
          descriptor.rawValue, at: Int64(index) * Int64(FileWindow.stride),
          byteCount: FileWindow.byteCount, .readOnly)
      }
    } catch {
      throw error.during(.map, path)
    }
    guard let address = unsafe address else { throw .closed(path: path, failedSync: nil) }
    return unsafe address
  }
}
