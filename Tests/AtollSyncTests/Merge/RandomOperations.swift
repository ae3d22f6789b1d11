import AtollCapture
import AtollObjects
import AtollSync
import TestSupport

/// Random operations on one object, from one seed.
struct RandomOperations {
  static let object = ObjectAddress(className: "Task", primaryKey: .int(1))
  static let shape = ClassShape(defaults: ["a": .int(0), "b": .null])
  /// Positions that elements take.
  static let positions = ListPosition.between(nil, nil, count: 4)

  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }

  static func element(_ index: Int) -> ElementID {
    ElementID(client: 1, number: 1, index: UInt32(index))
  }

  static let allPaths: Set<UnitPath> = [
    .existence, .property("a"), .property("b"), .element(property: "l", element(0)),
    .element(property: "l", element(1)), .element(property: "l", element(2)),
    .entry(property: "m", .string("x")), .entry(property: "m", .string("y")),
    .entry(property: "s", .int(1)), .entry(property: "s", .int(2)),
  ]

  mutating func value() -> RecordedValue {
    let value = RecordedValue.int(Int64(number(5)))
    if number(3) == 0 {
      return .embedded(
        EmbeddedValue(
          incarnation: Self.element(number(2)), [RecordedField(property: "x", value: value)]))
    }
    if number(3) == 0 { return .map([RecordedEntry(key: "k", value: value)]) }
    return number(4) == 0 ? .list([.link(Self.object), value]) : value
  }

  mutating func key() -> RecordedValue { .string(flip() ? "x" : "y") }

  mutating func member() -> RecordedValue { .int(flip() ? 1 : 2) }

  mutating func position() -> ListPosition { Self.positions[number(4)] }

  /// An edit or a deletion; `generation` is what it names.
  mutating func edit(_ generation: Generation) -> Operation {
    let id = Self.element(number(3))
    let action: Operation.Action =
      switch number(18) {
      case 14, 15, 16, 17: .edit(path(), place(), innerChange())
      case 13: .moveElement(property: "l", id, position())
      case 0: .delete
      case 7: .setEntry(property: "m", key: key(), value())
      case 8: .removeEntry(property: "m", key: key())
      case 9: .addMember(property: "s", member())
      case 10: .removeEntry(property: "s", key: member())
      case 1, 2: .set(property: "a", value())
      case 11: .increment(property: "a", by: Int64(number(5)) - 1)
      case 12: .increment(property: "b", by: .max)
      case 3: .set(property: "b", flip() ? .null : value())
      case 4: .insert(property: "l", id, position(), value())
      case 5: .setElement(property: "l", id, value())
      default: .removeElement(property: "l", id)
      }
    return Operation(object: Self.object, generation: generation, action: action)
  }

  mutating func path() -> UnitPath {
    switch number(3) {
    case 0: .property(flip() ? "a" : "b")
    case 1: .element(property: "l", Self.element(number(3)))
    default: .entry(property: "m", key())
    }
  }

  mutating func place() -> InnerPlace {
    flip()
      ? InnerPlace(incarnation: Self.element(number(2)), names: [flip() ? "x" : "y"])
      : InnerPlace(incarnation: nil, names: [flip() ? "k" : "m"])
  }

  mutating func innerChange() -> InnerChange {
    switch number(3) {
    case 0: .remove
    case 1: .set(.int(1 + Int64(number(3))))
    default: .increment(by: Int64(number(3)) - 1, startsAtZero: flip())
    }
  }

  mutating func create() -> Operation {
    Operation(object: Self.object, generation: nil, action: .create)
  }

  /// An operation as it might come, whatever the object is.
  mutating func operation(number: UInt64) -> PendingOperation {
    let generation: Generation =
      flip()
      ? .confirmed(Cursor(incarnation: 1, version: UInt64(self.number(3))))
      : .pending(number: UInt64(self.number(4)), index: 0)
    return PendingOperation(
      number: number, index: 0, self.number(5) == 0 ? create() : edit(generation))
  }

  mutating func units() -> [UnitChange] {
    var units: [UnitChange] = []
    if flip() { units.append(UnitChange(.property("a"), .value(value()))) }
    if flip() { units.append(UnitChange(.property("b"), .value(value()))) }
    for index in 0..<3 where flip() {
      units.append(
        UnitChange(
          .element(property: "l", Self.element(index)),
          .element(position(), value())))
    }
    if flip() { units.append(UnitChange(.entry(property: "m", .string("x")), .value(value()))) }
    if flip() { units.append(UnitChange(.entry(property: "s", .int(1)), .exists)) }
    return units
  }

  mutating func change() -> ObjectChange.Change {
    switch number(3) {
    case 0: return .leave
    case 1:
      return .full(
        generation: Cursor(incarnation: 1, version: UInt64(number(3))), units())
    default:
      var units = units()
      if flip() { units.append(UnitChange(.element(property: "l", Self.element(0)), nil)) }
      if flip() { units.append(UnitChange(.entry(property: "m", .string("y")), nil)) }
      if flip() { units.append(UnitChange(.entry(property: "s", .int(2)), nil)) }
      return .update(units)
    }
  }

  mutating func state() -> UnitState {
    var state = UnitState()
    if flip() { state.apply(change(), shape: Self.shape) }
    return state
  }
}
