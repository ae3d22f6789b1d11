import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import simulate

/// What must be in a list at the end, as the apps and the answers say.
@Suite(.computing) struct ListHistoryTests {
  private static let name = ListName(object: SyncSchema.item("k0"), property: "numbers")
  private static let line = ListHistory.Line(device: 0, life: 0, client: 1)
  private static let life = Cursor(incarnation: 1, version: 1)

  private static func entry(_ index: UInt32) -> ListEntry {
    ListEntry(
      id: ElementID(client: 1, number: 1, index: index),
      position: ListPosition.between(nil, nil, count: Int(index) + 1)[Int(index)], value: .int(3))
  }

  private static func push(_ number: UInt64, _ actions: [AtollCapture.Operation.Action])
    -> SyncJournal.Push
  {
    let operations = actions.map {
      AtollCapture.Operation(object: name.object, generation: .confirmed(life), action: $0)
    }
    return SyncJournal.Push(
      id: SyncJournal.PushID(client: 1, number: number),
      name: SyncJournal.PushName(entry: EntryName(client: 1, number: number), digest: number),
      deviceIndex: 0,
      transaction: RecordedTransaction(
        clock: HybridClock(milliseconds: number), seen: nil, operations: operations),
      subscriptions: [], held: nil, confirmedVersion: 0)
  }

  private static func insert(_ index: UInt32) -> AtollCapture.Operation.Action {
    let entry = entry(index)
    return .insert(property: "numbers", entry.id, entry.position, entry.value)
  }

  private static func remove(_ index: UInt32) -> AtollCapture.Operation.Action {
    .removeElement(property: "numbers", entry(index).id)
  }

  /// Commits a transaction of which the ghosts and the operations say the same.
  private static func commit(
    _ history: ListHistory, _ push: SyncJournal.Push, from before: [UInt32],
    _ work: (inout ListScript) -> Void, to after: [UInt32]
  ) throws {
    let old = before.map(entry)
    var script = ListScript(name, old, old.map { .value($0.value) })
    work(&script)
    let operations = push.transaction.operations
    let net = ListNet(script, operations.map(\.action), after.map(entry))
    try history.commit(push.name, operations, [net], known: Set(old.map(\.id)), line)
  }

  private static func contents(_ indices: [UInt32]) -> [ObjectAddress: [UnitPath: UnitValue]] {
    var units: [UnitPath: UnitValue] = [:]
    for (place, index) in indices.enumerated() {
      units[.element(property: "numbers", entry(index).id)] = .element(
        entry(UInt32(place)).position, .int(3))
    }
    return [name.object: units]
  }

  /// Two elements were inserted, and the first one is removed later.
  private static func history(
    _ insertion: [SyncModel.Verdict], _ removal: SyncModel.Verdict?
  ) throws -> ListHistory {
    let history = ListHistory(ListOptions(operationCount: 2))
    try history.judge(push(0, [.create]), [.applied(life)])
    let first = push(1, [insert(0), insert(1)])
    try commit(
      history, first, from: [],
      { script in
        script.insert(.value(.int(3)), at: 0, [])
        script.insert(.value(.int(3)), at: 1, [0])
      }, to: [0, 1])
    try history.judge(first, insertion)
    if let removal {
      let second = push(2, [remove(0)])
      try commit(history, second, from: [0, 1], { $0.remove(at: 0, [0, 1]) }, to: [1])
      try history.judge(second, [removal])
    }
    return history
  }

  private static func oracle(_ body: () throws -> Void) -> ListOracle? {
    do { try body() } catch { return (error as? ListProblem)?.oracle }
    return nil
  }

  @Test func anElementIsThereUntilItIsRemoved() throws {
    let all = try Self.history([.applied(nil), .applied(nil)], nil)
    #expect(Self.oracle { try all.compare(Self.contents([0, 1])) } == nil)
    #expect(Self.oracle { try all.compare(Self.contents([1])) } == .vanished)
    let removed = try Self.history([.applied(nil), .applied(nil)], .applied(nil))
    #expect(Self.oracle { try removed.compare(Self.contents([1])) } == nil)
    #expect(Self.oracle { try removed.compare(Self.contents([0, 1])) } == .stayed)
    #expect(Self.oracle { try removed.compare(Self.contents([])) } == .vanished)
    let kept = try Self.history([.applied(nil), .applied(nil)], .refused)
    #expect(Self.oracle { try kept.compare(Self.contents([1])) } == .vanished)
    let refused = try Self.history([.refused, .applied(nil)], nil)
    #expect(Self.oracle { try refused.compare(Self.contents([1])) } == nil)
    #expect(Self.oracle { try refused.compare(Self.contents([0, 1])) } == .stayed)
  }

  @Test func elementsKeepTheirOrder() throws {
    let history = try Self.history([.applied(nil), .applied(nil)], nil)
    #expect(Self.oracle { try history.compare(Self.contents([1, 0])) } == .order)
    let move = Self.push(
      2, [.moveElement(property: "numbers", Self.entry(0).id, Self.entry(2).position)])
    let moved = [Self.entry(1), Self.entry(0)]
    var script = ListScript(
      Self.name, [Self.entry(0), Self.entry(1)], [.value(.int(3)), .value(.int(3))])
    script.rearrange([1, 0], moving: [0], [0, 1])
    let net = ListNet(script, move.transaction.operations.map(\.action), moved)
    try history.commit(
      move.name, move.transaction.operations, [net], known: Set(moved.map(\.id)), Self.line)
    #expect(Self.oracle { try history.compare(Self.contents([1, 0])) } == nil)
  }

  /// An id that another element has, or one whose transaction was lost with all that it wrote.
  @Test func anIdIsMadeOnce() throws {
    let history = try Self.history([.applied(nil), .applied(nil)], nil)
    let again = Self.push(3, [Self.insert(0)])
    func commit() throws {
      try Self.commit(
        history, again, from: [], { $0.insert(.value(.int(3)), at: 0, []) }, to: [0])
    }
    #expect(Self.oracle { try commit() } == .ids)
    history.isExtant = { _ in false }
    #expect(Self.oracle { try commit() } == nil)
  }

  @Test func anAnswerTellsOfNoRemovalThatWasNone() throws {
    let set = Self.push(3, [.setElement(property: "numbers", Self.entry(0).id, .int(4))])
    let history = try Self.history([.applied(nil), .applied(nil)], nil)
    #expect(Self.oracle { try history.judge(set, [.deletion]) } == .answers)
    #expect(Self.oracle { try history.judge(set, [.newerClock]) } == nil)
    let removed = try Self.history([.applied(nil), .applied(nil)], .applied(nil))
    #expect(Self.oracle { try removed.judge(set, [.deletion]) } == nil)
    // In the object's next life none of its elements are there.
    let again = try Self.history([.applied(nil), .applied(nil)], nil)
    try again.judge(
      Self.push(4, [.create]), [.applied(Cursor(incarnation: 1, version: 2))])
    #expect(Self.oracle { try again.judge(set, [.deletion]) } == nil)
  }

  /// Of the rules some may be left out.
  @Test func onlyChosenRulesAreVerified() throws {
    var options = ListOptions(operationCount: 2)
    options.oracles = [.net]
    let history = ListHistory(options)
    let push = Self.push(1, [Self.insert(0)])
    try Self.commit(history, push, from: [], { $0.insert(.value(.int(3)), at: 0, []) }, to: [0])
    try history.judge(push, [.applied(nil)])
    #expect(Self.oracle { try history.compare([:]) } == nil)
    #expect(
      Self.oracle {
        try Self.commit(history, Self.push(2, []), from: [0], { $0.remove(at: 0, [0]) }, to: [0])
      } == .net)
  }
}
