// The calls to the operating system, so that a port, a count or a planted failure has one place;
// `ErrorNumber` and `ConditionVariable` are beside it.
internal import Synchronization

#if os(Linux) || os(Android)
internal import CFutex
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#else
#error("A port gives SystemCalls, ErrorNumber and ConditionVariable for its system here.")
#endif

/// What tells one file from all others while it exists: its device and its number there.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
}

/// What `stat` says about a file, as far as it matters here.
struct FileStatus {
  enum Kind { case regular, folder, other }

  let kind: Kind
  let identity: FileIdentity
  let byteCount: UInt64
  /// The read, write and execute bits.
  var permissions: UInt32
  let owner: UInt32
  let group: UInt32
}

/// The system calls, with errors as thrown values and interrupted calls repeated.
package enum SystemCalls {
  // MARK: Files

  enum Access { case readOnly, readWrite }

  /// `open(2)`; the descriptor is closed in a program this process starts.
  ///
  /// `creating` gives the permissions (before the umask) of a file that must not exist yet.
  static func open(
    _ path: String, _ access: Access, creating permissions: UInt32? = nil
  ) throws(ErrorNumber) -> Int32 {
    // A zero byte would end the name early and open another file.
    guard !path.utf8.contains(0) else { throw .invalidArgument }
    // O_NONBLOCK keeps a pipe at this path from blocking us; regular files ignore it.
    var flags = O_CLOEXEC | O_NONBLOCK | (access == .readOnly ? O_RDONLY : O_RDWR)
    if permissions != nil { flags |= O_CREAT | O_EXCL }
    return try Int32(
      repeating { () -> Int in
        // SAFETY: the string is a C string for the length of the call.
        unsafe Int(sysOpen(path, flags, mode_t(permissions ?? 0)))
      })
  }

  /// `close(2)`, without its error: what had to reach the disk was synchronised before.
  static func close(_ descriptor: Int32) {
    _ = sysClose(descriptor)
  }

  /// `rename(2)`.
  static func rename(_ path: String, to newPath: String) throws(ErrorNumber) {
    // SAFETY: both are C strings for the length of the call.
    _ = try repeating { unsafe Int(sysRename(path, newPath)) }
  }

  /// `unlink(2)`.
  static func remove(_ path: String) throws(ErrorNumber) {
    // SAFETY: a C string for the length of the call.
    _ = try repeating { unsafe Int(unlink(path)) }
  }

  /// `fstat(2)`.
  static func status(of descriptor: Int32) throws(ErrorNumber) -> FileStatus {
    var status = stat()
    // SAFETY: `status` lives for the length of the call, which fills it.
    _ = try repeating { unsafe Int(fstat(descriptor, &status)) }
    return FileStatus(status)
  }

  /// `stat(2)`.
  static func status(at path: String) throws(ErrorNumber) -> FileStatus {
    var status = stat()
    // SAFETY: `status` lives for the length of the call, which fills it.
    _ = try repeating { unsafe Int(stat(path, &status)) }
    return FileStatus(status)
  }

  /// `realpath(3)`: the absolute path without symbolic links.
  static func canonicalPath(_ path: String) throws(ErrorNumber) -> String {
    // SAFETY: the result is a C string of our own, freed after it is copied.
    guard let resolved = unsafe realpath(path, nil) else { throw ErrorNumber(rawValue: errno) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// `pread(2)`: at most the count of bytes read, zero at the end of the file.
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(ErrorNumber) -> Int {
    // SAFETY: the buffer's own address and count.
    try repeating { unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// `pwrite(2)`: the count of bytes written, which can be smaller than asked.
  static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(ErrorNumber) -> Int {
    // SAFETY: the buffer's own address and count.
    try repeating { unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// `ftruncate(2)`.
  static func setByteCount(of descriptor: Int32, to byteCount: Int64) throws(ErrorNumber) {
    _ = try repeating { Int(ftruncate(descriptor, off_t(byteCount))) }
  }

  /// `posix_fallocate(3)`: makes the file reach to `range.upperBound` with disk space reserved.
  ///
  /// - Returns: false when the file system cannot reserve space.
  static func allocate(_ descriptor: Int32, _ range: Range<Int64>) throws(ErrorNumber) -> Bool {
    #if canImport(Darwin)
    var store = fstore_t(
      fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
      fst_length: off_t(range.upperBound - range.lowerBound), fst_bytesalloc: 0)
    // SAFETY: `store` lives for the length of the call.
    guard unsafe fcntl(descriptor, F_PREALLOCATE, &store) == -1 else { return false }
    if errno == ENOSPC { throw .noSpace }
    return false  // Reserved or not, the caller sets the length.
    #else
    let length = off_t(range.upperBound - range.lowerBound)
    while true {
      let failure = posix_fallocate(descriptor, off_t(range.lowerBound), length)
      switch failure {
      case 0: return true
      case EINTR: continue
      case EOPNOTSUPP, ENOSYS, EINVAL: return false
      default: throw ErrorNumber(rawValue: failure)
      }
    }
    #endif
  }

  /// `fdatasync(2)`, `fsync(2)`, and on Darwin `F_FULLFSYNC`, without which a disk may still
  /// hold the bytes in its cache.
  static func synchronize(
    _ descriptor: Int32, _ scope: SynchronizationScope
  ) throws(ErrorNumber) {
    #if canImport(Darwin)
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    // Only where the file system does not know F_FULLFSYNC is fsync all there is.
    guard errno == ENOTSUP || errno == EINVAL else { throw ErrorNumber(rawValue: errno) }
    _ = try repeating { Int(fsync(descriptor)) }
    #else
    switch scope {
    case .data: _ = try repeating { Int(fdatasync(descriptor)) }
    case .full: _ = try repeating { Int(fsync(descriptor)) }
    }
    #endif
  }

  /// Makes the names in the folder of `path` durable, the name of a new file among them.
  ///
  /// Does nothing where the folder is gone, and the file's name with it, and where it may be
  /// used but not read.
  static func synchronizeFolder(of path: String) throws(ErrorNumber) {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor: Int32
    do throws(ErrorNumber) {
      descriptor = try open(folder, .readOnly)
    } catch  where error == .notFound || error == .permissionDenied {
      return
    }
    defer { close(descriptor) }
    do throws(ErrorNumber) {
      _ = try repeating { Int(fsync(descriptor)) }
    } catch  where error == .invalidArgument {
      // Some file systems keep no folders on a disk, and say so.
    }
  }

  /// `fchmod(2)` and, when the superuser makes a file beside another user's, `fchown(2)`.
  ///
  /// A refusal is not an error: the file then keeps what the system gave it.
  static func adopt(_ descriptor: Int32, permissionsAndOwnerOf model: FileStatus) {
    _ = fchmod(descriptor, mode_t(model.permissions & 0o666))
    if geteuid() == 0 { _ = fchown(descriptor, uid_t(model.owner), gid_t(model.group)) }
  }

  // MARK: Memory

  /// `mmap(2)` of a file, shared with every other process that maps it.
  static func map(
    _ descriptor: Int32, at offset: Int64, byteCount: Int, _ access: Access
  ) throws(ErrorNumber) -> UnsafeMutableRawPointer {
    let protection = access == .readOnly ? PROT_READ : PROT_READ | PROT_WRITE
    // SAFETY: the system chooses a free address.
    return unsafe try mapped(
      mmap(nil, byteCount, protection, MAP_SHARED, descriptor, off_t(offset)))
  }

  /// Zeroed memory that costs nothing until it is touched.
  static func mapZeroes(byteCount: Int) throws(ErrorNumber) -> UnsafeMutableRawPointer {
    // SAFETY: the system chooses a free address.
    unsafe try mapped(
      mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
  }

  /// Addresses without memory behind them; `commit` puts memory there.
  static func reserve(byteCount: Int) throws(ErrorNumber) -> UnsafeMutableRawPointer {
    // SAFETY: the system chooses a free address.
    unsafe try mapped(
      mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
  }

  /// Puts zeroed memory at reserved addresses; both numbers are multiples of `pageByteCount`.
  static func commit(
    _ address: UnsafeMutableRawPointer, byteCount: Int
  ) throws(ErrorNumber) {
    // SAFETY: the caller reserved these addresses and uses none of them yet.
    _ = try repeating { unsafe Int(mprotect(address, byteCount, PROT_READ | PROT_WRITE)) }
  }

  /// Gives the memory at committed addresses back, and keeps the addresses reserved.
  static func decommit(
    _ address: UnsafeMutableRawPointer, byteCount: Int
  ) throws(ErrorNumber) {
    // SAFETY: the caller reserved these addresses and they are no longer read.
    _ = unsafe try mapped(
      mmap(
        address, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
        -1, 0))
  }

  /// `munmap(2)` of what one of the calls above returned.
  static func unmap(_ address: UnsafeMutableRawPointer, byteCount: Int) {
    // SAFETY: the caller owns the mapping and lets go of it.
    let failure = unsafe munmap(address, byteCount)
    precondition(failure == 0, "only whole mappings are unmapped")
  }

  /// The unit of the system's memory protection, in bytes.
  static var pageByteCount: Int { Int(sysconf(Int32(_SC_PAGESIZE))) }

  // MARK: Locks

  enum LockKind { case shared, exclusive }

  /// Locks a range of a file for the open file description behind `descriptor`.
  ///
  /// Such a lock is the system's own: it ends when the last descriptor of the description is
  /// closed and the last mapping made through it unmapped, which a dying process does too. It
  /// holds against the other descriptions of the same process.
  ///
  /// - Returns: false when another holds a conflicting lock and `waiting` is false.
  static func lock(
    _ descriptor: Int32, _ range: Range<Int64>, _ kind: LockKind, waiting: Bool
  ) throws(ErrorNumber) -> Bool {
    var request = flock(kind == .shared ? F_RDLCK : F_WRLCK, range)
    let command = waiting ? OpenFileLock.setAndWait : OpenFileLock.set
    do throws(ErrorNumber) {
      // SAFETY: `request` lives for the length of the call.
      _ = try repeating { unsafe Int(fcntl(descriptor, command, &request)) }
      return true
    } catch  where !waiting && (error.rawValue == EAGAIN || error.rawValue == EACCES) {
      return false
    }
  }

  /// Ends a lock of this open file description.
  static func unlock(_ descriptor: Int32, _ range: Range<Int64>) {
    var request = flock(F_UNLCK, range)
    // It can only fail for want of memory when it splits a range, and no range is split.
    // SAFETY: `request` lives for the length of the call.
    _ = unsafe fcntl(descriptor, OpenFileLock.set, &request)
  }

  /// Whether another open file description, in this process or another, locks a byte of `range`.
  static func isLockedByAnother(
    _ descriptor: Int32, _ range: Range<Int64>
  ) throws(ErrorNumber) -> Bool {
    var request = flock(F_WRLCK, range)
    // SAFETY: `request` lives for the length of the call, which fills it.
    _ = try repeating { unsafe Int(fcntl(descriptor, OpenFileLock.get, &request)) }
    return Int32(request.l_type) != Int32(F_UNLCK)
  }

  // MARK: Waiting

  /// Waits until a wake-up of those that wait for `word`, in this process or another that shares
  /// the memory, unless `word` is not `seen` already.
  ///
  /// It may return early, so the caller looks again.
  static func wait(
    for word: UnsafeMutablePointer<Atomic<UInt32>>, toDifferFrom seen: UInt32, timeout: Duration
  ) {
    let (seconds, attoseconds) = timeout.components
    let nanoseconds =
      seconds < 1_000_000 ? seconds * 1_000_000_000 + attoseconds / 1_000_000_000 : Int64.max
    #if os(Linux) || os(Android)
    // SAFETY: the word lives for the length of the call, as the caller sees to.
    unsafe futex_wait(word, seen, nanoseconds)
    #else
    // Looks more and more seldom: often enough for who waits, seldom enough for a battery.
    var (waited, pause): (Int64, Int64) = (0, 500_000)
    while waited < nanoseconds,
      unsafe word.pointee.load(ordering: .sequentiallyConsistent) == seen
    {
      let length = min(pause, nanoseconds - waited)
      usleep(UInt32(length / 1_000 + 1))
      waited += length
      pause = min(pause * 5 / 4, 20_000_000)
    }
    #endif
  }

  /// Wakes all who wait for `word`; before, it was changed.
  static func wakeAll(waitingFor word: UnsafeMutablePointer<Atomic<UInt32>>) {
    #if os(Linux) || os(Android)
    // SAFETY: only the address counts.
    unsafe futex_wake_all(word)
    #endif
  }

  /// `pthread_create(3)`: runs `body` on a thread of its own, which may block.
  static func startThread(_ body: @escaping @Sendable () -> Void) throws(ErrorNumber) {
    let work = unsafe Unmanaged.passRetained(ThreadWork(body))
    #if canImport(Darwin)
    var thread: pthread_t?
    // SAFETY: the function takes over the reference that was retained above.
    let failure = unsafe pthread_create(&thread, nil, { unsafe runThread($0) }, work.toOpaque())
    if failure == 0, let thread = unsafe thread { unsafe pthread_detach(thread) }
    #else
    var thread = pthread_t()
    // SAFETY: the function takes over the reference that was retained above.
    let failure = unsafe pthread_create(&thread, nil, { unsafe runThread($0) }, work.toOpaque())
    if failure == 0 { pthread_detach(thread) }
    #endif
    guard failure == 0 else {
      unsafe work.release()
      throw ErrorNumber(rawValue: failure)
    }
  }

  // MARK: The process and its surroundings

  /// `getpid(2)`.
  static func processID() -> Int32 { getpid() }

  /// `time(2)`: seconds since 1970, UTC.
  package static func secondsSince1970() -> UInt64 {
    UInt64(clamping: time(nil))
  }

  /// `clock_gettime(2)` of the wall clock: milliseconds since 1970, UTC.
  package static func millisecondsSince1970() -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) * 1000 + UInt64(clamping: time.tv_nsec) / 1_000_000
  }

  /// `clock_gettime(2)` of this thread: the processor time that it has taken, in nanoseconds.
  package static func processorNanosecondsOfThread() -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) * 1_000_000_000 + UInt64(clamping: time.tv_nsec)
  }

  /// A number that stays the same in a thread and differs among threads, in its upper bits too.
  static func threadHash() -> UInt64 {
    #if canImport(Darwin)
    let address = unsafe UInt64(UInt(bitPattern: pthread_self()))
    #else
    let address = UInt64(truncatingIfNeeded: pthread_self())
    #endif
    // Threads lie at even distances, which the golden ratio spreads evenly.
    return address &* 0x9E37_79B9_7F4A_7C15
  }

  /// `sched_yield(2)`: lets a thread run that this one waits for.
  static func letOthersRun() {
    _ = sched_yield()
  }

  /// A random number, unlike any other.
  package static func randomNumber() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// `strerror(3)`: the operating system's own words for an error number.
  package static func message(for errno: Int32) -> String {
    // SAFETY: a constant string, or one that belongs to this thread, copied at once.
    guard let words = unsafe strerror(errno) else { return "unknown error" }
    return unsafe String(cString: words)
  }
}

extension SystemCalls {
  /// Calls again while a signal interrupts, and throws `errno` for a negative result.
  private static func repeating(_ call: () -> Int) throws(ErrorNumber) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let failure = errno
      if failure != EINTR { throw ErrorNumber(rawValue: failure) }
    }
  }

  /// Turns what `mmap` returns into an address or an error.
  private static func mapped(
    _ result: UnsafeMutableRawPointer?
  ) throws(ErrorNumber) -> UnsafeMutableRawPointer {
    let failure = errno
    guard let result = unsafe result, unsafe result != MAP_FAILED else {
      throw ErrorNumber(rawValue: failure)
    }
    return unsafe result
  }
}

/// What a thread does, as an object whose address can travel through C.
private final class ThreadWork {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Where a thread begins, with the address of its work.
private func runThread(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // SAFETY: the address of the object that was retained for this thread.
  if let work = unsafe work {
    unsafe Unmanaged<ThreadWork>.fromOpaque(work).takeRetainedValue().body()
  }
  return nil
}

/// The commands of locks that belong to an open file description, which headers hide behind
/// feature macros.
private enum OpenFileLock {
  #if canImport(Darwin)
  static let set: Int32 = 90
  static let setAndWait: Int32 = 91
  static let get: Int32 = 92
  #else
  static let get: Int32 = 36
  static let set: Int32 = 37
  static let setAndWait: Int32 = 38
  #endif
}

/// A lock request; the process id must be zero for locks of open file descriptions.
private func flock(_ kind: some BinaryInteger, _ range: Range<Int64>) -> flock {
  var request = flock()
  request.l_type = .init(truncatingIfNeeded: kind)
  request.l_whence = .init(SEEK_SET)
  request.l_start = off_t(range.lowerBound)
  request.l_len = off_t(range.upperBound - range.lowerBound)
  request.l_pid = 0
  return request
}

// Inside of `SystemCalls` the names `open` and `close` mean its own functions.
private func sysOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}
private func sysClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func sysRename(
  _ path: UnsafePointer<CChar>, _ newPath: UnsafePointer<CChar>
) -> Int32 {
  unsafe rename(path, newPath)
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    default: kind = .other
    }
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino))
    byteCount = UInt64(clamping: status.st_size)
    permissions = UInt32(status.st_mode) & 0o777
    owner = UInt32(status.st_uid)
    group = UInt32(status.st_gid)
  }
}
