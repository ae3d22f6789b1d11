import AtollStorage
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.computing) struct PosixFileTests {
  let folder = TemporaryFolder()

  @Test(arguments: [PosixFile.Mode.readOnly, .readWrite, .create])
  func aFolderIsRefusedInTheSystemsWords(_ mode: PosixFile.Mode) {
    let error = error(opening: folder.path, mode)
    #expect(error == .io(operation: .open, path: folder.path, errno: EISDIR))
    #expect(error?.description.contains(folder.path) == true)
    #expect(error?.description.contains(String(cString: strerror(EISDIR))) == true)
  }

  @Test(arguments: [PosixFile.Mode.readOnly, .readWrite])
  func aMissingFileIsRefusedAndNotMade(_ mode: PosixFile.Mode) {
    let path = folder.path(of: "missing")
    #expect(error(opening: path, mode) == .io(operation: .open, path: path, errno: ENOENT))
    #expect(access(path, F_OK) != 0)
  }

  @Test func aMissingFolderIsRefused() {
    let path = folder.path(of: "missing/data")
    #expect(error(opening: path, .create) == .io(operation: .open, path: path, errno: ENOENT))
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser may do all"))
  func aMissingPermissionIsRefused() throws {
    let path = folder.path(of: "data")
    try PosixFile(path: path, mode: .create).close()
    chmod(path, 0o444)
    #expect(error(opening: path, .readWrite) == .io(operation: .open, path: path, errno: EACCES))
    #expect(error(opening: path, .readOnly) == nil)
    chmod(path, 0)
    #expect(error(opening: path, .readOnly) == .io(operation: .open, path: path, errno: EACCES))
  }

  @Test func aPathWithAZeroByteOpensNoOtherFile() throws {
    try PosixFile(path: folder.path(of: "data"), mode: .create).close()
    let path = folder.path(of: "data\0base")
    #expect(error(opening: path, .readOnly) == .io(operation: .open, path: path, errno: EINVAL))
  }

  @Test(arguments: [PosixFile.Mode.readOnly, .readWrite])
  func aPipeIsNoDatabaseAndDoesNotBlock(_ mode: PosixFile.Mode) {
    let path = folder.path(of: "pipe")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(error(opening: path, mode) == .notADatabase(path: path))
  }

  @Test func aLinkToNowhereIsRefused() {
    let path = folder.path(of: "link")
    #expect(symlink(folder.path(of: "nowhere"), path) == 0)
    #expect(error(opening: path, .create) == .io(operation: .open, path: path, errno: ENOENT))
  }

  @Test func aFileOpenForReadingRefusesChanges() throws {
    let path = folder.path(of: "data")
    try PosixFile(path: path, mode: .create).write([1, 2], at: 0)
    let file = try PosixFile(path: path, mode: .readOnly)
    #expect(try file.bytes(at: 0, count: 9) == [1, 2])
    #expect(try file.window(0).load(fromByteOffset: 1, as: UInt8.self) == 2)
    #expect(throws: StorageError.readOnly(path: path)) { try file.write([3], at: 0) }
    #expect(throws: StorageError.readOnly(path: path)) { try file.setByteCount(1) }
    #expect(throws: StorageError.readOnly(path: path)) { try file.synchronize(.full) }
    #expect(try file.byteCount() == 2)
  }

  @Test func twoPathsToOneFileAreOneIdentity() throws {
    let file = try PosixFile(path: folder.path(of: "data"), mode: .create)
    #expect(symlink("data", folder.path(of: "link")) == 0)
    let other = try PosixFile(path: folder.path(of: "link"), mode: .readWrite)
    #expect(other.identity == file.identity)
    #expect(other.canonicalPath == file.canonicalPath)
    let stranger = try PosixFile(path: folder.path(of: "stranger"), mode: .create)
    #expect(stranger.identity != file.identity)
  }

  @Test func noticesThatItsFileWasReplacedOrDeleted() throws {
    let path = folder.path(of: "data")
    let file = try PosixFile(path: path, mode: .create)
    try file.checkPlace()
    try PosixFile(path: folder.path(of: "other"), mode: .create).close()
    #expect(rename(folder.path(of: "other"), path) == 0)
    #expect(throws: StorageError.moved(path: path, .replaced)) { try file.checkPlace() }
    let second = try PosixFile(path: path, mode: .readWrite)
    try second.checkPlace()
    #expect(unlink(path) == 0)
    #expect(throws: StorageError.moved(path: path, .gone)) { try second.checkPlace() }
    // What was deleted can still be read by those who have it open.
    try second.write([1], at: 0)
    #expect(try second.bytes(at: 0, count: 1) == [1])
  }

  @Test func growthReservesDiskSpace() throws {
    let path = folder.path(of: "data")
    let file = try PosixFile(path: path, mode: .create)
    try file.setByteCount(4 << 20)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(Int(status.st_blocks) * 512 >= 4 << 20)
    try file.setByteCount(1 << 20)
    #expect(stat(path, &status) == 0)
    #expect(Int(status.st_blocks) * 512 < 2 << 20)
  }

  /// A file system of 1 MiB in memory, which only the superuser can make.
  @Test(.enabled(if: geteuid() == 0 && access("/bin/mount", X_OK) == 0, "needs a mount"))
  func aFullDiskIsAnErrorThatKeepsTheLength() throws {
    let mountPoint = folder.path(of: "small")
    #expect(mkdir(mountPoint, 0o700) == 0)
    let options = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", mountPoint]
    guard try ChildProcess("/bin/mount", options).waitForSuccess() else { return }
    defer { _ = try? ChildProcess("/bin/umount", [mountPoint]).waitForSuccess() }
    let path = "\(mountPoint)/data"
    let file = try PosixFile(path: path, mode: .create)
    defer { file.close() }
    try file.setByteCount(256 << 10)
    try file.write([1, 2, 3], at: 1000)
    #expect(throws: StorageError.io(operation: .resize, path: path, errno: ENOSPC)) {
      try file.setByteCount(2 << 20)
    }
    #expect(try file.byteCount() == 256 << 10)
    #expect(try file.bytes(at: 1000, count: 3) == [1, 2, 3])
    // The space of the failed attempt came back.
    try file.setByteCount(900 << 10)
  }

  @Test func aFileLongerThanTheWindowsIsRefused() throws {
    let path = folder.path(of: "data")
    let file = try PosixFile(path: path, mode: .create)
    try file.setByteCount(4096)
    #expect(throws: StorageError.io(operation: .resize, path: path, errno: EFBIG)) {
      try file.setByteCount(5 << 40)
    }
    #expect(try file.byteCount() == 4096)
  }

  @Test func closingWhileOthersReadHarmsNoOtherFile() throws {
    for _ in 0..<50 {
      let file = try PosixFile(path: folder.path(of: "data"), mode: .create)
      try file.write([UInt8](repeating: 7, count: 64), at: 0)
      onThreads(4) { index in
        if index == 0 { return file.close() }
        for _ in 0..<50 {
          // The bytes of this file or `.closed`, never those of a file that got its number.
          guard let bytes = try? file.bytes(at: 0, count: 64) else { return }
          #expect(bytes == [UInt8](repeating: 7, count: 64))
        }
      }
    }
  }

  private func error(opening path: String, _ mode: PosixFile.Mode) -> StorageError? {
    do throws(StorageError) {
      _ = try PosixFile(path: path, mode: mode)
      return nil
    } catch {
      return error
    }
  }
}
