internal import ArgumentParser
internal import AtollObjects
internal import AtollStorage
internal import TestSupport

/// `simulate actor`: one of the processes of `simulate processes`, which starts it.
///
/// What it says, a line each, with times in nanoseconds of the system's monotonic clock:
///
///     open N               the file is open, and the version it found is commit N
///     commit N TIME        writer: commit N has returned
///     idle                 writer: it rests until it is told to go on
///     saw N LAST FROM TO   reader: waited from FROM to TO after commit LAST, and verified commit N
///     quiet                reader: nothing was committed for a while
///     wrong WORDS          a version is not what it should be, or a call failed
struct ActorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "actor", abstract: "One of the processes of 'simulate processes'.",
    shouldDisplay: false)

  enum Role: String, ExpressibleByArgument { case writer, reader }

  @Argument var role: Role
  @Argument var path: String
  @Option var seed: UInt64
  @Flag var encrypted = false

  func run() throws {
    do {
      let database = try AccountFile.open(path, isEncrypted: encrypted)
      say("open \(try AccountFile.verify(database.snapshot()))")
      switch role {
      case .writer: try write(database)
      case .reader: try read(database)
      }
    } catch {
      say("wrong \(error)")
    }
  }

  /// Exits when the output is closed: the listener is gone.
  private func say(_ line: String) {
    if !writeToStandardOutput(line) { Self.exit() }
  }

  // MARK: Writer

  /// For each line `N` does N commits, and rests.
  private func write(_ database: Database) throws {
    let book = AccountBook(seed: seed)
    var random = SplitMix64(seed: SystemClock.nanoseconds())
    while let line = readLine() {
      for _ in 0..<(Int(line) ?? 0) {
        let transaction = try database.beginWrite()
        let number = try AccountFile.nextCommit(transaction, book)
        // The death of a process undoes no commit that returned, whatever it waited for.
        try transaction.commit(durability: Durability.allCases.randomElement(using: &random))
        acknowledge(number)
        if Int.random(in: 0..<6, using: &random) == 0 { try compact(database, &random) }
        // Half of the time a moment of rest, in which a kill finds no transaction.
        if Bool.random(using: &random) {
          SystemClock.sleep(microseconds: Int.random(in: 0..<2_000, using: &random))
        }
      }
      say("idle")
    }
  }

  /// Makes the file shorter, or begins to.
  private func compact(_ database: Database, _ random: inout SplitMix64) throws {
    try database.compactInPlace(
      limits: CompactionLimits(
        transactionCount: Int.random(in: 1...6, using: &random), patience: .milliseconds(20),
        stepByteCount: 1 << 15))
  }

  private func acknowledge(_ number: Int64) {
    say("commit \(number) \(SystemClock.nanoseconds())")
  }

  // MARK: Reader

  /// Waits for each commit, verifies it, and keeps some versions to verify them again later.
  private func read(_ database: Database) throws {
    var random = SplitMix64(seed: SystemClock.nanoseconds())
    var held: [(snapshot: Snapshot, number: Int64)] = []
    var version: UInt64 = 0
    var last: Int64 = 0
    while true {
      let from = SystemClock.nanoseconds()
      guard try database.waitForCommit(after: version, timeout: .milliseconds(500)) != nil else {
        say("quiet")
        continue
      }
      let to = SystemClock.nanoseconds()
      let snapshot = try database.snapshot()
      let number = try AccountFile.verify(snapshot)
      guard snapshot.version > version, number >= last else {
        throw WrongVersion("commit \(number) came after commit \(last)")
      }
      say("saw \(number) \(last) \(from) \(to)")
      (version, last) = (snapshot.version, number)
      held.append((snapshot, number))
      while held.count > Int.random(in: 0...3, using: &random) {
        let old = held.removeFirst()
        guard try AccountFile.verify(old.snapshot) == old.number else {
          throw WrongVersion("version \(old.snapshot.version) changed while it was held")
        }
      }
    }
  }
}
