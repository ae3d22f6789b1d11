import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// Random runs of one device against a scripted server: the file always equals the full model.
@Suite(.computing) struct RebaseModelTests {
  @Test(arguments: seeds(6))
  func theFileEqualsTheFullModel(seed: UInt64) throws {
    var run = try RandomRun(seed: seed, isProgressive: false)
    try run.run()
  }

  @Test(arguments: seeds(4))
  func theFileEqualsTheFullModelWhereBatchesAreCommittedOneByOne(seed: UInt64) throws {
    var run = try RandomRun(seed: seed, isProgressive: true)
    try run.run()
  }
}

/// One device, its full model, and a server that answers at random, but as a server may.
private struct RandomRun {
  let device: TestDevice
  let isProgressive: Bool
  var model = FullModel()
  var random: SplitMix64
  var version: UInt64 = 10
  var runNumber: UInt64 = 0
  /// How often in a row the server has made the device begin again.
  var startCount = 0

  init(seed: UInt64, isProgressive: Bool) throws {
    device = try TestDevice(seed: seed + 1, isProgressive: isProgressive)
    self.isProgressive = isProgressive
    random = SplitMix64(seed: seed)
  }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }

  mutating func run() throws {
    try device.connect()
    for step in 0..<60 {
      switch number(8) {
      case 0...3: try write()
      case 4, 5: try live()
      case 6: try catchUp()
      default: try reconnect(step)
      }
      try model.check(device)
    }
    while try !device.outbox.isEmpty {
      try live()
      try model.check(device)
    }
  }

  // MARK: The app

  private mutating func write() throws {
    var edits: [(Int, Int, Int)] = []
    for _ in 0...number(3) { edits.append((number(10), number(4), number(6))) }
    try device.database.write { transaction in
      for (kind, id, value) in edits { try Self.edit(transaction, kind, Int64(id), value) }
    }
  }

  private static func edit(
    _ transaction: Transaction, _ kind: Int, _ id: Int64, _ value: Int
  ) throws {
    guard let key = try transaction.key("Task", primaryKey: .int(id)) else {
      try transaction.create(
        "Task", ["_id": .int(id), "taskName": .string(value == 0 ? "" : "n\(value)")])
      return
    }
    let labels = try transaction.value("Task", key, "labels").list ?? []
    switch kind {
    case 0: try transaction.delete("Task", key)
    case 1: try transaction.set("Task", key, "taskName", .string("n\(value)"))
    case 2: try transaction.set("Task", key, "assignee", value == 0 ? .null : .string("a\(value)"))
    case 3 where value < 3: try transaction.set("Task", key, "minutes", .int(Int64(value)))
    case 3: try transaction.increment("Task", key, "minutes", by: Int64(value))
    case 4, 5:
      var labels = labels
      labels.insert(.string("l\(value)"), at: value % (labels.count + 1))
      try transaction.set("Task", key, "labels", .list(labels))
    case 6 where !labels.isEmpty:
      var labels = labels
      labels.remove(at: value % labels.count)
      try transaction.set("Task", key, "labels", .list(labels))
    case 7 where !labels.isEmpty:
      var labels = labels
      labels[value % labels.count] = .string("s\(value)")
      try transaction.set("Task", key, "labels", .list(labels))
    case 8: try transaction.set("Task", key, "labels", .list([]))
    default:
      if let team = try transaction.key("Team", primaryKey: .string("t\(value % 2)")) {
        let table = try transaction.table("Team")
        guard let link = try table.object(team)?.link else { return }
        try transaction.set("Task", key, "team", .link(link))
      } else {
        try transaction.create("Team", ["_id": .string("t\(value % 2)")])
      }
    }
  }

  // MARK: The server

  /// Answers for some of the oldest entries.
  private mutating func answers() throws -> [Answer] {
    let outbox = try device.outbox
    var live = model.confirmed
    var answers: [Answer] = []
    for entry in outbox.prefix(number(3) + (flip() ? 1 : 0)) {
      guard case .push(let recorded) = entry.content else {
        answers.append(Answer(number: entry.number, verdicts: [.applied(generation: nil)]))
        continue
      }
      var verdicts: [Verdict] = []
      version += 1
      for operation in recorded.operations {
        switch number(8) {
        case 0: verdicts.append(.refused(Refusal(.outsideView)))
        case 1: verdicts.append(.outdated(.newerClock))
        case 2: verdicts.append(.outdated(.deletion))
        default:
          guard operation.action == .create else {
            verdicts.append(.applied(generation: nil))
            continue
          }
          var generation = Cursor(version)
          if case .confirmed(let known)? = live[operation.object]?.generation { generation = known }
          live[operation.object] = UnitState(generation: .confirmed(generation), values: [:])
          verdicts.append(
            number(8) == 0 ? .known(generation: generation) : .applied(generation: generation))
        }
      }
      answers.append(Answer(number: entry.number, verdicts: verdicts))
    }
    return answers
  }

  /// Values for some objects; updates only for those that are confirmed in `known`.
  private mutating func changes(_ known: [ObjectAddress: UnitState]) -> [ObjectChange] {
    var known = known
    var changes: [ObjectChange] = []
    for id in 0..<4 where number(3) == 0 {
      let object = device.task(Int64(id))
      version += 1
      var change: ObjectChange.Change
      switch number(4) {
      case 0: change = .leave
      case 1, 2:
        change =
          known[object]?.isThere ?? false
          ? .update(units(known[object]))
          : .full(generation: Cursor(version), units(nil))
      default:
        var generation = Cursor(version)
        if flip(), case .confirmed(let live)? = known[object]?.generation { generation = live }
        change = .full(generation: generation, units(nil))
      }
      if case .update(let units) = change, units.isEmpty { change = .leave }
      changes.append(ObjectChange(object, change))
      known[object, default: UnitState()].apply(change, shape: ClassShape(defaults: [:]))
    }
    return changes
  }

  private mutating func units(_ known: UnitState?) -> [UnitChange] {
    var units: [UnitChange] = []
    if flip() { units.append(UnitChange(.property("taskName"), .value(.string("s\(number(9))")))) }
    if flip() { units.append(UnitChange(.property("minutes"), .value(.int(Int64(number(9)))))) }
    if flip() {
      let team = ObjectAddress(className: "Team", primaryKey: .string("t\(number(3))"))
      units.append(UnitChange(.property("team"), .value(flip() ? .null : .link(team))))
    }
    for index in 0..<3 as Range<UInt32> where flip() {
      let id = ElementID(client: 900, number: 1, index: index)
      units.append(
        UnitChange(
          .element(property: "labels", id),
          .element(ListPosition.between(nil, nil, count: 5)[number(5)], .string("e\(number(9))"))))
    }
    for path in (known?.values.keys).map(Array.init) ?? [] {
      guard case .element = path, !units.contains(where: { $0.path == path }), number(4) == 0
      else { continue }
      units.append(UnitChange(path, nil))
    }
    return units
  }

  /// What is confirmed after answers: what updates may be made of.
  private func afterAnswers(_ answers: [Answer]) throws -> [ObjectAddress: UnitState] {
    var after = model
    after.rebase(try device.outbox, answers, [])
    return after.confirmed
  }

  private mutating func live() throws {
    let answers = try answers()
    let changes = changes(try afterAnswers(answers))
    version += 1
    model.rebase(try device.outbox, answers, changes)
    try device.receive(
      .live(try device.state.cursor?.version, version, changes, answers))
  }

  /// A catch-up in several batches, with the app writing in between.
  private mutating func catchUp() throws {
    runNumber += 1
    let from = try device.state.cursor?.version
    let isFromStart = from == nil
    var waiting: [ObjectChange] = []
    var arrived: Set<ObjectAddress> = []
    var known = model.confirmed
    for _ in 0..<number(3) {
      let answers = isProgressive ? try answers() : []
      if isProgressive { known = try afterAnswers(answers) }
      let changes = changes(known).filter {
        if case .leave = $0.change { !isFromStart } else { true }
      }
      version += 1
      if isProgressive {
        model.rebase(try device.outbox, answers, changes)
        known = model.confirmed
      } else {
        waiting += changes
        for change in changes {
          known[change.object, default: UnitState()].apply(
            change.change, shape: ClassShape(defaults: [:]))
        }
        known = FullModel.tidy(known)
      }
      arrived.formUnion(changes.map(\.object))
      try device.receive(
        .part(from, nil, readAt: version, run: runNumber, changes, answers))
      try model.check(device)
      if flip() { try write() }
      try model.check(device)
    }
    let answers = try answers()
    // A device cannot tell an update from nothing: the last batch has whole objects only.
    let changes = changes([:]).filter { if case .leave = $0.change { !isFromStart } else { true } }
    version += 1
    arrived.formUnion(changes.map(\.object))
    var all = waiting + changes
    if from == nil {
      var objects = Set(try afterAnswers(answers).keys)
      objects.formUnion(model.confirmed.keys)
      all += objects.subtracting(arrived).map { ObjectChange($0, .leave) }
    }
    model.rebase(try device.outbox, answers, all)
    try device.receive(
      .part(from, version, readAt: version, run: runNumber, changes, answers))
  }

  private mutating func reconnect(_ step: Int) throws {
    device.client.close(now: 0)
    // After five in a row the device gives up.
    let isFromStart = flip() && startCount < 4
    startCount = isFromStart ? startCount + 1 : 0
    try device.connect(token: UInt64(step), isFromStart: isFromStart)
    // An interrupted catch-up is dropped.
    if isFromStart { try catchUp() }
  }
}
