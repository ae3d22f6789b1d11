internal import AtollCapture
internal import AtollObjects
internal import AtollSync

// The checks after all devices have synchronised.

extension SyncRun {
  /// What each file holds is what the server says that it holds, by count and digest.
  private func verifyAll() throws {
    for device in devices { try askForVerification(of: device) }
    try settle()
    for device in devices {
      guard let found = try Verification.find(device.client.database.snapshot()),
        found.done == found.asked, found.differenceCount == 0
      else { throw violation("device \(device.index): the file was not compared with the server") }
    }
  }

  func askForVerification(of device: SyncDevice) throws {
    try onDevice(device) {
      _ = try Verification.ask(device.client.database)
      count(.verifications)
    }
  }

  func compareAll() throws {
    guard let host else { return }
    try verifyAll()
    let contents = try host.contents()
    try judge(contents)
    for device in devices {
      func fail(_ problem: String) -> SeedViolation {
        violation("device \(device.index): \(problem)")
      }
      guard device.model.outbox.isEmpty else {
        throw fail("the outbox is not empty: \(device.model.outbox)")
      }
      let subscriptions = device.subscriptions
      let view = contents.filter { entry in
        !SyncSchema.isEvent(entry.key)
          && subscriptions.contains { $0.matches(entry.value) }
      }
      let found = device.model.confirmed.mapValues(\.units)
      for address in Set(view.keys).union(found.keys).sorted(by: { "\($0)" < "\($1)" })
      where view[address] != found[address] {
        guard let expected = view[address] else {
          throw fail("\(address) is here, and no subscription explains it")
        }
        guard let units = found[address] else { throw fail("\(address) is missing") }
        throw fail("\(address): \(SyncDevice.difference(units, expected))")
      }
    }
  }

  /// Judges the server's messages again, and compares its state.
  private func judge(_ contents: [ObjectAddress: [UnitPath: UnitValue]]) throws {
    guard let host else { return }
    var judgement = SyncJudgement(incarnations: host.server.incarnations)
    for push in journal.pushes {
      guard let heard = try verdicts(on: push, host.server) else { continue }
      // The server's own record has what was answered the first time.
      let isFirst = !judgement.hasJudged(push.name)
      let isAgain = journal.answers[push.id] == nil && judgement.hasJudged(push.name)
      let verdicts = isAgain ? heard.map(\.again) : heard
      let problem = judgement.judge(push, verdicts)
      if let problem { throw violation("device \(push.deviceIndex): \(problem)") }
      if isFirst, lists.options.isOn { try lists.judge(push, verdicts) }
    }
    count(.clampedClocks, judgement.clampedCount)
    count(.mergedCreations, judgement.mergedCount)
    count(.knownEntries, judgement.knownCount)
    count(.events, contents.keys.count(where: SyncSchema.isEvent))
    let judged = Set(journal.pushes.map(\.id))
    for id in journal.answers.keys where !judged.contains(id) && !journal.forgotten.contains(id) {
      throw violation("an answer to \(id), which the server was never told")
    }
    if lists.options.isOn { try lists.compare(contents) }
    let expected = judgement.contents.mapValues(\.units)
    guard expected == contents else {
      let address = Set(expected.keys).union(contents.keys).sorted { "\($0)" < "\($1)" }
        .first { expected[$0] != contents[$0] }
      guard let address else { return }
      throw violation(
        "the server holds of \(address): "
          + SyncDevice.difference(contents[address] ?? [:], expected[address] ?? [:]))
    }
  }

  /// In some runs, since lists have to be long for it.
  func compareCosts() throws {
    guard lists.options.isOn, lists.verifies(.cost), seed % 16 == 0 else { return }
    let cost = try ListCost(seed: random.next(), lists: lists)
    if let problem = try cost.problem() { throw ListProblem(oracle: .cost, text: problem) }
  }

  /// A new device with the same subscriptions reads the same.
  func compareFreshDevices() throws {
    for old in Array(devices) {
      let device = try SyncDevice(
        index: devices.count, seed: random.next(), milliseconds: milliseconds,
        isProgressive: Bool.random(using: &random), lists: lists)
      devices.append(device)
      count(.freshDevices)
      try onDevice(device) { try device.subscribe(to: old.subscriptions) }
      try settle()
      guard device.model.head == old.model.head else {
        throw violation(
          "a new device reads \(device.model.head), and device \(old.index) \(old.model.head)")
      }
    }
  }
}

extension SyncRun {
  /// What became of a transaction; nil when it is not known whether the server had it.
  private func verdicts(
    on push: SyncJournal.Push, _ server: SyncServer
  ) throws -> [SyncModel.Verdict]? {
    if let verdicts = journal.answers[push.id] { return verdicts }
    // The file was put back, or took another id, before the answer came.
    if push.isCertain {
      let answer = try server.answer(to: push.name.entry, digest: push.name.digest)
      guard let answer else { throw violation("R10: no answer for entry \(push.id)") }
      return answer.verdicts.map(SyncModel.Verdict.init)
    }
    // The tick that accepted it did not return, and no device connected again under the id.
    guard let later = journal.verdicts(named: push.name) else {
      return try server.answer(to: push.name.entry, digest: push.name.digest)
        .map { $0.verdicts.map(SyncModel.Verdict.init) }
    }
    return later.contains(where: \.isKnown) ? later.map(\.firstHand) : nil
  }
}

extension SyncModel.Verdict {
  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .applied(let generation): .applied(generation)
      case .known(let generation): .known(generation)
      case .outdated(.newerClock): .newerClock
      case .outdated(.deletion): .deletion
      case .refused(let refusal): refusal.reason == .duplicateElement ? .duplicate : .refused
      }
  }

  var event: SyncEvent {
    switch self {
    case .applied, .known: .applied
    case .newerClock: .outdatedByClock
    case .deletion: .outdatedByDeletion
    case .refused, .duplicate: .refused
    }
  }
}

extension SyncModel.Change {
  init(_ change: ObjectChange.Change) {
    switch change {
    case .leave: self = .leave
    case .full(let generation, let units):
      let values = units.compactMap { unit in unit.value.map { (unit.path, $0) } }
      self = .full(generation, Dictionary(values) { $1 })
    case .update(let units):
      self = .update(Dictionary(units.map { ($0.path, $0.value) }) { $1 })
    }
  }
}

extension SyncMessage {
  /// What a history says of a message.
  var short: String {
    func told(_ cursor: Cursor?) -> String { cursor.map { "\($0.version)" } ?? "none" }
    switch self {
    case .hello(let hello):
      return "hello at \(told(hello.cursor)), answered \(hello.answered), "
        + "\(hello.bootstrap == nil ? "no " : "")bootstrap"
    case .welcome(let welcome):
      return "welcome\(welcome.isFromStart ? " from the start" : ""), pushed \(welcome.pushed)"
    case .schema(let entry): return "schema \(entry.header.number)"
    case .sets(let entry):
      return "sets \(entry.header.number): \(entry.members.map(\.query))"
    case .push(let entry):
      return "push \(entry.header.number): \(entry.transaction.operations.map(\.short))"
    case .batch(let batch):
      let objects = batch.objects.map { "\($0.object.primaryKey) \($0.change.short)" }
      return "batch \(told(batch.from)) to \(told(batch.to)), run "
        + "\(batch.run.map { "\($0.number % 1000)\($0.isRestart ? " restart" : "")" } ?? "none"), "
        + "sets \(batch.setNumber), \(objects), answers \(batch.answers.map { "\($0.number) \($0.runs)" })"
    case .confirm(let confirmation):
      return "confirm \(told(confirmation.cursor)), answered \(confirmation.answered)"
    case .mark(let number): return "mark \(number)"
    case .verify(let number): return "verify \(number)"
    case .digests(let digests):
      return "digests \(digests.number) at \(told(digests.cursor)): "
        + "\(digests.digests.map { "\($0.map(\.count))" } ?? "none")"
    case .ping: return "ping"
    case .pong: return "pong"
    case .error(let error): return "error \(error.text)"
    case .bye: return "bye"
    }
  }
}

extension ObjectChange.Change {
  var short: String {
    switch self {
    case .leave: "leaves"
    case .full: "whole"
    case .update(let units): "\(units.count) units"
    }
  }
}
