import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// The laws that let a device work unit by unit.
@Suite(.computing) struct AlgebraTests {
  private static let shape = RandomOperations.shape

  private static func replayed(
    _ state: UnitState, _ operations: [PendingOperation]
  ) -> UnitState {
    var state = state
    for operation in operations { state.replay(operation, shape: shape) }
    state.forgetCreates()
    return state
  }

  /// Replaying on some units gives the same as replaying on all, restricted to them.
  @Test(arguments: seeds(12))
  func unitsCanBeReplayedApart(seed: UInt64) {
    var make = RandomOperations(seed: seed)
    for _ in 0..<50 {
      let state = make.state()
      let operations = (0..<make.number(8)).map { make.operation(number: UInt64($0)) }
      var scope: Set<UnitPath> = [.existence]
      for path in RandomOperations.allPaths where make.flip() { scope.insert(path) }
      let whole = Self.replayed(state, operations).restricted(to: scope)
      #expect(Self.replayed(state.restricted(to: scope), operations) == whole)
      // The operations that touch none of the units do not matter.
      let near = operations.filter {
        !UnitState.touched(by: $0.operation, of: scope).isDisjoint(with: scope)
      }
      #expect(Self.replayed(state.restricted(to: scope), near) == whole)
    }
  }

  @Test(arguments: seeds(12))
  func anOperationChangesOnlyWhatItTouches(seed: UInt64) {
    var make = RandomOperations(seed: seed)
    for _ in 0..<100 {
      let before = make.state()
      let operation = make.operation(number: 1)
      let after = Self.replayed(before, [operation])
      let touched = UnitState.touched(
        by: operation.operation, of: Set(before.values.keys).union(after.values.keys))
      for path in RandomOperations.allPaths where before[path] != after[path] {
        #expect(touched.contains(path))
      }
      if before.generation != after.generation { #expect(touched.contains(.existence)) }
    }
  }

  /// An edit of another life, or of an object that is not there, does nothing.
  @Test func editsOfAnotherGenerationHaveNoEffect() {
    var make = RandomOperations(seed: 7)
    let live = Generation.confirmed(Cursor(incarnation: 1, version: 5))
    let state = UnitState(generation: live, values: [.property("a"): .value(.int(1))])
    for _ in 0..<50 {
      let other = make.edit(.confirmed(Cursor(incarnation: 1, version: 4)))
      #expect(Self.replayed(state, [PendingOperation(number: 1, index: 0, other)]) == state)
      let absent = PendingOperation(number: 1, index: 0, make.edit(live))
      #expect(!Self.replayed(UnitState(), [absent]).isThere)
    }
  }

  /// A create that meets a live object gives it another name and changes nothing.
  @Test func aCreateOfALiveObjectMeetsIt() {
    let live = Generation.confirmed(Cursor(incarnation: 1, version: 5))
    let state = UnitState(generation: live, values: [.property("a"): .value(.int(1))])
    let create = PendingOperation(
      number: 3, index: 0,
      Operation(object: RandomOperations.object, generation: nil, action: .create))
    let edit = PendingOperation(
      number: 3, index: 1,
      Operation(
        object: RandomOperations.object, generation: create.name,
        action: .set(property: "a", .int(2))))
    let after = Self.replayed(state, [create, edit])
    #expect(after.generation == live)
    #expect(after[.property("a")] == .value(.int(2)))
  }

  @Test func aCreateBeginsWithDefaults() {
    let create = PendingOperation(
      number: 3, index: 0,
      Operation(object: RandomOperations.object, generation: nil, action: .create))
    let made = Self.replayed(UnitState(), [create])
    #expect(made.generation == create.name)
    #expect(made.values == [.property("a"): .value(.int(0)), .property("b"): .value(.null)])
  }

  @Test func aRemovedElementIsNotSetAgain() {
    let live = Generation.confirmed(Cursor(incarnation: 1, version: 5))
    let path = UnitPath.element(property: "l", RandomOperations.element(0))
    let set = PendingOperation(
      number: 1, index: 0,
      Operation(
        object: RandomOperations.object, generation: live,
        action: .setElement(property: "l", RandomOperations.element(0), .int(9))))
    let empty = UnitState(generation: live, values: [:])
    #expect(Self.replayed(empty, [set])[path] == nil)
    let position = RandomOperations.positions[0]
    let full = UnitState(generation: live, values: [path: .element(position, .int(1))])
    #expect(Self.replayed(full, [set])[path] == .element(position, .int(9)))
  }
}
