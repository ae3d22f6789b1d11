/// What decides a run.
struct DevicesRunOptions: Sendable {
  var seed: UInt64
  var killCount: Int
  var deviceCount: Int
  /// How many transactions are committed at least.
  var transactionCount: Int
  /// How long the devices are killed at least, in seconds; as many kills as come in that time.
  var seconds: Int?
  /// Whether a network lies between the devices and the server that delays and cuts.
  var hasProxy = false
  /// How many operations a transaction does on one list at most.
  var listOperationCount = 1
  /// Where everything is kept; nil for a folder that is deleted at the end.
  var folder: String?
}

#if Sync
internal import Foundation
internal import TestSupport

/// A server, its devices, and what is done to them.
///
/// The seed decides the work and the order of the events; at which instruction a signal hits is the
/// system's. What holds, and is verified:
///
/// 1. A device that was killed finds every commit that had returned, when it is started again.
/// 2. After a kill a check of the file of the dead finds no fault.
/// 3. At the end each commit that had returned is on the server, or outdated by a newer one, or in
///    the device's inbox, and the inbox was reported to the app (`DevicesJudgement`).
/// 4. Then each device holds what a device reads that subscribes to everything, as far as its own
///    subscriptions ask for it.
/// 5. No process waits longer than `patience`.
final class DevicesRun {
  typealias Options = DevicesRunOptions

  let options: Options
  private(set) var tally = DevicesTally()
  private let progress: (Int) -> Void
  private let temporary: TemporaryFolder?
  let folder: String
  private var random: SplitMix64
  private var history: [String] = []

  private var server: SimulatedServer
  private let proxy: NetworkProxy?
  private var devices: [Device]

  /// A device, and what its process said last.
  private final class Device {
    let number: Int
    let folder: String
    var process: ChildProcess?
    var session = 0
    var isOpen = false
    var hasUploaded = false
    var hasGathered = false
    var startTime = ContinuousClock.now
    /// When it last said something.
    var heardTime = ContinuousClock.now

    init(_ number: Int, folder: String) {
      self.number = number
      self.folder = folder
    }
  }

  /// How long anything may take, on a machine that is busy with other work.
  private let patience: Duration = .seconds(60)

  init(_ options: Options, progress: @escaping (Int) -> Void = { _ in }) throws {
    self.options = options
    self.progress = progress
    let temporary = options.folder == nil ? TemporaryFolder() : nil
    let folder = options.folder ?? temporary?.path ?? ""
    self.temporary = temporary
    self.folder = folder
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: options.folder == nil)
    random = SplitMix64(seed: ~options.seed)
    server = try SimulatedServer(folder: "\(folder)/server")
    proxy = options.hasProxy ? try NetworkProxy(seed: options.seed) : nil
    // The last one reads everything at the end.
    devices = (0...options.deviceCount).map { Device($0, folder: "\(folder)/device\($0)") }
  }

  private var workers: ArraySlice<Device> { devices.dropLast() }

  func run() throws {
    // Before the folder is deleted: no process may find its file missing.
    defer {
      for device in devices { device.process?.kill() }
      try? server.kill()
      proxy?.end()
    }
    do {
      try server.start()
      proxy?.connectTo(port: server.port)
      for device in workers { try startWorking(device) }
      let stride = max(1, options.transactionCount / options.killCount)
      let begin = ContinuousClock.now
      while tally.killCount < options.killCount
        || begin.duration(to: .now) < .seconds(options.seconds ?? 0)
      {
        try awaitCommits(Int.random(in: stride / 2...stride * 3 / 2, using: &random))
        SystemClock.sleep(microseconds: Int.random(in: 0..<5_000, using: &random))
        try strike()
        if Int.random(in: 0..<20, using: &random) == 0 {
          proxy?.storm(milliseconds: UInt64.random(in: 200..<2_000, using: &random))
        }
        progress(tally.killCount)
      }
      let rest = options.transactionCount - tally.commitCount
      if rest > 0 { try awaitCommits(rest) }
      try end()
    } catch let violation as DevicesViolation {
      throw violation
    } catch {
      throw violation(.unclean, "\(error)")
    }
  }

  func violation(_ kind: DevicesViolation.Kind, _ message: String) -> DevicesViolation {
    DevicesViolation(kind: kind, message: message, history: history)
  }

  private func note(_ text: String) {
    history.append("after \(tally.commitCount) transactions: \(text)")
    if history.count > 16 { history.removeFirst() }
  }

  // MARK: Events

  /// Kills one process, and restarts all dead ones.
  private func strike() throws {
    if tally.serverKillCount <= tally.killCount / 6 { return try killServer() }
    let victims =
      Int.random(in: 0..<10, using: &random) == 0
      ? Array(workers) : [workers[Int.random(in: workers.indices, using: &random)]]
    for device in victims { try kill(device) }
    for device in victims { try startWorking(device) }
    guard Int.random(in: 0..<6, using: &random) == 0, tally.killCount < options.killCount,
      let device = victims.first
    else { return }
    // While it opens, logs in or catches up.
    SystemClock.sleep(microseconds: Int.random(in: 0..<400_000, using: &random))
    try kill(device)
    try startWorking(device)
  }

  /// The server may stay away for a while, in which devices write and are killed.
  private func killServer() throws {
    try server.kill()
    tally.killCount += 1
    tally.serverKillCount += 1
    note("server killed")
    if Bool.random(using: &random) {
      try check("\(server.folder)/store.atoll")
      try check("\(server.folder)/accounts.atoll")
    }
    if Bool.random(using: &random) {
      SystemClock.sleep(microseconds: Int.random(in: 0..<800_000, using: &random))
      try hearOut()
      if Bool.random(using: &random), tally.killCount < options.killCount {
        let device = workers[Int.random(in: workers.indices, using: &random)]
        try kill(device)
        try startWorking(device)
      }
    }
    try server.start()
    note("server started")
  }

  // MARK: Processes

  private func start(_ device: Device) throws {
    device.isOpen = false
    device.hasUploaded = false
    device.hasGathered = false
    device.startTime = .now
    device.heardTime = .now
    let arguments = [
      "device", device.folder, "--number", "\(device.number)", "--session", "\(device.session)",
      "--address", proxy.map { "http://127.0.0.1:\($0.port)" } ?? server.address, "--seed",
      "\(options.seed)", "--lists", "\(options.listOperationCount)",
    ]
    device.process = try ChildProcess(ChildProcess.path(ofProgram: "simulate"), arguments)
    device.session += 1
    note("device \(device.number) started")
  }

  private func startWorking(_ device: Device) throws {
    try start(device)
    try device.process?.send("work")
  }

  private func kill(_ device: Device) throws {
    guard let process = device.process else { return }
    process.kill()
    tally.killCount += 1
    note("device \(device.number) killed")
    // What it said before it died counts.
    while let line = try? process.receive(within: .zero) { try heard(line, from: device) }
    device.process = nil
    // Half of the files are recovered by the device itself.
    if Bool.random(using: &random) { try check(SimulatedDevice.filePath(device.folder)) }
  }

  /// Takes in what the devices say until so many more commits have returned.
  private func awaitCommits(_ count: Int) throws {
    let goal = tally.commitCount + count
    try listen("the devices did not commit", patience: patience) { tally.commitCount >= goal }
    for device in workers where device.heardTime.duration(to: .now) > patience {
      throw violation(.stuck, "device \(device.number) did not commit in \(patience)")
    }
  }

  /// Reads the devices' output until a condition holds; time counts only while there is none.
  private func listen(
    _ complaint: String, patience: Duration, until isReached: () -> Bool
  ) throws {
    var last = ContinuousClock.now
    while !isReached() {
      let running = devices.compactMap(\.process)
      guard ChildProcess.wait(for: running, until: last.advanced(by: patience)) else {
        throw violation(.stuck, "\(complaint) in \(patience)")
      }
      try hearOut()
      last = .now
      for device in devices where device.process != nil && !device.isOpen {
        guard device.startTime.duration(to: .now) < patience else {
          throw violation(.stuck, "device \(device.number) did not open its file in \(patience)")
        }
      }
    }
  }

  /// Reads the devices' output so far.
  private func hearOut() throws {
    for device in devices {
      guard let process = device.process else { continue }
      while let line = try receive(process, device) { try heard(line, from: device) }
    }
  }

  private func receive(_ process: ChildProcess, _ device: Device) throws -> String? {
    do { return try process.receive(within: .zero) } catch {
      throw violation(
        .unclean, "device \(device.number) ended by itself: \(process.waitForEnd())")
    }
  }

  private func heard(_ line: String, from device: Device) throws {
    device.heardTime = .now
    switch line {
    case "commit": tally.commitCount += 1
    case "open": device.isOpen = true
    case "uploaded": device.hasUploaded = true
    case "gathered": device.hasGathered = true
    default:
      let isLoss = line.hasPrefix("wrong lost: ")
      throw violation(isLoss ? .lost : .unclean, "device \(device.number) said: \(line)")
    }
  }

  // MARK: The end

  /// All devices synchronise, and everything is compared.
  private func end() throws {
    for device in workers { try kill(device) }
    proxy?.calmDown()
    if let counts = proxy?.counts { (tally.cutCount, tally.silenceCount) = counts }
    let begin = SystemClock.nanoseconds()
    for device in devices {
      try start(device)
      try device.process?.send("settle \(lastSubscriptions(of: device).joined(separator: " "))")
    }
    // Killed again and again, they have most of their transactions to send yet, and each is applied
    // by each device.
    let patience = patience + .microseconds(300 * tally.commitCount * devices.count)
    try listen("the devices did not upload", patience: patience) {
      devices.allSatisfy(\.hasUploaded)
    }
    note("all uploaded")
    for device in devices { try device.process?.send("gather") }
    try listen("the devices did not download", patience: patience) {
      devices.allSatisfy(\.hasGathered)
    }
    tally.settleTime = SystemClock.nanoseconds() - begin
    for device in devices { device.process?.kill() }
    try server.kill()
    try check("\(server.folder)/store.atoll")
    try check("\(server.folder)/accounts.atoll")
    for device in devices { try check(SimulatedDevice.filePath(device.folder)) }
    try compare()
    try judge()
  }

  private func lastSubscriptions(of device: Device) -> [String] {
    guard device.number < options.deviceCount else { return ["all", "journal"] }
    var wanted: [DeviceSubscription] = [.journal]
    for group in 0..<DeviceSubscription.groupCount where Bool.random(using: &random) {
      wanted.append(.group(group))
    }
    if Bool.random(using: &random) { wanted.append(.mine) }
    return wanted.map(\.name)
  }

  private func view(of device: Device) throws -> DeviceView {
    try JSONDecoder().decode(
      DeviceView.self,
      from: Data(contentsOf: URL(filePath: SimulatedDevice.viewPath(device.folder))))
  }

  private func compare() throws {
    guard let reader = devices.last else { return }
    let all = try view(of: reader)
    tally.sheetCount = all.sheets.count
    for device in workers {
      let seen = try view(of: device)
      let expected = all.part(of: device.number, subscriptions: seen.subscriptions)
      if let difference = seen.difference(from: expected) {
        throw violation(.unequal, "device \(device.number): \(difference)")
      }
    }
  }

  private func judge() throws {
    guard let reader = devices.last else { return }
    var logs: [DeviceLog] = []
    var refusals: [[DeviceRefusal]] = []
    for device in workers {
      let path = SimulatedDevice.logPath(device.folder)
      let log = try DeviceLog(String(contentsOfFile: path, encoding: .utf8))
      if let trouble = log.troubles.first {
        throw violation(.unclean, "the app of device \(device.number) was told: \(trouble)")
      }
      logs.append(log)
      let file = try DeviceFile(SimulatedDevice.filePath(device.folder))
      guard file.pendingCount == 0 else {
        throw violation(
          .lost, "device \(device.number) has \(file.pendingCount) entries that were not answered")
      }
      refusals.append(file.refusals)
    }
    tally.refusalCount = refusals.reduce(0) { $0 + $1.count }
    let writes = logs.flatMap(\.writes).filter { $0.end != nil }
    tally.editCount = writes.reduce(0) { $0 + $1.edits.count }
    var judgement = DevicesJudgement(logs: logs, refusals: refusals, end: try view(of: reader))
    let findings = judgement.judge()
    guard let first = findings.first else { return }
    history += findings.prefix(20).map(\.description)
    throw violation(.init(first.kind), "\(first.text) (\(findings.count) findings)")
  }

  private func check(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    tally.checkCount += 1
    let name = path.dropFirst(folder.count + 1)
    do {
      if let fault = try DeviceFile.faults(path).first {
        throw violation(.unclean, "\(name): \(fault)")
      }
    } catch let violation as DevicesViolation {
      throw violation
    } catch {
      throw violation(.unclean, "\(name): \(error)")
    }
  }
}
#endif
