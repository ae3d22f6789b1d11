#if Sync
import AtollObjects
import AtollTransport
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// Copies of a server's folder.
@Suite(.computing) struct ServerBackupTests {
  private let folder = TemporaryFolder()
  private let random = TestRandom()
  private var source: String { folder.path(of: "server") }
  private var destination: String { folder.path(of: "copy") }

  /// A server's folder, with the databases open as a running server has them.
  private struct Server {
    let directory: ServerDirectory
    let store: Database
    let accounts: AccountStore

    init(_ path: String, _ random: TestRandom) throws {
      directory = try ServerDirectory(path, random: random.next)
      store = try directory.open(directory.storePath)
      accounts = try AccountStore(
        try directory.open(directory.accountsPath), options: .forTests, random: random.next)
      try directory.didStart()
      try store.write { transaction in
        try transaction.addClasses([
          ClassSchema(
            "Task", properties: [PropertySchema("_id", .int), PropertySchema("owner", .string)],
            primaryKey: "_id")
        ])
      }
      try accounts.setApp("app-1")
    }

    /// A new user writes an object.
    func write(_ number: Int64) throws {
      let host = HostKey("192.0.2.1")
      let user = try accounts.loginAnonymously(host: host, now: UInt64(number) * 1_000).user
      try store.write { transaction in
        try transaction.create("Task", ["_id": .int(number), "owner": .string(user)])
      }
    }

    func close() throws {
      accounts.close()
      try store.close()
      directory.release()
    }
  }

  private func makeServer() throws -> Server {
    let server = try Server(source, random)
    for number in 1...50 { try server.write(Int64(number)) }
    return server
  }

  @discardableResult
  private func backUp(
    free: UInt64? = nil, progress: @escaping (String, Double) -> Void = { _, _ in }
  ) throws -> ServerBackup.Report {
    try ServerBackup.make(
      of: source, at: destination, random: random.next, freeByteCount: { _ in free },
      progress: progress)
  }

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func owners(in path: String) throws -> [String] {
    let database = try Database.open(path)
    defer { try? database.close() }
    var owners: [String] = []
    try database.snapshot().table("Task").forEach { task in
      if case .string(let owner) = try task["owner"] { owners.append(owner) }
    }
    return owners
  }

  private func names(_ path: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: path))
  }

  private func put(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(source)/\(name)"))
  }

  @Test func whoHasWrittenWhatIsCopiedHasAnAccountInTheCopy() throws {
    let server = try makeServer()
    let number = Mutex<Int64>(1_000)
    let copied = Mutex<Set<String>>([])
    try backUp { name, _ in
      copied.withLock { _ = $0.insert(name) }
      // While each of the databases is copied.
      let next = number.withLock { number in
        number += 1
        return number
      }
      do { try server.write(next) } catch { Issue.record(error) }
    }
    #expect(copied.withLock { $0 } == ["store.atoll", "accounts.atoll"])
    try server.close()
    let owners = try owners(in: "\(destination)/store.atoll")
    #expect(owners.count >= 50)
    let accounts = try AccountStore(
      try Database.open("\(destination)/accounts.atoll"), options: .forTests, random: random.next)
    let known = Set(try accounts.users(now: 0).map(\.id))
    #expect(known.isSuperset(of: owners))
    accounts.close()
  }

  @Test func theCopyIsAServersFolderForItsOwnerAlone() throws {
    let server = try makeServer()
    let key = server.directory.tokenKey
    try put("app: app-1\n", "server.yaml")
    try FileManager.default.createDirectory(
      atPath: "\(source)/certificates/old", withIntermediateDirectories: true)
    try put("PEM", "certificates/chain.pem")
    try put("older", "certificates/old/chain.pem")
    try put("a database", "other.atoll")
    try put("a draft", "token.key.new")
    try FileManager.default.createSymbolicLink(
      atPath: "\(source)/link.pem", withDestinationPath: "/etc/hostname")
    let report = try backUp()
    #expect(report.leftOut == ["link.pem", "other.atoll"])
    #expect(report.fileCount == 7)
    #expect(report.version == (try server.store.status().version))
    try server.close()
    #expect(
      try names(destination) == [
        "store.atoll", "accounts.atoll", "token.key", "server.yaml", "atoll-server", "certificates",
      ])
    #expect(try permissions(destination) == 0o700)
    #expect(try permissions("\(destination)/certificates/old") == 0o700)
    var byteCount: UInt64 = 0
    for name in [
      "store.atoll", "accounts.atoll", "token.key", "server.yaml", "atoll-server",
      "certificates/chain.pem", "certificates/old/chain.pem",
    ] {
      #expect(try permissions("\(destination)/\(name)") == 0o600, "\(name)")
      let bytes = try Data(contentsOf: URL(filePath: "\(destination)/\(name)"))
      byteCount += UInt64(bytes.count)
      guard !name.hasSuffix(".atoll") else { continue }
      #expect(try bytes == Data(contentsOf: URL(filePath: "\(source)/\(name)")), "\(name)")
    }
    #expect(report.byteCount == byteCount)
    #expect(try names(folder.path) == ["server", "copy"])
    let again = try ServerDirectory(destination, random: random.next)
    #expect(!again.isNew && !again.isKeyNew && again.tokenKey == key)
    #expect(try again.open(again.storePath).snapshot().table("Task").count == 50)
  }

  private func failure(_ body: () throws -> Void) -> BackupError? {
    do {
      try body()
      return nil
    } catch { return error as? BackupError }
  }

  @Test func whatExistsIsNotWrittenOver() throws {
    let server = try makeServer()
    try FileManager.default.createDirectory(
      atPath: destination, withIntermediateDirectories: false)
    #expect(failure { try backUp() } == .destinationExists(path: destination))
    #expect(try names(destination).isEmpty)
    try FileManager.default.removeItem(atPath: destination)
    // Another backup ends while this one runs.
    let late = failure {
      try backUp { [destination] _, _ in
        try? FileManager.default.createDirectory(
          atPath: destination, withIntermediateDirectories: false)
      }
    }
    #expect(late == .destinationExists(path: destination))
    #expect(try names(folder.path) == ["server", "copy"])
    try server.close()
  }

  @Test func aCopyInsideOfTheFolderIsRefused() throws {
    let server = try makeServer()
    try FileManager.default.createDirectory(
      atPath: "\(source)/copies", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "link"), withDestinationPath: source)
    for inside in ["\(source)/copy", "\(source)/copies/1", "\(folder.path(of: "link"))/copy/"] {
      let error = failure {
        _ = try ServerBackup.make(of: source, at: inside, random: random.next)
      }
      if case .destinationInside = error { continue }
      Issue.record("\(inside): \(String(describing: error))")
    }
    #expect(try names("\(source)/copies").isEmpty)
    try server.close()
  }

  @Test func whatIsNoServersFolderIsRefused() throws {
    let empty = folder.path(of: "empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    for path in [empty, folder.path(of: "nothing")] {
      let error = failure {
        _ = try ServerBackup.make(of: path, at: destination, random: random.next)
      }
      #expect(error == .server(.notAServer(path: path)))
    }
    // The first start was cut off.
    try withExtendedLifetime(ServerDirectory(source, random: random.next)) {
      #expect(failure { try backUp() } == .isStarting(folder: source))
    }
    #expect(try names(folder.path) == ["empty", "server"])
  }

  @Test func aFolderThatLacksSomethingIsNotCopied() throws {
    try makeServer().close()
    for name in ["store.atoll", "accounts.atoll", "token.key"] {
      let aside = folder.path(of: "aside")
      try FileManager.default.moveItem(atPath: "\(source)/\(name)", toPath: aside)
      let error = failure { try backUp() }
      let expected: ServerError =
        name == "token.key"
        ? .system(.open, path: "\(source)/\(name)", errno: ENOENT)
        : .missing(path: "\(source)/\(name)")
      #expect(error == .server(expected))
      try FileManager.default.moveItem(atPath: aside, toPath: "\(source)/\(name)")
    }
    #expect(try names(folder.path) == ["server"])
    try backUp()
  }

  @Test func aDiskWithoutRoomIsNamedBeforeAnythingIsWritten() throws {
    let server = try makeServer()
    guard case .noRoom(destination, let needed, 1_000) = failure({ try backUp(free: 1_000) })
    else {
      Issue.record("no refusal")
      return
    }
    #expect(needed > 1_000)
    #expect(try names(folder.path) == ["server"])
    try backUp(free: needed)
    try server.close()
  }

  /// The file is damaged where only the copy reads it.
  @Test func aDamagedDatabaseLeavesNothing() throws {
    let server = try makeServer()
    try server.store.write { transaction in
      for number in 2_000..<12_000 {
        try transaction.create(
          "Task", ["_id": .int(Int64(number)), "owner": .string("\(number) \(random.next())")])
      }
    }
    try server.close()
    let path = "\(source)/store.atoll"
    var bytes = try Data(contentsOf: URL(filePath: path))
    for offset in stride(from: 3 * 4_096, to: bytes.count, by: 512) { bytes[offset] ^= 0x55 }
    try bytes.write(to: URL(filePath: path))
    let error = failure { try backUp() }
    let inner: ObjectError? =
      switch error {
      case .copying(path, let error), .server(.database(path, let error)): error
      default: nil
      }
    guard case .storage? = inner else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try names(folder.path) == ["server"])
  }
}
#endif
