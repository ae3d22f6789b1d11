import AtollTransport
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Atoll

/// `atoll backup`, a process of its own beside a server with devices, and what is restored from it.
@Suite(.waiting, .hangLimit) struct BackupTests {
  private static let password = "a long password"

  /// The output of the command, errors with it, and how it ended.
  private static func atoll(
    _ arguments: String..., before: String = ""
  ) async throws -> (output: String, ending: ChildProcess.Ending) {
    let process = try ChildProcess(
      "/bin/sh",
      ["-c", before + #"exec "$0" "$@" 2>&1"#, ChildProcess.path(ofProgram: "atoll")] + arguments)
    var lines: [String] = []
    while true {
      do {
        if let line = try process.receive(within: .zero) {
          lines.append(line)
        } else {
          try await _Concurrency.Task.sleep(for: .milliseconds(5))
        }
      } catch is ChildProcess.Failure { break }
    }
    return (lines.joined(separator: "\n"), process.waitForEnd())
  }

  /// `atoll serve` on a folder, and its address.
  private static func serve(_ folder: String) throws -> (ChildProcess, ServerAddress) {
    let process = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"exec "$0" "$@" 2>&1"#, ChildProcess.path(ofProgram: "atoll"), "serve", "--dir",
        folder, "--port", "0", "--development", "--log-level", "error",
      ])
    var greeting = ""
    while !greeting.contains("Ctrl-C") { greeting += try process.receive() + "\n" }
    let url = try #require(greeting.firstMatch(of: /https?:\/\/[0-9.]+:[0-9]+/))
    return (process, try ServerAddress(String(url.0)))
  }

  private static func task(_ name: String) -> Task {
    let task = Task()
    task.taskName = name
    return task
  }

  private static func names(_ device: TestDevice) async throws -> Set<String> {
    try await device.read { Set($0.objects(Task.self).map(\.taskName)) }
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
  }

  /// What the writers of a test share.
  private final class Writes: Sendable {
    let acknowledged = Mutex<Set<String>>([])
    let isDone = Atomic(false)
  }

  @Test func aBackupUnderLoadHasAllThatWasAcknowledgedBefore() async throws {
    let world = try await SyncWorld()
    let (server, copy) = (world.folder.path(of: "server"), world.folder.path(of: "copy"))
    let devices = [
      try await world.device("one"), try await world.device("two"), try await world.device("three"),
    ]
    for device in devices { try await device.update { $0.append(QuerySubscription<Task>()) } }
    let writes = Writes()
    let before = try await withThrowingTaskGroup(
      of: Void.self, returning: Set<String>.self
    ) { group in
      // Also when the backup fails.
      defer { writes.isDone.store(true, ordering: .relaxed) }
      for (number, device) in devices.enumerated() {
        group.addTask {
          var count = 0
          while !writes.isDone.load(ordering: .relaxed) {
            let name = "\(number) \(count)"
            try await device.write { $0.add(Self.task(name)) }
            try await device.upload()
            writes.acknowledged.withLock { _ = $0.insert(name) }
            count += 1
          }
        }
      }
      try await eventually { writes.acknowledged.withLock { $0.count } >= 30 }
      let before = writes.acknowledged.withLock { $0 }
      let (output, ending) = try await Self.atoll("backup", server, copy, "--json")
      writes.isDone.store(true, ordering: .relaxed)
      #expect(ending == .status(0), "\(output)")
      #expect(output.contains(#""leftOut":[]"#))
      try await group.waitForAll()
      return before
    }
    for name in ["store.atoll", "accounts.atoll"] {
      let (output, ending) = try await Self.atoll("check", "\(copy)/\(name)")
      #expect(ending == .status(0), "\(output)")
    }
    await world.stopServer()

    // Another server on it, at a port of its own.
    let (process, address) = try Self.serve(copy)
    defer { process.kill() }
    let client = LoginClient(address, appID: world.app.appId)
    let user = devices[0].user
    _ = try await client.refresh(try #require(user.refreshToken))
    let app = App(
      unsharedID: world.app.appId,
      configuration: AppConfiguration(baseURL: address.description),
      folder: URL(filePath: world.folder.path(of: "other accounts")))
    let again = try await app.login(
      credentials: .emailPassword(email: "one@example.com", password: Self.password))
    #expect(again.id == user.id)
    let reader = TestDevice(again, file: URL(filePath: world.folder.path(of: "reader.atoll")))
    try await reader.update { $0.append(QuerySubscription<Task>()) }
    let restored = try await Self.names(reader)
    #expect(restored.isSuperset(of: before), "\(before.subtracting(restored))")
    try await reader.goOffline()
    await reader.forgetRealm()
  }

  /// Some devices were connected all the time, others have connected since, and one is newer than
  /// the backup.
  enum Kind: CaseIterable { case connected, reconnected, new }

  /// Nothing that a device has is undone without a word and a copy.
  ///
  /// Promise: reset.older.
  @Test(arguments: Kind.allCases, [BootstrapMode.atomic, .progressive])
  func aDeviceThatIsAheadKeepsACopyOfWhatTheServerLacks(
    kind: Kind, mode: BootstrapMode
  ) async throws {
    let world = try await SyncWorld()
    let (server, copy) = (world.folder.path(of: "server"), world.folder.path(of: "copy"))
    let other = try await world.device("other")
    try await other.update { $0.append(QuerySubscription<Task>()) }
    try await other.write { realm in
      realm.add(Self.task("old"))
      realm.add(Self.task("kept"))
    }
    try await other.synchronize()
    // The users are older than the backup.
    let device = try await world.device("one", bootstrapMode: mode)
    if kind != .new {
      try await device.update { $0.append(QuerySubscription<Task>()) }
      try await device.synchronize()
    }
    let (output, ending) = try await Self.atoll("backup", server, copy)
    #expect(ending == .status(0), "\(output)")
    if kind == .new { try await device.update { $0.append(QuerySubscription<Task>()) } }
    if kind == .reconnected {
      try await device.reconnect()
      try await device.synchronize()
    }
    try await device.write { realm in
      realm.objects(Task.self).where { $0.taskName == "old" }.first?.taskName = "renamed"
    }
    try await device.synchronize()
    await world.stopServer()
    try await device.write { $0.add(Self.task("pending")) }
    try FileManager.default.removeItem(atPath: server)
    try FileManager.default.copyItem(atPath: copy, toPath: server)
    try await world.startServer()
    try await device.reconnect()
    try await device.synchronize()
    #expect(try await Self.names(device) == ["old", "kept", "pending"])
    let errors = world.refusals.withLock { $0.filter { $0.code == .clientResetError } }
    // The other device has received what this one had written, and keeps a copy of its own.
    let own = errors.compactMap { $0.clientResetInfo()?.0 }.filter { $0.contains("one-newer-") }
    #expect(own.count == 1, "\(errors)")
    var configuration = Realm.Configuration(fileURL: URL(filePath: try #require(own.first)))
    configuration.objectTypes = [Task.self]
    let kept = try Self.open(configuration)
    #expect(kept == ["renamed", "kept", "pending"])
    await world.stopServer()
  }

  private static func open(_ configuration: Realm.Configuration) throws -> Set<String> {
    Set(try Realm(configuration: configuration).objects(Task.self).map(\.taskName))
  }

  /// A reset that takes nothing away makes no copy.
  @Test func aDeviceThatHasNothingNewerGoesOnWithoutAWord() async throws {
    let world = try await SyncWorld()
    let (server, copy) = (world.folder.path(of: "server"), world.folder.path(of: "copy"))
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.write { $0.add(Self.task("old")) }
    try await device.synchronize()
    _ = try await Self.atoll("backup", server, copy)
    try await device.reconnect()
    try await device.synchronize()
    await world.stopServer()
    try FileManager.default.removeItem(atPath: server)
    try FileManager.default.copyItem(atPath: copy, toPath: server)
    try await device.write { $0.objects(Task.self).first?.taskName = "edited" }
    try await world.startServer()
    try await device.reconnect()
    try await device.synchronize()
    #expect(try await Self.names(device) == ["edited"])
    #expect(world.refusals.withLock { $0.filter { $0.code == .clientResetError }.isEmpty })
    await world.stopServer()
  }

  @Test func aBackupThatIsKilledLeavesNothingThatLooksWhole() async throws {
    let world = try await SyncWorld()
    let server = world.folder.path(of: "server")
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.write { $0.add(Self.task("old")) }
    try await device.synchronize()
    // Long enough to be met while it is copied.
    let file = try FileHandle(forWritingTo: Self.makeFile("\(server)/certificate.pem"))
    try file.truncate(atOffset: 32 << 20)
    try file.close()
    var isMet = false
    for attempt in 0..<200 where !isMet {
      let copy = world.folder.path(of: "copy \(attempt)")
      let process = try ChildProcess(
        ChildProcess.path(ofProgram: "atoll"), ["backup", server, copy])
      try await eventually {
        let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
        return names.contains { $0.hasPrefix("copy \(attempt)") }
      }
      process.kill()
      isMet = !Self.exists(copy)
      if !isMet {
        // It was faster, and is whole.
        let (output, ending) = try await Self.atoll("check", "\(copy)/store.atoll")
        #expect(ending == .status(0), "\(output)")
        try FileManager.default.removeItem(atPath: copy)
      }
    }
    #expect(isMet)
    let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
    let draft = try #require(names.first { $0.contains(".incomplete-") })
    #expect(draft.hasPrefix("copy "))
    // Nothing of it holds the server up, or its file.
    try await device.write { $0.add(Self.task("later")) }
    try await device.synchronize()
    let (info, _) = try await Self.atoll("info", "\(server)/store.atoll", "--json")
    #expect(info.contains(#""pinnedVersions":[]"#), "\(info)")
    try FileManager.default.removeItem(atPath: "\(server)/certificate.pem")
    let (output, ending) = try await Self.atoll("backup", server, world.folder.path(of: "copy"))
    #expect(ending == .status(0), "\(output)")
    await world.stopServer()
  }

  private static func makeFile(_ path: String) throws -> URL {
    try Data().write(to: URL(filePath: path))
    return URL(filePath: path)
  }

  /// The system lets no file get as long as the copy of the store has to be.
  @Test(arguments: [true, false])
  func aBackupWithoutRoomLeavesNothing(isTold: Bool) async throws {
    let world = try await SyncWorld()
    let (server, copy) = (world.folder.path(of: "server"), world.folder.path(of: "copy"))
    let device = try await world.device("one")
    try await device.update { $0.append(QuerySubscription<Task>()) }
    try await device.write { realm in
      var random = SplitMix64(seed: 1)
      for _ in 0..<200 {
        realm.add(Self.task("\(random.next()) \(random.next()) \(random.next())"))
      }
    }
    try await device.synchronize()
    let limit = "ulimit -c 0; ulimit -f 16; "
    let (output, ending) = try await Self.atoll(
      "backup", server, copy, before: isTold ? "trap '' XFSZ; " + limit : limit)
    #expect(!Self.exists(copy))
    if isTold {
      #expect(ending == .status(1) && output.contains("File too large"), "\(output)")
      let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
      #expect(!names.contains { $0.contains(".incomplete-") })
    } else {
      // Ended by the signal in the middle, while it read a version of the store; by an error where
      // whoever started the tests ignores the signal.
      #expect(ending == .signal(SIGXFSZ) || ending == .status(1), "\(output)")
      try await device.write { $0.add(Self.task("later")) }
      try await device.synchronize()
      let (info, _) = try await Self.atoll("info", "\(server)/store.atoll", "--json")
      #expect(info.contains(#""pinnedVersions":[]"#), "\(info)")
    }
    await world.stopServer()
  }

  @Test func whatCannotBeIsRefusedWithAStatus() async throws {
    let folder = TestSupport.TemporaryFolder()
    let none = try await Self.atoll("backup", folder.path(of: "none"), folder.path(of: "copy"))
    #expect(none.ending == .status(1) && none.output.contains("is no server's folder"))
    let world = try await SyncWorld()
    let server = world.folder.path(of: "server")
    let exists = try await Self.atoll("backup", server, world.folder.path)
    #expect(exists.ending == .status(1) && exists.output.contains("a backup is a new folder"))
    let inside = try await Self.atoll("backup", server, "\(server)/copy")
    #expect(inside.ending == .status(2) && inside.output.contains("name a folder outside"))
    await world.stopServer()
  }
}
