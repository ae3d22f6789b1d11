internal import AtollCapture
internal import AtollObjects
internal import AtollStorage
internal import AtollSync
internal import TestSupport

/// One run of some devices and a server, compared with a model at every step.
///
/// The seed decides everything: no order of a set or dictionary, no clock and no address enters.
///
/// **The models.** Each device has a `SyncModel`: the server's values, and the outbox replayed on
/// them; its file is compared after every step that touched it. Messages to the server go into a
/// `SyncJournal`, and are judged again at the end with the verdicts that the devices received
/// (`SyncJudgement`). The expected state is compared with the server's. Each device is compared
/// with a naive evaluation of its subscriptions, and with a new device that has the same ones.
final class SyncRun {
  let seed: UInt64
  let profile: SyncProfile
  let lists: ListHistory
  private let isVerbose: Bool
  var tally = SeedTally<SyncEvent>()
  /// A number made from every step: equal for equal runs.
  private(set) var digest: UInt64 = 0

  /// Decides what is done.
  var random: SplitMix64
  /// Decides what a power cut leaves.
  var fate: SplitMix64
  var milliseconds: UInt64 = 1_700_000_000_000
  var host: SyncServerHost?
  var devices: [SyncDevice] = []
  var connections: [SyncConnection] = []
  var journal = SyncJournal()
  /// What each life of a file sent under a number of an id: a number stands for one entry only.
  var sentDigests: [SentNumber: UInt64] = [:]
  /// The transactions that left a device.
  var sentEntries: Set<SyncJournal.PushName> = []
  /// Whether the server was ever restored from a backup: then it may lose what it sent.
  var isServerRestored = false
  private var step = 0
  private var history: [String] = []

  init(seed: UInt64, options: SyncOptions, isVerbose: Bool = false) {
    self.seed = seed
    lists = ListHistory(options.lists)
    self.isVerbose = isVerbose
    profile = SyncProfile(seed: seed, isHarsh: options.isHarsh, hasLists: options.lists.isOn)
    random = SplitMix64(seed: seed)
    fate = SplitMix64(seed: seed ^ 0xA5A5_A5A5_5A5A_5A5A)
  }

  func run() throws {
    lists.isExtant = { [unowned self] name in
      sentEntries.contains(name) || devices.contains { $0.holds(name) }
    }
    host = try SyncServerHost(seed: random.next(), milliseconds: milliseconds)
    for index in 0..<profile.deviceCount {
      let device = try SyncDevice(
        index: index, seed: random.next(), milliseconds: milliseconds,
        isProgressive: profile.isProgressive[index], lists: lists)
      devices.append(device)
      try onDevice(device) { try device.subscribe(&random) }
    }
    for _ in 0..<profile.stepCount { try doStep() }
    note("quiescence")
    try quiesce()
    try compareAll()
    try compareFreshDevices()
    try compareCosts()
  }

  // MARK: Telling

  func count(_ event: SyncEvent, _ number: Int = 1) { tally[event] += number }

  func note(_ text: @autoclosure () -> String) {
    let text = text()
    for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    if isVerbose { writeToStandardError("\(step): \(text)") }
    history.append(text)
    if history.count > 60 { history.removeFirst(20) }
  }

  func violation(_ message: String) -> SeedViolation {
    let text = message.count > 1_000 ? message.prefix(1_000) + "…" : message[...]
    return SeedViolation(
      seed: seed, step: step, message: String(text), history: Array(history.suffix(40)))
  }

  // MARK: Steps

  private func doStep() throws {
    step += 1
    count(.steps)
    advanceTime([0, 0, 0, 1, 3].randomElement(using: &random) ?? 0)
    let device = devices[Int.random(in: devices.indices, using: &random)]
    if device.partedStepCount > 0 { device.partedStepCount -= 1 }
    let action = profile.action(using: &random)
    note("\(action) \(device.index)")
    try perform(action, device)
  }

  func advanceTime(_ passed: UInt64) {
    milliseconds += passed
    host?.clock.milliseconds = milliseconds
    for (index, device) in devices.enumerated() {
      let skew = profile.skews[(device.origin ?? index) % profile.skews.count]
      device.clock.milliseconds = UInt64(Int64(milliseconds) + skew)
    }
  }

  private func perform(_ action: SyncProfile.Action, _ device: SyncDevice) throws {
    switch action {
    case .write: try write(device)
    case .writeLocally:
      count(.localTransactions)
      try onDevice(device) { try device.transactLocally(&random) }
    case .subscribe:
      count(.subscriptionChanges)
      try onDevice(device) { try device.subscribe(&random) }
    case .connect: try connect(device)
    case .drop: drop(device)
    case .send: try send(device)
    case .deliverUp:
      for _ in 0..<burst where !(try deliverUp(device)) { break }
    case .deliverDown:
      if device.overtaken != nil, Bool.random(using: &random) {
        try deliverLate(device)
      } else {
        for _ in 0..<burst where !(try deliverDown(device)) { break }
      }
    case .stream: try advanceServer()
    case .exchange: try exchange(device)
    case .disturb: try disturb(device)
    case .storm: try storm(device)
    case .overtake: try overtake(device)
    case .crashDevice:
      device.arm(
        powerCut: Bool.random(using: &random), after: Int.random(in: 0..<8, using: &random))
    case .crashServer:
      host?.arm(
        powerCut: Bool.random(using: &random), after: Int.random(in: 0..<12, using: &random))
    case .part:
      count(.partitions)
      drop(device)
      device.partedStepCount = Int.random(in: 5..<40, using: &random)
    case .copyDevice: try copy(device)
    case .backUpDevice: try device.backUp()
    case .restoreDevice: try restoreBackup(of: device)
    case .backUpServer: try backUpServer()
    case .restoreServer: try restoreServerBackup()
    case .wait: advanceTime(UInt64.random(in: 0..<profile.longestWait, using: &random))
    }
  }

  /// How many messages arrive at once.
  private var burst: Int { [1, 1, 2, 10].randomElement(using: &random) ?? 1 }

  /// All that a device and the server have to say at the moment, once there and back.
  private func exchange(_ device: SyncDevice) throws {
    try connect(device)
    if Int.random(in: 0..<10, using: &random) == 0 { try askForVerification(of: device) }
    try send(device)
    while try deliverUp(device) {}
    try advanceServer()
    while try deliverDown(device) {}
    try send(device)
  }

  /// Connections that end after few messages, on both sides of any of them.
  private func storm(_ device: SyncDevice) throws {
    count(.storms)
    for _ in 0..<Int.random(in: 3..<12, using: &random) {
      drop(device)
      try connect(device)
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try send(device)
        case 1: _ = try deliverUp(device)
        case 2: try advanceServer()
        default: _ = try deliverDown(device)
        }
      }
      advanceTime(.random(in: 1...10, using: &random))
    }
  }

  private func write(_ device: SyncDevice) throws {
    let isReader = profile.isReader[(device.origin ?? device.index) % profile.isReader.count]
    guard !isReader || Int.random(in: 0..<10, using: &random) == 0 else { return }
    let isRelaxed = Int.random(in: 0..<100, using: &random) < profile.relaxedPercentage
    count(.transactions)
    try onDevice(device) {
      count(
        .operations,
        try device.transact(
          &random, isRelaxed ? .relaxed : .full, profile))
    }
  }

  // MARK: Devices

  /// Does something on a device, which may crash meanwhile, and compares its file with the model.
  func onDevice(_ device: SyncDevice, _ body: () throws -> Void) throws {
    do {
      try body()
      try device.didStep()
    } catch {
      guard device.isDown, !(error is ListProblem) else { throw error }
    }
    if device.isDown { try restart(device) }
    try compare(device)
  }

  private func restart(_ device: SyncDevice) throws {
    let isPowerCut = device.disk.hasLostPower
    count(isPowerCut ? .devicePowerCuts : .deviceDeaths)
    defer { count(.lostCommits, device.lostCommitCount) }
    note("device \(device.index) \(isPowerCut ? "loses power" : "dies")")
    drop(device)
    do {
      let problem = try device.restart(
        isPowerCut: isPowerCut, tearing: profile.tearing, fate: &fate)
      if let problem { throw violation("device \(device.index): \(problem)") }
    } catch {
      guard device.isDown, !(error is ListProblem) else { throw error }
      try restart(device)
    }
  }

  func compare(_ device: SyncDevice) throws {
    count(.comparedFiles)
    if let problem = try device.difference() {
      throw violation("device \(device.index): \(problem)")
    }
    try device.didCompare()
    count(.waitingLinks, device.model.waitingLinkCount)
  }

  // MARK: The end

  /// No more faults: all devices connect, and everything is delivered.
  private func quiesce() throws {
    for device in devices {
      device.disk.operationsUntilPowerLoss = nil
      device.process.operationsUntilDeath = nil
      device.partedStepCount = 0
      device.overtaken = nil
      // Nothing later would show what was lost.
      if device.connection?.isDisturbed ?? false { drop(device) }
    }
    host?.disk.operationsUntilPowerLoss = nil
    host?.process.operationsUntilDeath = nil
    try settle()
  }

  /// Delivers until nothing is left to deliver.
  func settle() throws {
    for _ in 0..<400 {
      var isBusy = false
      for device in devices {
        if device.connection == nil {
          if device.partedStepCount > 0 { device.partedStepCount -= 1 }
          try connect(device)
          isBusy = true
        }
        if try send(device) { isBusy = true }
        while try deliverUp(device) { isBusy = true }
      }
      if try advanceServer(isReady: true) { isBusy = true }
      for device in devices {
        while try deliverDown(device) { isBusy = true }
      }
      advanceTime(1)
      if !isBusy { return }
    }
    throw violation("no quiescence")
  }
}

extension SyncModel {
  /// The number of links to absent objects.
  var waitingLinkCount: Int {
    let head = head
    return head.values.reduce(0) { count, object in
      count
        + object.units.count { path, unit in
          switch (path, unit) {
          case (_, .value(.link(let target))), (_, .element(_, .link(let target))),
            (.entry(_, .link(let target)), .exists):
            head[target] == nil
          default: false
          }
        }
    }
  }
}
