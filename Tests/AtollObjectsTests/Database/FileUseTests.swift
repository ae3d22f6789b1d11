import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Who may have a database file open beside whom, and what is made beside it.
@Suite(.computing) struct FileUseTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path(of: "a.atoll") }

  private func make() throws -> Database {
    let database = try Database.open(path)
    try database.write { transaction in
      try transaction.addClass(ClassSchema("A", properties: [PropertySchema("n", .int)]))
      for n in 0..<100 { _ = try transaction.create("A", ["n": .int(Int64(n))]) }
    }
    return database
  }

  @Test func aClosedDatabaseIsInNobodysWay() throws {
    let database = try make()
    try database.close()
    let (before, after) = try Database.compact(path)
    #expect(after <= before)
    withExtendedLifetime(database) {}
  }

  @Test func aSnapshotKeepsAClosedDatabaseInUse() throws {
    let database = try make()
    var snapshot: Snapshot? = try database.snapshot()
    try database.close()
    let error = ObjectError.storage(.inUse(path: path, processIDs: [getpid()]))
    #expect(throws: error) { try Database.compact(path) }
    #expect("\(error)".hasSuffix(" is in use: process \(getpid()) has it open"))
    #expect(try snapshot?.table("A").count == 100)
    snapshot = nil
    _ = try Database.compact(path)
  }

  /// A reader of a read-only file system cannot show what it reads; writers elsewhere stay out.
  @Test func anUnseenReaderAndAWriterExcludeEachOther() throws {
    try make().close()
    let file = try PosixFile(path: path, mode: .readOnly)
    try LockFile.attachUnseen(to: file)
    let second = try PosixFile(path: path, mode: .readOnly)
    try LockFile.attachUnseen(to: second)
    let error = StorageError.inUse(path: path, processIDs: [])
    #expect(throws: ObjectError.storage(error)) { try Database.open(path) }
    let reader = try Database.open(path, options: .init(mode: .readOnly))
    try reader.close()
    file.close()
    second.close()

    let writer = try Database.open(path)
    let late = try PosixFile(path: path, mode: .readOnly)
    #expect(throws: error) { try LockFile.attachUnseen(to: late) }
    try writer.close()
    try LockFile.attachUnseen(to: late)
  }

  @Test(arguments: [Database.Options.Mode.readOnly, .readWrite, .create])
  func nothingIsMadeBesideAFileOfSomebodyElse(mode: Database.Options.Mode) throws {
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    let text = Array(String(repeating: "no database\n", count: 1_000).utf8)
    #expect(write(descriptor, text, text.count) == text.count)
    close(descriptor)
    #expect(throws: ObjectError.storage(.notADatabase(path: path))) {
      try Database.open(path, options: .init(mode: mode))
    }
    #expect(access(path + PosixFile.lockFileSuffix, F_OK) != 0)
  }

  /// As `cp` does, where a rename would have been right.
  @Test func aFileThatIsWrittenOverWhileItIsOpenIsNotCalledDamaged() throws {
    let other = try Database.open(folder.path(of: "other"))
    try other.write { try $0.addClass(ClassSchema("B", properties: [PropertySchema("n", .int)])) }
    try other.close()
    let database = try make()
    for _ in 0..<5 { try database.write { _ = try $0.create("A", ["n": .int(1)]) } }
    let source = try PosixFile(path: folder.path(of: "other"), mode: .readOnly)
    let target = try PosixFile(path: path, mode: .readWrite)
    var bytes = [UInt8](repeating: 0, count: Int(try source.byteCount()))
    _ = try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: 0) }
    try bytes.withUnsafeBytes { try target.write($0, at: 0) }
    #expect(throws: ObjectError.storage(.moved(path: path, .overwritten))) {
      try Database.open(path)
    }
    try? database.close()
  }

  enum Fate: CaseIterable {
    case deleted, moved, replaced
  }

  private func befall(_ fate: Fate) throws {
    switch fate {
    case .deleted: #expect(unlink(path) == 0)
    case .moved: #expect(rename(path, folder.path(of: "b.atoll")) == 0)
    case .replaced:
      let other = folder.path(of: "other")
      try Database.open(other).close()
      #expect(rename(other, path) == 0)
    }
  }

  /// What is written to a file that nobody finds any more is lost, whatever the commit says.
  @Test(arguments: Fate.allCases)
  func nothingIsWrittenToAFileThatIsGone(fate: Fate) throws {
    let database = try make()
    let snapshot = try database.snapshot()
    try befall(fate)
    let error = ObjectError.storage(
      .moved(path: path, fate == .replaced ? .replaced : .gone))
    var hasBegun = false
    #expect(throws: error) {
      try database.write { _ in hasBegun = true }
    }
    #expect(!hasBegun)
    // The writer lock is free again: the error comes once more, and not never.
    #expect(throws: error) { _ = try database.beginWrite() }
    #expect(try snapshot.table("A").count == 100)
    #expect(try database.snapshot().table("A").count == 100)
    if fate == .moved {
      #expect(rename(folder.path(of: "b.atoll"), path) == 0)
      try database.write { try $0.create("A", ["n": .int(100)]) }
      #expect(try database.snapshot().table("A").count == 101)
    }
    try database.close()
  }

  /// A version that another process made is not looked for in a file that is gone.
  @Test func aReaderOfAFileThatIsGoneIsToldBeforeItSeesAnotherVersion() throws {
    let database = try make()
    let reader = try Database.open(path, options: .init(mode: .readOnly))
    #expect(try reader.snapshot().table("A").count == 100)
    let transaction = try database.beginWrite()
    try transaction.create("A", ["n": .int(100)])
    try befall(.deleted)
    try transaction.commit()
    #expect(throws: ObjectError.storage(.moved(path: path, .gone))) { _ = try reader.snapshot() }
  }

  @Test func theCopyOfACompactionIsPrivate() throws {
    let copy = folder.path(of: "copy")
    try PosixFile.makePrivate(copy)
    var status = stat()
    #expect(stat(copy, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)

    try make().close()
    #expect(chmod(path, 0o640) == 0)
    _ = try Database.compact(path)
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
  }
}
