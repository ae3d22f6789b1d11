#if Sync
import AtollTransport
import Foundation
import Logging
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

@Suite(.waiting) struct ServerDirectoryTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path(of: "server") }

  private func open() throws(ServerError) -> ServerDirectory {
    try ServerDirectory(path, random: TestRandom().next)
  }

  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func aNewFolderIsForItsOwnerAlone() throws {
    let directory = try open()
    #expect(directory.isNew)
    #expect(try permissions(path) == 0o700)
    for name in ["token.key", "lock", "atoll-server"] {
      #expect(try permissions("\(path)/\(name)") == 0o600)
    }
    #expect(directory.tokenKey.count == 32)
  }

  @Test func aFolderKeepsItsKey() throws {
    let key = try open().tokenKey
    let again = try ServerDirectory(path, random: TestRandom(seed: 2).next)
    #expect(again.tokenKey == key)
    #expect(!again.isNew)
    #expect(!again.isKeyNew)
  }

  @Test func anEmptyFolderBecomesAServersAndIsClosedToOthers() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755])
    #expect(try open().isNew)
    #expect(try permissions(path) == 0o700)
  }

  @Test func twoServersCannotShareAFolder() throws {
    let first = try open()
    #expect(throws: ServerError.inUse(path: path, processID: getpid())) { try open() }
    withExtendedLifetime(first) {}
  }

  /// Closing a descriptor twice closes the file that another thread has opened meanwhile.
  @Test func aFolderInUseClosesNoFileOfOtherThreads() throws {
    let first = try open()
    let isDone = Atomic(false)
    let lost = Atomic(0)
    onThreads(2) { [path] index in
      if index == 0 {
        for _ in 0..<2_000 { _ = try? LockedFile("\(path)/lock", folder: path) }
        isDone.store(true, ordering: .releasing)
        return
      }
      while !isDone.load(ordering: .acquiring) {
        let descriptors = (0..<8).map { _ in dup(STDERR_FILENO) }
        for descriptor in descriptors where close(descriptor) != 0 {
          lost.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(lost.load(ordering: .relaxed) == 0)
    withExtendedLifetime(first) {}
  }

  @Test func theLockGoesWithItsServer() throws {
    _ = try open()
    _ = try open()
  }

  @Test func aFolderOfOthersStaysAsItIs() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data("hello".utf8).write(to: URL(filePath: "\(path)/letter.txt"))
    #expect(throws: ServerError.notAStore(path: path)) { try open() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["letter.txt"])
  }

  @Test func aFileIsNoFolder() throws {
    try Data().write(to: URL(filePath: path))
    #expect(throws: ServerError.notAFolder(path: path)) { try open() }
  }

  @Test func aFolderInNoFolderIsAnErrorOfTheSystem() throws {
    let path = folder.path(of: "missing/server")
    #expect(throws: ServerError.system(.create, path: path, errno: ENOENT)) {
      try ServerDirectory(path, random: TestRandom().next)
    }
  }

  @Test func aStartThatWasCutOffIsFinishedByTheNext() throws {
    _ = try open()
    // Killed before the marker was written: no client has seen the folder's key.
    try FileManager.default.removeItem(atPath: "\(path)/atoll-server")
    try Data("versi".utf8).write(to: URL(filePath: "\(path)/atoll-server.new"))
    #expect(try open().isNew)
    #expect(try !open().isNew)
  }

  /// Starts and stops a whole server in the folder.
  private func serve() async throws {
    let service = try SyncService.start(
      TestService.options(folder), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { _ in }
    await service.stop()
  }

  @Test(arguments: ["store.atoll", "accounts.atoll"])
  func aServerWhoseDatabaseIsMissingOrEmptyDoesNotStart(name: String) async throws {
    try await serve()
    try await serve()
    let database = URL(filePath: "\(path)/\(name)")
    let copy = try Data(contentsOf: database)
    let error = ServerError.missing(path: database.path())

    try FileManager.default.removeItem(at: database)
    await #expect(throws: error) { try await serve() }
    #expect(!FileManager.default.fileExists(atPath: database.path()))
    try Data().write(to: database)
    await #expect(throws: error) { try await serve() }
    #expect(try Data(contentsOf: database).isEmpty)
    if name == "accounts.atoll" {
      #expect(throws: error) {
        try ServerDirectory.withAccounts(of: path, random: TestRandom().next) { _ in }
      }
    }

    try copy.write(to: database)
    try await serve()
  }

  @Test(arguments: [[], ["accounts.atoll"], ["accounts.atoll", "store.atoll"]])
  func aFirstStartThatWasCutOffBeforeItsDatabasesIsFinishedByTheNext(
    empty names: [String]
  ) async throws {
    _ = try open()
    for name in names { try Data().write(to: URL(filePath: "\(path)/\(name)")) }
    try await serve()
    let store = "\(path)/store.atoll"
    try FileManager.default.removeItem(atPath: store)
    await #expect(throws: ServerError.missing(path: store)) { try await serve() }
  }

  @Test func aLostKeyIsMadeAgain() throws {
    let key = try open().tokenKey
    try FileManager.default.removeItem(atPath: "\(path)/token.key")
    let again = try ServerDirectory(path, random: TestRandom(seed: 2).next)
    #expect(again.isKeyNew)
    #expect(again.tokenKey != key)
  }

  @Test(arguments: [0, 31, 33, 1_000]) func aDamagedKeyIsNotUsed(byteCount: Int) throws {
    _ = try open()
    try Data(count: byteCount).write(to: URL(filePath: "\(path)/token.key"))
    #expect(throws: ServerError.damaged(path: "\(path)/token.key")) { try open() }
  }

  @Test(arguments: ["", "version", "version x", "version 0", "version -1", "version 1 2", "\u{0}"])
  func aDamagedMarkerIsNoStore(text: String) throws {
    _ = try open()
    try Data(text.utf8).write(to: URL(filePath: "\(path)/atoll-server"))
    #expect(throws: ServerError.damaged(path: "\(path)/atoll-server")) { try open() }
  }

  @Test func aNewerFolderIsRefused() throws {
    _ = try open()
    try Data("version 2\n".utf8).write(to: URL(filePath: "\(path)/atoll-server"))
    #expect(
      throws: ServerError.unsupportedStore(path: path, version: 2, newestSupported: 1)
    ) { try open() }
  }

  @Test func aDamagedDatabaseSaysWhatToDo() async throws {
    let service = try await TestService(in: folder)
    await service.service.stop()
    try Data(repeating: 65, count: 20_000)
      .write(to: URL(filePath: service.folder.path(of: "server/accounts.atoll")))
    let error = await #expect(throws: ServerError.self) { try await TestService(in: folder) }
    guard case .database? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("atoll check") == true)
  }

  @Test func everyErrorIsASentence() {
    let errors: [ServerError] = [
      .notAFolder(path: "p"), .notAStore(path: "p"), .inUse(path: "p", processID: 7),
      .inUse(path: "p", processID: nil), .damaged(path: "p"), .missing(path: "p"),
      .unsupportedStore(path: "p", version: 2, newestSupported: 1),
      .system(.read, path: "p", errno: EACCES), .developmentOutsideLoopback(host: "0.0.0.0"),
      .developmentWithRules(configuration: "p"), .noApp(configuration: "p"),
      .listening(.portInUse(host: "h", port: 1)),
      .listening(.notBindable(host: "h", port: 1, errno: EACCES)),
      .listening(.notBindable(host: "h", port: 1, errno: nil)),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
  }
}
#endif
