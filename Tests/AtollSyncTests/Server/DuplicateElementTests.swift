import AtollCapture
import AtollObjects
import AtollSync
import TestThreads
import Testing

/// Elements under the ids of others: of a copy of a file, or of one that was restored.
@Suite(.computing) struct DuplicateElementTests {
  private let all = ["TRUEPREDICATE"]
  private let id = ElementID(client: 1, number: 90, index: 0)
  private let places = ListPosition.between(nil, nil, count: 2)

  private func insert(_ text: String, _ device: Device) -> AtollCapture.Operation {
    device.edit(
      1, .insert(property: "tags", id, places[text == "first" ? 0 : 1], .string(text)))
  }

  private func isDuplicate(_ verdict: Verdict?) -> Bool {
    guard case .refused(let refusal)? = verdict else { return false }
    return refusal.reason == .duplicateElement && refusal.text.hasPrefix("Task.tags ")
  }

  /// Two devices that hold a task with an element.
  private func devices(_ world: ServerWorld) throws -> (Device, Device) {
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push([insert("first", a)])
    try world.settle()
    return (a, b)
  }

  private func element(_ device: Device) -> UnitValue? {
    device.state.objects[device.task(1)]?[.element(property: "tags", id)]
  }

  @Test func anElementDoesNotTakeThePlaceOfTheOneWithItsID() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    world.now += 10
    let number = try b.push([insert("second", b)])
    try world.settle()
    #expect(b.state.verdicts[number].map { $0.map(isDuplicate) } == [true])
    let fresh = try world.device(3, subscribing: all)
    for device in [a, b, fresh] {
      #expect(element(device) == .element(places[0], .string("first")))
    }
  }

  @Test func anElementDoesNotBringBackTheOneWithItsID() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    try a.push([a.edit(1, .removeElement(property: "tags", id))])
    try world.settle()
    world.now += 10
    let number = try b.push([insert("second", b), b.set(1, text: "kept")])
    try world.settle()
    #expect(b.state.verdicts[number].map { $0.map(isDuplicate) } == [true, false])
    let fresh = try world.device(3, subscribing: all)
    for device in [a, b, fresh] {
      #expect(element(device) == nil)
      #expect(device.texts == [1: "kept"])
    }
  }

  @Test func oneTransactionGivesAnIDOnce() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let number = try a.push([insert("first", a), insert("second", a)])
    try world.settle()
    #expect(a.state.verdicts[number].map { $0.map(isDuplicate) } == [false, true])
    #expect(element(a) == .element(places[0], .string("first")))
  }

  /// What a repaired file sends again may be there, and is no news.
  @Test func anElementThatIsToldAgainComesTooLate() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    a.clock = 0
    let there = try a.push([insert("second", a)])
    try world.settle()
    #expect(a.state.verdicts[there] == [.outdated(.newerClock)])
    try b.push([b.edit(1, .removeElement(property: "tags", id))])
    try world.settle()
    let gone = try a.push([insert("second", a)])
    try world.settle()
    #expect(a.state.verdicts[gone] == [.outdated(.deletion)])
    #expect(element(a) == nil && element(b) == nil)
  }

  /// The server went back, and other devices send before that which made the element.
  ///
  /// Promise: lists.told.
  @Test(arguments: [false, true]) func anElementThatOthersToldOfIsNoDuplicate(isRemoved: Bool)
    throws
  {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    if isRemoved {
      try a.push([a.edit(1, .removeElement(property: "tags", id))])
    } else {
      a.clock = 0
      try a.push([insert("first", a)])
    }
    world.now += 10
    b.isSynced = false
    let insertion = try b.push([insert("second", b)])
    let removal = try b.push([b.edit(1, .removeElement(property: "tags", id))])
    b.isSynced = true
    try b.sync()
    try world.settle()
    #expect(b.state.verdicts[insertion] == [.outdated(isRemoved ? .deletion : .newerClock)])
    #expect(b.state.verdicts[removal] == [.applied(generation: nil)])
    let fresh = try world.device(3, subscribing: all)
    for device in [a, b, fresh] { #expect(element(device) == nil) }
    // Its own has come: another one is of another element.
    let other = try fresh.push([insert("second", fresh)])
    try world.settle()
    #expect(fresh.state.verdicts[other].map { $0.map(isDuplicate) } == [true])
  }

  /// What is removed already is no news to anyone.
  @Test func aSecondRemovalChangesNothing() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    b.isSynced = false
    let second = try b.push([b.edit(1, .removeElement(property: "tags", id))])
    try a.push([a.edit(1, .removeElement(property: "tags", id))])
    try world.settle()
    let count = a.batches.flatMap(\.objects).count
    b.isSynced = true
    try b.sync()
    try world.settle()
    #expect(b.state.verdicts[second] == [.applied(generation: nil)])
    #expect(a.batches.flatMap(\.objects).count == count)
    #expect(element(a) == nil && element(b) == nil)
  }

  /// An entry that comes under another number is known, and not judged.
  @Test func anEntryThatComesAgainIsNoDuplicate() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let first = try a.push([insert("first", a)])
    try world.settle()
    let again = a.header(
      name: EntryName(client: 1, number: first), digest: first &* 7)
    let number = try a.push([insert("first", a)], header: again)
    try world.settle()
    #expect(a.state.verdicts[number] == [.known(generation: nil)])
  }

  enum Interruption: CaseIterable { case none, disconnection, restart }

  /// What was recorded of the refused element before the refusal was seen is not of the other one,
  /// whatever becomes of the connection and the server meanwhile.
  @Test(arguments: Interruption.allCases)
  func whatFollowsADuplicateIsRefusedToo(_ interruption: Interruption) throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    try a.push([insert("first", a)])
    var numbers = [try b.push([insert("second", b)])]
    if interruption != .none {
      // It is judged, and the answer is lost.
      _ = try world.server.advance(now: world.now)
      for device in [a, b] { device.disconnect() }
      if interruption == .restart { try world.restart() }
    }
    numbers += [
      try b.push([b.edit(1, .setElement(property: "tags", id, .string("later")))]),
      try b.push([b.edit(1, .moveElement(property: "tags", id, places[1]))]),
      // Wrong for another reason, too: a retry goes by the one that is told.
      try b.push([b.edit(1, .setElement(property: "tags", id, .int(1)))]),
      try b.push([b.edit(1, .removeElement(property: "tags", id))]),
    ]
    for device in [a, b] where device.connection == nil { try device.connect() }
    try world.settle()
    for number in numbers {
      #expect(b.state.verdicts[number].map { $0.map(isDuplicate) } == [true])
    }
    #expect(element(a) == .element(places[0], .string("first")) && element(b) == element(a))
    // What it does after it has seen the refusal is of the other one.
    world.now += 10
    let later = try b.push([b.edit(1, .setElement(property: "tags", id, .string("later")))])
    try world.settle()
    #expect(b.state.verdicts[later] == [.applied(generation: nil)])
    #expect(element(a) == .element(places[0], .string("later")))
  }

  /// The device has both elements under one id, until it hears of the refusal.
  @Test func whatFollowsADuplicateIsRefusedThoughTheOtherWasSeen() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    b.isSynced = false
    let numbers = [
      try b.push([insert("second", b)]),
      try b.push([b.edit(1, .removeElement(property: "tags", id))]),
    ]
    b.isSynced = true
    try b.sync()
    try world.settle()
    for number in numbers {
      #expect(b.state.verdicts[number].map { $0.map(isDuplicate) } == [true])
    }
    #expect(element(a) == .element(places[0], .string("first")))
  }

  @Test func aRefusalOfWhatFollowsDoesNotConcernWhatIsDoneKnowingly() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    let seen = b.state.seen
    try b.push([insert("second", b)])
    try world.settle()
    let known = b.state.seen
    b.state.seen = seen
    let before = try b.push([b.edit(1, .setElement(property: "tags", id, .string("later")))])
    b.state.seen = known
    let after = try b.push([b.edit(1, .removeElement(property: "tags", id))])
    try world.settle()
    #expect(b.state.verdicts[before].map { $0.map(isDuplicate) } == [true])
    #expect(b.state.verdicts[after] == [.applied(generation: nil)])
    #expect(element(a) == nil)
  }

  /// A copy sends what the file that it is a copy of has sent, and then what it did itself.
  @Test func whatACopyDoesToTheDuplicateIsRefusedToo() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    let first = try b.push([insert("second", b)])
    let copy = try world.device(3, subscribing: all)
    let again = copy.header(name: EntryName(client: 2, number: first), digest: first &* 7)
    copy.isSynced = false
    let numbers = [
      try copy.push([insert("second", copy)], header: again),
      try copy.push([copy.edit(1, .removeElement(property: "tags", id))]),
    ]
    copy.isSynced = true
    try copy.sync()
    try world.settle()
    for number in numbers {
      #expect(copy.state.verdicts[number].map { $0.map(isDuplicate) } == [true])
    }
    #expect(element(a) == .element(places[0], .string("first")))
  }

  /// A file that gets another id has what it recorded before it heard of the refusal.
  @Test func whatFollowsADuplicateIsRefusedUnderAnotherIDToo() throws {
    let world = try ServerWorld()
    let (a, b) = try devices(world)
    let first = try b.push([insert("second", b)])
    try world.settle()
    #expect(b.state.verdicts[first].map { $0.map(isDuplicate) } == [true])
    let again = try world.device(3, subscribing: all)
    again.state.seen = nil
    let number = try again.push(
      [again.edit(1, .removeElement(property: "tags", id))],
      header: again.header(name: EntryName(client: 2, number: first + 1)))
    try world.settle()
    #expect(again.state.verdicts[number].map { $0.map(isDuplicate) } == [true])
    #expect(element(a) == .element(places[0], .string("first")))
  }

  /// Of many ids all elements count.
  @Test func manyDuplicatesAreKeptInLittleRoom() throws {
    let world = try ServerWorld()
    let a = try world.device(1, subscribing: all)
    let b = try world.device(2, subscribing: all)
    try a.make(1, team: 1)
    try world.settle()
    let ids = (0..<1_001).map { ElementID(client: 1, number: 90, index: $0) }
    let inserts = ids.map {
      a.edit(1, .insert(property: "tags", $0, places[0], .string("first")))
    }
    try a.push(inserts)
    try world.settle()
    b.isSynced = false
    try b.push(inserts)
    let numbers = try [ids[0], ids[1_000]].map {
      try b.push([b.edit(1, .removeElement(property: "tags", $0))])
    }
    let own = try b.push([
      b.edit(
        1,
        .insert(
          property: "tags", ElementID(client: 2, number: 1, index: 0), places[1], .string("own")))
    ])
    b.isSynced = true
    try b.sync()
    try world.settle()
    for number in numbers {
      #expect(b.state.verdicts[number].map { $0.map(isDuplicate) } == [true])
    }
    #expect(b.state.verdicts[own] == [.applied(generation: nil)])
    let later = try b.push([b.edit(1, .removeElement(property: "tags", ids[0]))])
    try world.settle()
    #expect(b.state.verdicts[later] == [.applied(generation: nil)])
  }
}
