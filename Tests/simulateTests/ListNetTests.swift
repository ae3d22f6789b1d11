import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import simulate

/// What a transaction may record of the operations on a list.
@Suite(.computing) struct ListNetTests {
  private static let name = ListName(object: SyncSchema.item("k0"), property: "numbers")

  private static func id(_ index: UInt32) -> ElementID {
    ElementID(client: 1, number: 1, index: index)
  }

  private static func position(_ index: Int) -> ListPosition {
    ListPosition.between(nil, nil, count: index + 1)[index]
  }

  /// A list with elements 0, 1, 2… at places 0, 10, 20…, that have these values.
  private static func list(_ values: [Int64]) -> [ListEntry] {
    values.enumerated().map { index, value in
      ListEntry(id: id(UInt32(index)), position: position(10 * index), value: .int(value))
    }
  }

  private static func entry(_ index: UInt32, at place: Int, _ value: Int64) -> ListEntry {
    ListEntry(id: id(index), position: position(place), value: .int(value))
  }

  private static func insert(_ entry: ListEntry) -> AtollCapture.Operation.Action {
    .insert(property: "numbers", entry.id, entry.position, entry.value)
  }

  private static func remove(_ index: UInt32) -> AtollCapture.Operation.Action {
    .removeElement(property: "numbers", id(index))
  }

  private static func set(_ index: UInt32, _ value: Int64) -> AtollCapture.Operation.Action {
    .setElement(property: "numbers", id(index), .int(value))
  }

  private static func move(_ index: UInt32, to place: Int) -> AtollCapture.Operation.Action {
    .moveElement(property: "numbers", id(index), position(place))
  }

  private static func problem(
    _ values: [Int64], _ after: [ListEntry], _ operations: [AtollCapture.Operation.Action],
    _ work: (inout ListScript, (ListScript) -> [Int]) -> Void
  ) -> String? {
    let before = list(values)
    var script = ListScript(name, before, before.map { .value($0.value) })
    work(&script) { Array($0.slots.indices) }
    return ListNet(script, operations, after).problem
  }

  @Test func whatWasInsertedAndRemovedIsNothing() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.insert(.value(.int(7)), at: 1, all(script))
      script.remove(at: 1, all(script))
    }
    #expect(Self.problem([1, 2], Self.list([1, 2]), [], work) == nil)
    let element = Self.entry(9, at: 5, 7)
    #expect(
      Self.problem([1, 2], Self.list([1, 2]), [Self.insert(element), Self.remove(9)], work) != nil)
  }

  /// An element in the place of another one is another one, though it looks like a new value.
  @Test func aReplacementIsNoNewValue() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.remove(at: 0, all(script))
      script.insert(.value(.int(7)), at: 0, all(script))
    }
    let new = Self.entry(9, at: 5, 7)
    #expect(Self.problem([1], [new], [Self.remove(0), Self.insert(new)], work) == nil)
    #expect(Self.problem([1], [Self.entry(0, at: 0, 7)], [Self.set(0, 7)], work) != nil)
  }

  @Test func newValuesAreNoReplacements() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.set(.value(.int(7)), at: 0, all(script))
      script.set(.value(.int(8)), at: 1, all(script))
    }
    let right = [Self.entry(0, at: 0, 7), Self.entry(1, at: 10, 8)]
    #expect(Self.problem([1, 2], right, [Self.set(0, 7), Self.set(1, 8)], work) == nil)
    #expect(Self.problem([1, 2], right, [Self.set(0, 7)], work) != nil)
    let new = [Self.entry(8, at: 1, 7), Self.entry(9, at: 2, 8)]
    let operations = [Self.remove(0), Self.remove(1)] + new.map(Self.insert)
    #expect(Self.problem([1, 2], new, operations, work) != nil)
  }

  @Test func anInsertionBeforeANewValueLeavesTheElement() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.insert(.value(.int(7)), at: 0, all(script))
      script.set(.value(.int(8)), at: 1, all(script))
    }
    let front = ListEntry(
      id: Self.id(9), position: ListPosition.between(nil, Self.position(0), count: 1)[0],
      value: .int(7))
    let right = [front, Self.entry(0, at: 0, 8)]
    #expect(Self.problem([1], right, [Self.insert(front), Self.set(0, 8)], work) == nil)
    let other = Self.entry(8, at: 1, 8)
    let operations = [Self.remove(0), Self.insert(front), Self.insert(other)]
    #expect(Self.problem([1], [front, other], operations, work) != nil)
  }

  @Test func ofEqualElementsTheNamedOneIsRemoved() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.remove(at: 0, all(script))
    }
    #expect(Self.problem([3, 3], [Self.entry(1, at: 10, 3)], [Self.remove(0)], work) == nil)
    #expect(Self.problem([3, 3], [Self.entry(0, at: 0, 3)], [Self.remove(1)], work) != nil)
  }

  @Test func onlyWhatIsElsewhereWasMoved() {
    func swap(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.rearrange([1, 0, 2], moving: [0, 1], all(script))
    }
    let one = [Self.entry(1, at: 10, 2), Self.entry(0, at: 15, 1), Self.entry(2, at: 20, 3)]
    #expect(Self.problem([1, 2, 3], one, [Self.move(0, to: 15)], swap) == nil)
    let other = [Self.entry(1, at: 10, 2), Self.entry(0, at: 25, 1), Self.entry(2, at: 30, 3)]
    let operations = [Self.move(0, to: 25), Self.move(2, to: 30)]
    #expect(Self.problem([1, 2, 3], other, operations, swap) != nil)

    func thereAndBack(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.rearrange([1, 2, 0], moving: [0], all(script))
      script.rearrange([2, 0, 1], moving: [2], all(script))
    }
    #expect(Self.problem([1, 2, 3], Self.list([1, 2, 3]), [], thereAndBack) == nil)
    let moved = [Self.entry(0, at: 1, 1)] + Self.list([1, 2, 3]).dropFirst()
    #expect(Self.problem([1, 2, 3], moved, [Self.move(0, to: 1)], thereAndBack) != nil)
  }

  /// The element that it was moved behind is gone: it may have moved, or not.
  @Test func whatWasMovedPastARemovedElementMayHaveMoved() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.rearrange([1, 0, 2], moving: [0], all(script))
      script.remove(at: 0, all(script))
    }
    let left = [Self.entry(0, at: 0, 1), Self.entry(2, at: 20, 3)]
    #expect(Self.problem([1, 2, 3], left, [Self.remove(1)], work) == nil)
    let moved = [Self.entry(0, at: 15, 1), Self.entry(2, at: 20, 3)]
    #expect(Self.problem([1, 2, 3], moved, [Self.remove(1), Self.move(0, to: 15)], work) == nil)
    let other = [Self.entry(0, at: 0, 1), Self.entry(2, at: 25, 3)]
    #expect(Self.problem([1, 2, 3], other, [Self.remove(1), Self.move(2, to: 25)], work) != nil)
  }

  /// Which of equal elements stay is open, how many is not.
  @Test func anAssignedListKeepsTheLongestCommonPart() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.assign([.value(.int(3)), .value(.int(5))])
    }
    let kept = Self.entry(0, at: 0, 3)
    let new = Self.entry(9, at: 12, 5)
    let first = [Self.remove(1), Self.insert(new)]
    #expect(Self.problem([3, 3], [kept, new], first, work) == nil)
    let second = [Self.remove(0), Self.insert(new)]
    #expect(Self.problem([3, 3], [Self.entry(1, at: 10, 3), new], second, work) == nil)
    let none = [Self.entry(8, at: 11, 3), new]
    let all = [Self.remove(0), Self.remove(1)] + none.map(Self.insert)
    #expect(Self.problem([3, 3], none, all, work) != nil)
    let paired = [kept, Self.entry(1, at: 10, 5)]
    #expect(Self.problem([3, 3], paired, [Self.set(1, 5)], work) != nil)
  }

  /// What was done to an assigned list is told from what it was assigned.
  @Test func anAssignedListMayChangeFurther() {
    func work(_ script: inout ListScript, _ all: (ListScript) -> [Int]) {
      script.assign([.value(.int(2)), .value(.int(1))])
      script.remove(at: 0, all(script))
    }
    // The first was removed again, so that either may have stayed until then.
    #expect(Self.problem([1, 2], [Self.entry(0, at: 0, 1)], [Self.remove(1)], work) == nil)
    let new = Self.entry(9, at: 12, 1)
    let operations = [Self.remove(0), Self.remove(1), Self.insert(new)]
    #expect(Self.problem([1, 2], [new], operations, work) == nil)
    #expect(Self.problem([1, 2], [Self.entry(1, at: 10, 1)], [Self.remove(0)], work) != nil)
  }
}
