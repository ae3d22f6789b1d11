import AtollCapture
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollSync

/// Changes that are made in place, against the values that are built anew.
@Suite(.computing) struct EditedUnitTests {
  /// A value of maps and embedded objects, as one builds it.
  private indirect enum Model: Equatable {
    case leaf(Int64)
    case map([String: Model])
    case object(ElementID, [String: Model])

    var value: RecordedValue {
      func named<Element>(
        _ all: [String: Model], _ make: (String, RecordedValue) -> Element
      ) -> [Element] {
        all.keys.sorted().compactMap { key in all[key].map { make(key, $0.value) } }
      }
      return switch self {
      case .leaf(let number): .int(number)
      case .map(let entries): .map(named(entries) { RecordedEntry(key: $0, value: $1) })
      case .object(let id, let fields):
        .embedded(
          EmbeddedValue(
            incarnation: id, named(fields) { RecordedField(property: $0, value: $1) }))
      }
    }

    /// Returns what there is after a change; nil where the place is not there.
    func changed(
      _ names: ArraySlice<String>, within: ElementID?, of meant: ElementID?, to new: Model?
    ) -> Model? {
      let (around, children): (ElementID?, [String: Model])
      switch self {
      case .leaf: return nil
      case .map(let entries): (around, children) = (within, entries)
      case .object(let id, let fields): (around, children) = (id, fields)
      }
      guard let name = names.first else { return nil }
      var result = children
      if names.count == 1 {
        guard around == meant else { return nil }
        result[name] = new
      } else {
        guard
          let changed = children[name]?.changed(
            names.dropFirst(), within: around, of: meant, to: new)
        else { return nil }
        result[name] = changed
      }
      if case .object(let id, _) = self { return .object(id, result) }
      return .map(result)
    }
  }

  private struct Program {
    var random: SplitMix64

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func name() -> String { ["a", "bb", "cc\u{301}", "long name"][number(4)] }

    mutating func incarnation() -> ElementID {
      ElementID(client: 1, number: 1, index: UInt32(number(2)))
    }

    mutating func model(depth: Int) -> Model {
      guard depth > 0, number(4) > 0 else { return .leaf(Int64(number(9))) }
      var children: [String: Model] = [:]
      for _ in 0..<number(4) { children[name()] = model(depth: depth - 1) }
      return number(2) == 0 ? .map(children) : .object(incarnation(), children)
    }
  }

  @Test(arguments: seeds(200)) func changesInPlaceMakeTheSameValue(seed: UInt64) throws {
    var program = Program(random: SplitMix64(seed: seed))
    var model = program.model(depth: 4)
    let path = UnitPath.property("any")
    var unit = EditedUnit(model.value, at: path)
    for _ in 0..<60 {
      let names = (0...program.number(3)).map { _ in program.name() }
      let meant = program.number(3) == 0 ? nil : program.incarnation()
      let new = program.number(3) == 0 ? nil : program.model(depth: 2)
      let place = InnerPlace(incarnation: meant, names: names)
      // A second reference: what others hold does not change with it.
      let before = unit.value
      let done = unit.change(at: place, by: new.map { .set($0.value) } ?? .remove)
      #expect(before == model.value)
      let expected = model.changed(names[...], within: nil, of: meant, to: new)
      #expect((done == nil) == (expected == nil))
      #expect(unit.value == (expected ?? model).value)
      #expect(unit.byteCount == OperationFit.byteCount(unit.value))
      if let done, program.number(2) == 0 {
        unit.undo(done, at: place)
        #expect(unit.value == model.value)
      } else if let expected {
        model = expected
      }
      #expect(unit.byteCount == OperationFit.byteCount(unit.value))
    }
  }

  @Test func whatWouldBeTooDeepOrTooLargeIsAProblem() throws {
    let limit = RecordedReader.nestingLimit
    var deep = RecordedValue.int(1)
    for _ in 0..<limit - 1 { deep = .list([deep]) }
    let path = UnitPath.property("any")
    let place = InnerPlace(incarnation: nil, names: ["a"])
    var unit = EditedUnit(.map([]), at: path)
    let fitsChange = unit.change(at: place, by: .set(deep))
    let fits = try #require(fitsChange)
    #expect(unit.value.nesting == limit && unit.problem(after: fits, at: place) == nil)
    let deeperChange = unit.change(at: place, by: .set(.list([deep])))
    let deeper = try #require(deeperChange)
    #expect(unit.problem(after: deeper, at: place)?.reason == .tooLarge)
    let large = RecordedValue.data([UInt8](repeating: 0, count: OperationFit.byteCountLimit))
    let largerChange = unit.change(at: place, by: .set(large))
    let larger = try #require(largerChange)
    #expect(unit.problem(after: larger, at: place)?.reason == .tooLarge)
    unit.undo(larger, at: place)
    let smallChange = unit.change(at: place, by: .remove)
    let small = try #require(smallChange)
    #expect(unit.problem(after: small, at: place) == nil)
  }
}
