internal import AtollStorage
internal import TestSupport

/// One run of a store on a simulated disk, compared with a model at every step.
///
/// The seed decides everything: no order of a set or dictionary, no clock and no address enters.
///
/// **The model.** `durable` is the newest version that is known to be on the disk: its commit
/// waited for that and returned, or the store says so when a transaction begins. `relaxed` are the
/// versions after it whose commits returned, the last of which is `current`, what the store shows.
/// `inFlight` is the version whose commit was called and did not return. After a power cut a file
/// opens at any of these, after the death of a process at one of the last two, and otherwise at
/// `current`; its number and all its contents must be those of the model.
///
/// From a commit that does not care for the order of writes until everything is synchronised, a
/// power cut may leave anything but wrong answers; the run then continues with a new file.
final class StorageRun {
  struct Version {
    var transaction: UInt64
    var contents: TreeContents
  }

  /// A reader that keeps its version during later commits.
  struct Pinned {
    let snapshot: StorageSnapshot
    let version: Version
    let blocks: BlockSet
  }

  /// A fault that waits to strike.
  enum Fault: Equatable {
    case failedWrite, fullDisk, failedSync, readError

    var event: StorageEvent {
      switch self {
      case .failedWrite: .failedWrites
      case .fullDisk: .fullDisks
      case .failedSync: .failedSyncs
      case .readError: .readErrors
      }
    }
  }

  /// Why something that was asked of the store was not done.
  enum Interruption: Equatable {
    case powerCut, death
    case fault(Fault)
  }

  let seed: UInt64
  let profile: StorageProfile
  /// That of the file when it is encrypted.
  let key: EncryptionKey?
  private(set) var tally = SeedTally<StorageEvent>()
  /// A number made from every change of the file: equal for equal runs.
  private(set) var digest: UInt64 = 0
  /// How many of the strikes have come.
  private(set) var struckCount = 0

  /// Decides what is done.
  var random: SplitMix64
  /// Decides what a power cut or a failed synchronisation leaves.
  var fate: SplitMix64
  var disk: SimulatedFile
  var process: ProcessFile
  var store: PageStore?
  /// What the processes that have the file open tell each other; nil when there is only one.
  var processes: SharedCoordinator?
  var other: OtherProcess?
  var pins: [Pinned] = []
  var durable: Version
  var relaxed: [Version] = []
  var current: Version
  /// Versions before `durable`: a careless commit may bring any of them back, as nothing tells the
  /// disk in which order to keep what lies in one block.
  var past: [Version] = []
  /// Whether a commit was careless since everything was synchronised.
  var isCareless = false
  /// The versions that a power cut during the commit of `current` could have brought back; empty
  /// when this run did not see it.
  var before: [Version] = []
  var inFlight: Version?
  var armed: Fault?
  var interruption: Interruption?
  /// From a power cut on, until it is known at which version the file opens.
  var hasLostPower = false
  /// From a power cut on, until a commit returns.
  var isRecovering = false
  /// Whether the open store has committed, so that closing it seals the file.
  var hasWritten = false
  private let strikes: [StorageStrike]
  private var isStrikeArmed = false
  private var step = 0
  private var remainingStepCount: Int
  private var history: [String] = []

  /// Plans the run of `seed`.
  ///
  /// `strikes` befall the run at chosen places; each is awaited when the one before has struck and
  /// the file is open again. Runs with faults of their own have none.
  init(seed: UInt64, strikes: [StorageStrike] = []) throws {
    self.seed = seed
    self.strikes = strikes
    let profile = StorageProfile(seed: seed)
    self.profile = profile
    key =
      profile.isEncrypted ? try EncryptionKey([UInt8](0..<64), path: "simulated") : nil
    if key != nil { tally[.encryptedFiles] += 1 }
    random = SplitMix64(seed: seed)
    fate = SplitMix64(
      seed: strikes.reduce(~seed) { seed, strike in
        (seed &* 31) &+ UInt64(4 * strike.operationCount + strike.kind.rawValue)
      })
    remainingStepCount = profile.stepCount
    disk = try SimulatedFile(capacity: 1 << 26)
    process = ProcessFile(disk)
    let contents = TreeContents(treeCount: profile.treeCount, keyCount: profile.keyCount)
    durable = Version(transaction: 1, contents: contents)
    current = durable
  }

  /// - Throws: `SeedViolation`.
  func run() throws {
    do {
      // The making of the file may fail too.
      armAtRandom()
      try open()
      try recover()
      while remainingStepCount > 0 {
        remainingStepCount -= 1
        step += 1
        armAtRandom()
        try takeStep()
        try recover()
      }
      try finish()
    } catch let violation as SeedViolation {
      throw violation
    } catch let wrong as WrongContents {
      throw violation(wrong.description)
    } catch let wrong as FormatError {
      throw violation("Format.md does not describe the file: \(wrong)")
    } catch {
      throw violation("\(error)")
    }
  }

  private func takeStep() throws {
    if processes != nil, Int.random(in: 0..<2, using: &random) == 0 {
      try changeProcess()
      if interruption != nil { return }
    }
    // The first transaction cleans up after a crash.
    if isRecovering { return try transact() }
    if Int.random(in: 0..<100, using: &random) < profile.compactionPercentage {
      return try compact()
    }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<62: try transact()
    case ..<66: try transact(cancelling: true)
    case ..<68: try synchronize()
    case ..<80: try pin()
    case ..<87: unpin()
    case ..<92: try comparePins()
    case ..<96: try check()
    default: try reopen()
    }
  }

  /// Closes the file in good order, and looks at it from all sides.
  private func finish() throws {
    try comparePins()
    try check()
    if profile.shape == .faults { disarm() }
    var isClosed = false
    while !isClosed {
      // A file that was only read since a crash would be left as it is.
      try transact()
      try recover()
      guard try closeOther() else {
        try recover()
        continue
      }
      if mayFlipBits { try flipBitsOfUnsealedFile() }
      if hasWritten, let store {
        isClosed = try attempt("closing", { try store.close() }) != nil
        if isClosed { isOnDisk(current) }
        try recover()
      }
    }
    try comparePins()
    try verifySealed()
    leave()
    // The same for all places of a strike.
    guard strikes.isEmpty else { return }
    try compareWithFormat()
    try open()
    leave()
    if mayFlipBits { try flipBits() }
    // Nothing was in flight.
    disk = try disk.afterPowerLoss(using: &fate, tearing: profile.tearing)
    try open()
    leave()
  }

  /// Whether bits are flipped at the end: once for all places of a strike, and seldom in large
  /// files.
  private var mayFlipBits: Bool {
    strikes.isEmpty && (profile.shape != .large || seed % 16 == 0)
  }

  // MARK: What is asked of the store

  /// Does what may be interrupted by what the run itself has planned, and notes the interruption.
  ///
  /// - Returns: nil when it was interrupted.
  /// - Throws: `SeedViolation` for every other error of the store.
  func attempt<Result>(_ action: String, _ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch let error as StorageError {
      if disk.hasLostPower {
        interruption = .powerCut
      } else if process.isDead {
        interruption = .death
      } else if let armed, isStruck(armed, error) {
        tally[armed.event] += 1
        interruption = .fault(armed)
        disarm()
      } else {
        throw violation("\(action): \(error)")
      }
      note("\(action) was interrupted: \(error)")
      return nil
    }
  }

  private func isStruck(_ fault: Fault, _ error: StorageError) -> Bool {
    guard case .io(let operation, _, let errno) = error else { return false }
    switch fault {
    case .failedWrite: return operation == .write && disk.faults.writesUntilFailure == nil
    case .fullDisk: return errno == 28
    case .failedSync:
      return operation == .synchronize && disk.faults.syncsUntilFailure == nil
    case .readError: return operation == .read && disk.faults.readsUntilFailure == nil
    }
  }

  // MARK: Faults to come

  private func armAtRandom() {
    guard profile.shape == .faults, armed == nil, disk.operationsUntilPowerLoss == nil,
      process.operationsUntilDeath == nil
    else { return }
    let countdown = Int.random(in: 0..<20, using: &random)
    var faults = SimulatedFile.Faults()
    switch Int.random(in: 0..<20, using: &random) {
    case ..<3: disk.operationsUntilPowerLoss = countdown
    case 3: process.operationsUntilDeath = countdown
    case 4:
      faults.writesUntilFailure = countdown / 2
      faults.failedWritePercentage = [0, 40, 70, 100][Int.random(in: 0..<4, using: &random)]
      armed = .failedWrite
    case 5:
      faults.syncsUntilFailure = countdown / 4
      armed = .failedSync
    case 6:
      // The length is known: nothing has failed yet.
      let byteCount = (try? disk.byteCount()) ?? 0
      faults.byteCountLimit = byteCount + UInt64.random(in: 0..<200_000, using: &random)
      armed = .fullDisk
    case 7:
      faults.readsUntilFailure = countdown / 4
      armed = .readError
    default: return
    }
    disk.faults = faults
  }

  func disarm() {
    armed = nil
    disk.faults = SimulatedFile.Faults()
    if profile.shape == .faults {
      disk.operationsUntilPowerLoss = nil
      process.operationsUntilDeath = nil
    }
  }

  /// Lets the next strike wait for its operation.
  func armNextStrike() {
    guard !isStrikeArmed, struckCount < strikes.count else { return }
    isStrikeArmed = true
    let count = strikes[struckCount].operationCount
    switch strikes[struckCount].kind {
    case .powerCut: disk.operationsUntilPowerLoss = count
    case .death: process.operationsUntilDeath = count
    case .failedSync:
      disk.faults.syncsUntilFailure = count
      armed = .failedSync
    case .failedWrite:
      disk.faults.writesUntilFailure = count
      disk.faults.failedWritePercentage = [0, 40, 70, 100][count % 4]
      armed = .failedWrite
    }
  }

  /// The interruption was by the pending strike, if there was one.
  func noteStrike() {
    guard isStrikeArmed else { return }
    isStrikeArmed = false
    struckCount += 1
    remainingStepCount = min(remainingStepCount, 2)
  }

  /// Reports a power cut to the counter, and plans the next one.
  func powerHasFailed() throws {
    tally[.powerCuts] += 1
    note("the power failed")
    if isRecovering { tally[.doubleCrashes] += 1 }
    hasLostPower = true
    isRecovering = true
    armed = nil
    disk = try disk.afterPowerLoss(using: &fate, tearing: profile.tearing)
    armCutSoon()
  }

  /// In half of the cases the power is cut while the first transaction puts things in order.
  func armCutSoon() {
    guard profile.shape == .faults, Bool.random(using: &random) else { return }
    disk.operationsUntilPowerLoss = Int.random(in: 0..<9, using: &random)
  }

  // MARK: Notes

  /// Remembers something that a violation would tell of.
  func note(_ happening: @autoclosure () -> String) {
    if history.count == 24 { history.removeFirst() }
    history.append("step \(step): \(happening())")
  }

  func count(_ event: StorageEvent) { tally[event] += 1 }

  /// Notes that a version of the model is on the disk.
  func isOnDisk(_ version: Version) {
    if version.transaction == current.transaction { isCareless = false }
    guard version.transaction > durable.transaction else { return }
    if profile.isCareless {
      past = (past + [durable] + relaxed.filter { $0.transaction < version.transaction }).suffix(
        512)
    }
    relaxed.removeAll { $0.transaction <= version.transaction }
    durable = version
  }

  /// Drops the store without closing it, as a process that dies does.
  func leave() {
    store = nil
    pins = []
    hasWritten = false
    addDigest(of: process)
    if let other { addDigest(of: other.process) }
    other = nil
  }

  func addDigest(of process: ProcessFile) {
    digest = (digest ^ process.digest) &* 0x9E37_79B9_7F4A_7C15
  }

  func violation(_ message: String) -> SeedViolation {
    SeedViolation(
      seed: seed, step: step, strikes: strikes.map(\.description), message: message,
      history: history)
  }
}
