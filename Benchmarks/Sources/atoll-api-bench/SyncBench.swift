internal import Atoll
internal import Foundation
internal import Synchronization

/// The rows of sync: a server process, and devices of this process that talk to it over TCP.
@MainActor
struct SyncBench {
  private let app: App
  let user: User
  private let refusals: Refusals
  private let folder: URL
  let rowCount: Int
  let server: ServerProcess

  init(rowCount: Int, folder: URL, program: String) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let server = try ServerProcess(program: program, folder: folder.appending(path: "server"))
    let app = App(
      id: "bench-\(folder.lastPathComponent)-\(getpid())",
      configuration: AppConfiguration(baseURL: server.address))
    let refusals = Refusals()
    app.syncManager.errorHandler = { error, _ in
      if (error as? SyncError)?.code == .writeRejected { return refusals.add() }
      try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
    }
    self.app = app
    user = try await app.login(credentials: .anonymous)
    self.refusals = refusals
    self.folder = folder
    self.rowCount = rowCount
    self.server = server
  }

  func run(_ clientCount: Int) async throws {
    let first = try await device("first")
    try await subscribe(first)
    let second = try await device("second")
    try await subscribe(second)
    try await measureLatency(from: first, to: second)
    try await measurePushes(first)
    try await measureOutbox(first, second)
    try await measureCatchUp(first, second)
    second.invalidate()
    try await measureClients(clientCount, first)
    try await measureBootstrap(first)
  }

  // MARK: Devices

  /// Makes an account, and logs in with it.
  func register(_ name: String) async throws -> User {
    let (email, password) = ("\(name)@example.com", "a long password")
    try await app.emailPasswordAuth.registerUser(email: email, password: password)
    return try await app.login(credentials: .emailPassword(email: email, password: password))
  }

  func device(_ name: String, of owner: User? = nil) async throws -> Realm {
    var configuration = (owner ?? user).flexibleSyncConfiguration()
    configuration.fileURL = folder.appending(path: "\(name).atoll")
    configuration.objectTypes = [Sample.self, Notebook.self]
    return try await Realm(configuration: configuration, actor: MainActor.shared)
  }

  func subscribe(
    _ realm: Realm, _ subscription: QuerySubscription<Sample> = QuerySubscription(name: "all")
  ) async throws {
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      subscriptions.removeAll()
      subscriptions.append(subscription)
    }
  }

  func add(_ numbers: Range<Int>, to realm: Realm) throws {
    try realm.write {
      for number in numbers { realm.add(Sample(number: number)) }
    }
  }

  /// Waits until `condition` holds, which is tested whenever other tasks of the actor have run.
  func wait(_ realm: Realm, _ condition: () -> Bool) async throws {
    while true {
      realm.refresh()
      if condition() { return }
      try await Task.sleep(for: .microseconds(100))
    }
  }

  // MARK: Rows

  /// From the call of `write` on one device until another device reads the change.
  func measureLatency(
    from first: Realm, to second: Realm, _ row: String = "write to other device"
  ) async throws {
    if first.object(ofType: Sample.self, forPrimaryKey: 0) == nil { try add(0..<1, to: first) }
    try await wait(second) { second.object(ofType: Sample.self, forPrimaryKey: 0) != nil }
    guard let written = first.object(ofType: Sample.self, forPrimaryKey: 0),
      let seen = second.object(ofType: Sample.self, forPrimaryKey: 0)
    else { return }
    var times: [Double] = []
    for round in 1...300 {
      let start = ContinuousClock.now
      try first.write { written.count = round }
      try await wait(second) { seen.count == round }
      times.append(start.duration(to: .now).milliseconds)
    }
    times.sort()
    try report("\(row), half of them", times[times.count / 2], "ms", goal: nil)
    try report("\(row), 99 of 100", times[times.count * 99 / 100], "ms", goal: nil)
  }

  /// Transactions of one object each, which the server answers one by one.
  private func measurePushes(_ first: Realm) async throws {
    let count = min(10_000, rowCount)
    first.syncSession?.suspend()
    for number in 1...count { try add(number..<number + 1, to: first) }
    let start = ContinuousClock.now
    first.syncSession?.resume()
    try await first.syncSession?.wait(for: .upload)
    let seconds = start.duration(to: .now).milliseconds / 1000
    try report("pushes", Double(count) / seconds, "a second", goal: 20_000)
  }

  /// The delay of another device's change, while 10 000 transactions are sent from here, of which
  /// one is refused.
  private func measureOutbox(_ first: Realm, _ second: Realm) async throws {
    let count = min(10_000, rowCount)
    try await subscribe(second, QuerySubscription { $0.ratio >= 0 })
    second.refresh()
    second.syncSession?.suspend()
    let objects = Array(second.objects(Sample.self).prefix(count))
    for (number, object) in objects.enumerated() {
      try second.write { object.ratio += 1 }
      if number == count / 2 { try addOutside(of: second) }
    }
    guard let written = first.object(ofType: Sample.self, forPrimaryKey: 0),
      let seen = second.object(ofType: Sample.self, forPrimaryKey: 0)
    else { return }

    let upload = Upload()
    let start = ContinuousClock.now
    second.syncSession?.resume()
    let uploading = Task {
      try await second.syncSession?.wait(for: .upload)
      upload.isDone = true
    }
    var times: [Double] = []
    repeat {
      let start = ContinuousClock.now
      let name = "changed \(times.count)"
      try first.write { written.name = name }
      try await wait(second) { seen.name == name }
      times.append(start.duration(to: .now).milliseconds)
    } while !upload.isDone
    try await uploading.value
    try await second.syncSession?.wait(for: .download)
    let answered = start.duration(to: .now).milliseconds
    let row = "a change of others before an outbox of \(count)"
    try report(row + ", the first", times[0], "ms", goal: 1_000)
    let slowest = times.max() ?? 0
    try report(row + ", the slowest", slowest, "ms", goal: 100, checksum: refusals.count)
    try report("an outbox of \(count) until all is answered", answered, "ms", goal: nil)
  }

  /// Adds an object that the device does not subscribe to, which the server refuses.
  private func addOutside(of realm: Realm) throws {
    let sample = Sample(number: -1)
    sample.ratio = -1
    try realm.write { realm.add(sample) }
  }

  /// A new device, and before it the upload of what it will hold.
  private func measureBootstrap(_ first: Realm) async throws {
    let begin = 1_000_000_000
    let start = ContinuousClock.now
    for number in stride(from: begin, to: begin + rowCount, by: 10_000) {
      try add(number..<min(number + 10_000, begin + rowCount), to: first)
    }
    let written = start.duration(to: .now).milliseconds / 1000
    try await first.syncSession?.wait(for: .upload)
    let uploaded = start.duration(to: .now).milliseconds / 1000
    try report("write of \(rowCount) synced objects", written, "s", goal: nil)
    try report("upload of \(rowCount) objects", uploaded, "s", goal: nil)
    first.invalidate()

    let bootstrap = ContinuousClock.now
    let third = try await device("third")
    try await subscribe(third)
    let seconds = bootstrap.duration(to: .now).milliseconds / 1000
    third.refresh()
    try report(
      "bootstrap of \(rowCount) objects", seconds, "s", goal: 60,
      checksum: third.objects(Sample.self).count)
  }

  func report(
    _ row: String, _ value: Double, _ unit: String, goal: Int?, checksum: Int = 0
  ) throws {
    let goal = goal.map { ",\"goal\":\($0)" } ?? ""
    let line =
      "{\"row\":\"\(row)\",\"\(unit)\":\((value * 100).rounded() / 100)\(goal),"
      + "\"checksum\":\(checksum)}\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }
}

/// Whether an outbox is empty.
@MainActor
private final class Upload {
  var isDone = false
}

/// The writes that the server has refused.
private final class Refusals: Sendable {
  private let counter = Mutex(0)

  var count: Int { counter.withLock { $0 } }

  func add() { counter.withLock { $0 += 1 } }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
  }
}
