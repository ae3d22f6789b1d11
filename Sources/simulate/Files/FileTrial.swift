internal import AtollObjects
internal import AtollStorage
internal import TestSupport

/// The trial of one damaged file: opened, read, salvaged, changed and opened again.
struct FileTrial {
  /// What came of it.
  struct Outcome {
    /// Whether the file could be opened.
    var isOpen = false
    /// Whether everything could be read.
    var isWhole = false
    /// Whether `check` found something.
    var isFound = false
    /// Whether the change was committed.
    var isCommitted = false
    /// Whether a copy was made of what could be read.
    var isSalvaged = false

    /// In the order of `FilesCommand.kind`.
    var flags: [Bool] { [isOpen, isWhole, isFound, isCommitted, isSalvaged] }
  }

  /// The file before the damage.
  let sample: SampleFile
  /// The damaged file.
  let bytes: [UInt8]
  /// Whether a checksum tells of the damage, so that no answer may be wrong.
  let isStrict: Bool
  /// Whether a file that can be opened is salvaged too.
  let isSalvagedAnyway: Bool

  /// - Throws: `CaseViolation` for what no damaged file may do.
  func run() throws -> Outcome {
    weak var remaining: MemoryFile?
    let outcome = try run(&remaining)
    guard remaining == nil else { throw CaseViolation("stays open when no process uses it") }
    return outcome
  }

  private func run(_ tried: inout MemoryFile?) throws -> Outcome {
    var outcome = Outcome()
    let judge = Judge(isStrict: isStrict)
    let file = try MemoryFile(path: "damaged file", holding: bytes)
    tried = file
    guard let (database, snapshot) = try judge.open(file, sample) else {
      outcome.isSalvaged = try salvage(file, judge)
      return outcome
    }
    outcome.isOpen = true
    let version = snapshot.version
    guard let known = sample.versions[version] ?? (isStrict ? nil : sample.versions[sample.newest])
    else { throw CaseViolation("opens at version \(version)") }
    outcome.isWhole = try known.answers.verify(snapshot, isStrict: isStrict)
    outcome.isFound = try !database.check().findings.isEmpty
    if isStrict, !outcome.isFound {
      let isDamaged = version == sample.newest && isLivePageDamaged
      if isDamaged || !outcome.isWhole { throw CaseViolation("check finds no damage") }
    }
    if isSalvagedAnyway { outcome.isSalvaged = try salvage(file, judge) }
    outcome.isCommitted = try judge.succeeds {
      try SampleFile.change(database, known.answers, isStrict: isStrict)
    }
    try reopen(file, known, version, outcome, judge)
    _ = try judge.succeeds { try database.close() }
    return outcome
  }

  /// Copies what can be read into another file, and checks the copy.
  ///
  /// - Returns: whether there was anything to copy.
  private func salvage(_ file: MemoryFile, _ judge: Judge) throws -> Bool {
    let before = try file.bytes()
    let key = try sample.key.map { try EncryptionKey($0, path: file.path) }
    var salvaged: (SalvageReport, Database)?
    _ = try judge.succeeds {
      salvaged = try Database.salvage(file, key) {
        try SampleFile.open(MemoryFile(path: "copy", holding: []), key: sample.key, making: 99)
      } progress: { _ in
      }
    }
    guard try file.bytes() == before else {
      throw CaseViolation("is changed by salvaging it")
    }
    guard let (report, copy) = salvaged else { return false }
    let findings = try copy.check().findings
    guard findings.isEmpty else { throw CaseViolation("gives a bad copy: \(findings[0])") }
    if judge.isStrict {
      guard let known = sample.versions[report.version] else {
        throw CaseViolation("is salvaged at version \(report.version)")
      }
      try known.answers.verify(copy.snapshot(), listedIn: report)
    }
    return true
  }

  private func reopen(
    _ file: MemoryFile, _ known: SampleFile.Version, _ version: UInt64, _ outcome: Outcome,
    _ judge: Judge
  ) throws {
    guard let (database, snapshot) = try judge.open(file, sample) else {
      guard outcome.isCommitted, judge.isStrict else { return }
      throw CaseViolation("cannot be opened after a commit")
    }
    if judge.isStrict, snapshot.version != (outcome.isCommitted ? version + 1 : version) {
      throw CaseViolation("opens at version \(snapshot.version) after \(version)")
    }
    let answers = outcome.isCommitted ? known.changed : known.answers
    let isWhole = try answers.verify(snapshot, isStrict: judge.isStrict)
    let findings = try database.check().findings
    if judge.isStrict, !isWhole || outcome.isFound, findings.isEmpty, !outcome.isCommitted {
      throw CaseViolation("check finds no damage any more")
    }
    if judge.isStrict, !outcome.isFound, !findings.isEmpty {
      throw CaseViolation("is damaged by a commit: \(findings[0])")
    }
  }

  private var isLivePageDamaged: Bool {
    sample.image.liveBlocks.contains { block in
      let range = block * Block.byteCount..<(block + 1) * Block.byteCount
      return range.upperBound > bytes.count || bytes[range] != sample.bytes[range]
    }
  }
}

/// Decides which errors are right.
private struct Judge {
  let isStrict: Bool

  /// - Returns: whether `body` threw nothing.
  func succeeds(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let violation as CaseViolation { throw violation } catch {
      guard isStrict ? FileErrors.isDamage(error) : FileErrors.isTyped(error) else {
        throw CaseViolation("throws \(type(of: error)): \(error)")
      }
      return false
    }
  }

  func open(_ file: MemoryFile, _ sample: SampleFile) throws -> (Database, Snapshot)? {
    var opened: (Database, Snapshot)?
    _ = try succeeds {
      let database = try SampleFile.open(file, key: sample.key)
      opened = (database, try database.snapshot())
    }
    return opened
  }
}
