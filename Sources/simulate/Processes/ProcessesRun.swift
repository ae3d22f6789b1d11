internal import AtollObjects
internal import TestSupport

/// What came of one run, or of many.
struct ProcessesTally: Equatable, Sendable {
  var killCount = 0
  var stopCount = 0
  var commitCount = 0
  var verifiedVersionCount = 0
  /// Kills after which the commit that was under way was found in the file.
  var survivorCount = 0
  /// Versions that were listed as pinned by a reader that was suspended.
  var listedPinCount = 0
  /// Nanoseconds from the return of a commit to the moment at which a waiting process knew of it.
  var wakeUps: [UInt64] = []

  static func += (tally: inout ProcessesTally, other: ProcessesTally) {
    tally.killCount += other.killCount
    tally.stopCount += other.stopCount
    tally.commitCount += other.commitCount
    tally.verifiedVersionCount += other.verifiedVersionCount
    tally.survivorCount += other.survivorCount
    tally.listedPinCount += other.listedPinCount
    tally.wakeUps += other.wakeUps
  }
}

/// What must never happen.
struct ProcessesViolation: Error, Equatable, Sendable, CustomStringConvertible {
  enum Kind: String, CaseIterable, Sendable {
    /// An acknowledged commit is not in the file.
    case lost
    /// A version is no state between two commits, or a check finds faults, or something leaks.
    case unclean
    /// A process waits for another that is dead or suspended.
    case stuck
  }

  let kind: Kind
  let seed: UInt64
  let message: String
  /// The last things that were done.
  let history: [String]

  var description: String { "seed \(seed): \(kind.rawValue): \(message)" }
}

/// One file, a writer and two readers, and what is done to them.
///
/// The seed decides the work and the order of the events; at which instruction a signal hits is the
/// system's. What holds, and is verified:
///
/// 1. A commit whose writer said that it returned is in every version from then on. Of the commit
///    that was under way when the writer was killed, all is there or nothing.
/// 2. Every version that a reader sees, and keeps for a while, is a state between two commits.
/// 3. After a kill the next process opens the file and commits within `patience`. So do others
///    while a process is suspended that has no transaction.
/// 4. The dead pin nothing. A suspended reader pins its versions, which are listed with its process
///    and cost a bounded part of the file.
/// 5. Now and then the writer makes the file shorter, while readers read it, and is killed there
///    too.
/// 6. After every kill a check finds every page, index, link and free block where it should be.
final class ProcessesRun {
  let seed: UInt64
  private let isEncrypted: Bool
  private let killLimit: Int
  private(set) var tally = ProcessesTally()

  private let folder = TemporaryFolder()
  private let book: AccountBook
  private var model: AccountModel
  private var random: SplitMix64
  private var history: [String] = []

  private var writer: Actor?
  private var readers: [Actor] = []
  /// The newest commit that a writer acknowledged.
  private var acknowledged: Int64 = 0
  /// The newest commit that any process saw in the file.
  private var seen: Int64 = 0
  /// When the commits of the last moments had returned.
  private var commitTimes: [Int64: UInt64] = [:]
  private var liveByteCountMaximum: UInt64 = 0

  /// A process, and what it said last.
  private final class Actor {
    let role: ActorCommand.Role
    let process: ChildProcess
    var isIdle = false
    /// When it was last resumed.
    var resumeTime: UInt64 = 0

    init(_ role: ActorCommand.Role, _ process: ChildProcess) {
      self.role = role
      self.process = process
    }
  }

  /// How long a process may take for anything, on a machine that is busy with other work.
  private let patience: Duration = .seconds(30)

  init(seed: UInt64, killLimit: Int) throws {
    self.seed = seed
    self.killLimit = killLimit
    isEncrypted = seed % 2 == 1
    book = AccountBook(seed: seed)
    model = try AccountModel(book)
    random = SplitMix64(seed: ~seed)
  }

  private var path: String { folder.path(of: "accounts.atoll") }

  func run() throws {
    do {
      try AccountFile.make(path, isEncrypted: isEncrypted, book)
      try startAll()
      while tally.killCount < killLimit {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...10: try killWriter()
        case 11...12: try killReader()
        case 13...14: try killAll()
        case 15...17: try suspendReader()
        default: try suspendWriter()
        }
      }
      try end()
    } catch let violation as ProcessesViolation {
      throw violation
    } catch let wrong as WrongVersion {
      throw violation(.unclean, wrong.description)
    } catch {
      throw violation(.unclean, "\(error)")
    }
  }

  private func violation(_ kind: ProcessesViolation.Kind, _ message: String) -> ProcessesViolation {
    ProcessesViolation(kind: kind, seed: seed, message: message, history: history)
  }

  private func note(_ text: String) {
    history.append(text)
    if history.count > 12 { history.removeFirst() }
  }

  // MARK: Events

  /// The writer is killed at any moment, in a transaction or between two.
  private func killWriter() throws {
    guard let writer else { return }
    try go(writer, commitCount: 1_000_000)
    try awaitCommits(Int.random(in: 0...12, using: &random), of: writer)
    pauseForAMoment()
    if Int.random(in: 0..<8, using: &random) == 0 {
      // Killed while it is suspended, perhaps in a transaction.
      writer.process.suspend()
      note("writer suspended")
      pauseForAMoment()
    }
    try kill(writer)
    try startWriter()
    try verifyAll()
  }

  private func killReader() throws {
    guard let writer else { return }
    let reader = readers.remove(at: Int.random(in: readers.indices, using: &random))
    try go(writer, commitCount: Int.random(in: 5...15, using: &random))
    pauseForAMoment()
    try kill(reader)
    try awaitIdle(writer)
    readers.append(try start(.reader))
    // The next commit finds the pins of the dead.
    try go(writer, commitCount: 1)
    try awaitIdle(writer)
    try verifyAll()
  }

  /// No process has the file open then: the next one recovers it.
  private func killAll() throws {
    guard let writer else { return }
    try go(writer, commitCount: 1_000_000)
    try awaitCommits(Int.random(in: 0...6, using: &random), of: writer)
    pauseForAMoment()
    for actor in [writer] + readers { try kill(actor) }
    try startAll()
    try verifyAll()
  }

  /// A suspended reader retains its pages, and blocks no process.
  private func suspendReader() throws {
    guard let writer else { return }
    let reader = readers[Int.random(in: readers.indices, using: &random)]
    // While there are commits, so that it is likely in the middle of something.
    try go(writer, commitCount: Int.random(in: 20...50, using: &random))
    try awaitCommits(Int.random(in: 1...4, using: &random), of: writer)
    pauseForAMoment()
    reader.process.suspend()
    tally.stopCount += 1
    note("reader \(reader.process.processID) suspended")
    try awaitIdle(writer)
    let pins = try verifyAll().pins.filter { $0.processID == reader.process.processID }
    tally.listedPinCount += pins.count
    if Int.random(in: 0..<6, using: &random) == 0 {
      try kill(reader)
      readers.removeAll { $0 === reader }
      readers.append(try start(.reader))
      return
    }
    reader.process.resume()
    reader.resumeTime = SystemClock.nanoseconds()
    note("reader \(reader.process.processID) resumed")
  }

  /// A suspended writer that rests has no lock, so that another commits.
  private func suspendWriter() throws {
    guard let writer else { return }
    try go(writer, commitCount: Int.random(in: 1...5, using: &random))
    try awaitIdle(writer)
    writer.process.suspend()
    tally.stopCount += 1
    note("writer \(writer.process.processID) suspended at rest")
    try startWriter()
    try verifyAll()
    writer.process.resume()
    note("writer \(writer.process.processID) resumed")
    // It sees the other's commits, and continues from there.
    try go(writer, commitCount: 2)
    try awaitIdle(writer)
    try kill(writer)
  }

  /// Verifies the file a last time, without readers.
  private func end() throws {
    guard let writer else { return }
    for reader in readers { try kill(reader, isCounted: false) }
    readers = []
    try go(writer, commitCount: 2)
    try awaitIdle(writer)
    try verifyAll()
    try kill(writer, isCounted: false)
    self.writer = nil
    let database = try AccountFile.open(path, isEncrypted: isEncrypted)
    let pins = try verify(database).pins
    guard pins.isEmpty else { throw violation(.unclean, "the dead still pin \(pins)") }
    try database.close()
  }

  private func pauseForAMoment() {
    SystemClock.sleep(microseconds: Int.random(in: 0..<3_000, using: &random))
  }

  // MARK: Processes

  private func startAll() throws {
    writer = nil
    readers = []
    // Either may be the one that recovers the file.
    let isReaderFirst = Bool.random(using: &random)
    if isReaderFirst { readers.append(try start(.reader)) }
    try startWriter()
    while readers.count < 2 { readers.append(try start(.reader)) }
  }

  /// Starts a writer, which does one commit.
  private func startWriter() throws {
    let new = try start(.writer)
    writer = new
    try go(new, commitCount: 1)
    try awaitIdle(new)
  }

  private func start(_ role: ActorCommand.Role) throws -> Actor {
    var arguments = ["actor", role.rawValue, path, "--seed", "\(seed)"]
    if isEncrypted { arguments.append("--encrypted") }
    let actor = Actor(
      role, try ChildProcess(ChildProcess.path(ofProgram: "simulate"), arguments))
    note("\(role.rawValue) \(actor.process.processID) started")
    guard let line = try receive(from: actor) else {
      throw violation(.stuck, "a \(role.rawValue) could not open the file in \(patience)")
    }
    guard let number = Self.numbers(line, after: "open")?.first.map({ Int64($0) }) else {
      throw violation(.unclean, "a \(role.rawValue) that was started said: \(line)")
    }
    try found(number)
    return actor
  }

  /// The only writing process found this commit in the file.
  private func found(_ number: Int64) throws {
    guard number >= acknowledged else {
      throw violation(.lost, "the file is at commit \(number), and \(acknowledged) had returned")
    }
    guard number >= seen else {
      throw violation(.lost, "the file is at commit \(number), and \(seen) was seen in it")
    }
    guard number <= acknowledged + 1 else {
      throw violation(.unclean, "the file is at commit \(number) after commit \(acknowledged)")
    }
    seen = number
  }

  private func kill(_ actor: Actor, isCounted: Bool = true) throws {
    actor.process.kill()
    if isCounted { tally.killCount += 1 }
    note("\(actor.role.rawValue) \(actor.process.processID) killed")
    // What it said before it died counts.
    while let line = try? actor.process.receive(within: patience) { try heard(line, from: actor) }
  }

  private func go(_ writer: Actor, commitCount: Int) throws {
    writer.isIdle = false
    try writer.process.send("\(commitCount)")
  }

  private func awaitIdle(_ writer: Actor) throws {
    try listen(to: writer, "the writer did not come to rest") { writer.isIdle }
  }

  private func awaitCommits(_ count: Int, of writer: Actor) throws {
    let goal = acknowledged + Int64(count)
    try listen(to: writer, "the writer did not commit") { acknowledged >= goal }
  }

  /// Takes in what the processes say until something is the case.
  private func listen(
    to writer: Actor, _ complaint: String, until isReached: () -> Bool
  ) throws {
    let end = ContinuousClock.now.advanced(by: patience)
    while !isReached() {
      guard let line = try receive(from: writer, until: end) else {
        throw violation(.stuck, "\(complaint) in \(patience)")
      }
      try heard(line, from: writer)
    }
    for reader in readers { try hearOut(reader) }
  }

  /// Reads the output of a process so far.
  private func hearOut(_ actor: Actor) throws {
    while let line = try receive(from: actor, until: ContinuousClock.now) {
      try heard(line, from: actor)
    }
  }

  private func receive(
    from actor: Actor, until end: ContinuousClock.Instant? = nil
  ) throws -> String? {
    do {
      return try actor.process.receive(
        within: end.map { ContinuousClock.now.duration(to: $0) } ?? patience)
    } catch {
      throw violation(.unclean, "a \(actor.role.rawValue) ended by itself")
    }
  }

  private func heard(_ line: String, from actor: Actor) throws {
    if line == "idle" {
      actor.isIdle = true
    } else if line == "quiet" {
      return
    } else if let numbers = Self.numbers(line, after: "commit"), numbers.count == 2 {
      try committed(Int64(numbers[0]), at: numbers[1])
    } else if let numbers = Self.numbers(line, after: "saw"), numbers.count == 4 {
      tally.verifiedVersionCount += 1
      seen = max(seen, Int64(numbers[0]))
      // Only of a reader that waited when the commit after its last one came.
      if numbers[0] > numbers[1], let time = commitTimes[Int64(numbers[1]) + 1],
        numbers[2] < time, numbers[2] > actor.resumeTime
      {
        tally.wakeUps.append(numbers[3] > time ? numbers[3] - time : 0)
      }
    } else {
      throw violation(.unclean, "a \(actor.role.rawValue) said: \(line)")
    }
  }

  private func committed(_ number: Int64, at time: UInt64) throws {
    // One that was under way when its writer was killed may have become durable.
    guard (acknowledged + 1...acknowledged + 2).contains(number) else {
      throw violation(
        number <= acknowledged ? .lost : .unclean,
        "commit \(number) was done after commit \(acknowledged) had returned")
    }
    if number == acknowledged + 2 { tally.survivorCount += 1 }
    acknowledged = number
    tally.commitCount += 1
    commitTimes[number] = time
    commitTimes[number - 1_000] = nil
  }

  private static func numbers(_ line: String, after word: String) -> [UInt64]? {
    let words = line.split(separator: " ")
    guard words.first == word[...] else { return nil }
    return words.dropFirst().compactMap { UInt64($0) }
  }

  // MARK: Verification

  /// Compares the file with the model, in a separate process; the writer is idle.
  @discardableResult
  private func verifyAll() throws -> DatabaseStatus {
    for reader in readers { try hearOut(reader) }
    let database = try AccountFile.open(path, isEncrypted: isEncrypted, mode: .readOnly)
    let status = try verify(database)
    try database.close()
    return status
  }

  private func verify(_ database: Database) throws -> DatabaseStatus {
    let snapshot = try database.snapshot()
    let (number, accounts) = try AccountFile.contents(snapshot)
    try found(number)
    try model.advance(to: number)
    if accounts != model.accounts {
      let ids = Set(accounts.keys).union(model.accounts.keys)
      let id = ids.filter { accounts[$0] != model.accounts[$0] }.min() ?? -1
      throw violation(.unclean, "account \(id) is not what commit \(number) left")
    }
    if let finding = try database.check().findings.first {
      throw violation(.unclean, "the check of commit \(number) reports \(finding)")
    }
    let status = try database.status()
    try verify(status)
    return status
  }

  private func verify(_ status: DatabaseStatus) throws {
    let living = Set((readers + [writer].compactMap(\.self)).map(\.process.processID))
    for pin in status.pins where !living.contains(pin.processID) {
      // A writer that was suspended when another was started lives too, and pins nothing.
      throw violation(.unclean, "process \(pin.processID) pins version \(pin.version), and is dead")
    }
    liveByteCountMaximum = max(liveByteCountMaximum, status.liveByteCount)
    // Each reader holds four versions at most, and a version holds back its own pages at most.
    // Beside them lie the newest version, the one before it, one in the making, and what the file
    // grew by in advance. A file does not shrink, so it is the most there ever was that counts.
    let limit = 14 * liveByteCountMaximum + 1 << 20
    guard status.fileByteCount <= limit else {
      throw violation(
        .unclean,
        "the file has \(status.fileByteCount) bytes, where \(limit) would do for its versions")
    }
  }
}
