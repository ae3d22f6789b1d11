internal import Atoll
internal import Foundation
internal import TestSupport

// Conditions on mixed values.

extension WhereMaker {
  /// A mixed value, in which an object may be.
  private mutating func anyMixed() -> (AnyRealmValue, WhereValue) {
    switch number(5) {
    case 0:
      let (object, plain) = anyObject()
      return (.object(object), plain)
    case 1:
      let (object, plain) = anyObject()
      return (.fromArray([.int(1), .object(object)]), .list([.int(1), plain]))
    default:
      let value = WherePool.mixed.any(&random)
      return (value, WherePool<AnyRealmValue>.plain(value))
    }
  }

  /// Objects have no order.
  private mutating func comparator(for value: WhereValue) -> WhereOperator {
    if case .node = value { return any([.equal, .notEqual]) }
    return any(WhereOperator.allCases)
  }

  mutating func mixed() -> WhereCondition {
    let steps = way()
    let (wanted, plain) = anyMixed()
    switch number(8) {
    case 0, 1:
      let comparator = comparator(for: plain)
      return values(steps, "any", \.any, { comparator.query($0, wanted) }) { reading, values in
        reading.any(values) { reading.holds(comparator, $0, plain) }
      }
    case 2:
      let chosen = some(0...3) { $0.anyMixed() }
      return values(steps, "any", \.any, { $0.in(chosen.map { $0.0 }) }) { reading, values in
        reading.any(values) { value in
          chosen.contains { reading.holds(.equal, value, $0.1) }
        }
      }
    case 3:
      let text = WherePool.mixedTexts.any(&random)
      return values(steps, "any", \.any, { $0.contains(text) }) { reading, values in
        reading.any(values) {
          $0.passes(.contains, WherePool<AnyRealmValue>.plain(text), WhereFolding())
        }
      }
    case 4:
      let (object, plain) = anyObject()
      return values(steps, "any", \.any, { $0 != .object(object) }) { reading, values in
        reading.any(values) { !reading.holds(.equal, $0, plain) }
      }
    default: return inside(steps, wanted, plain)
    }
  }

  /// A test of what is inside of a mixed value.
  private mutating func inside(
    _ steps: [WhereStep], _ wanted: AnyRealmValue, _ plain: WhereValue
  ) -> WhereCondition {
    let comparator = comparator(for: plain)
    let (query, values):
      ((Query<AnyRealmValue>) -> Query<AnyRealmValue>, (WhereValue) -> [WhereValue])
    // What is inside of the value of an object that is not there: null for one place in it.
    var ofNothing: [WhereValue] = [.null]
    switch number(4) {
    case 0: (query, values) = ({ $0["k"] }, { Self.entry($0, "k") })
    case 1: (query, values) = ({ $0[0] }, { Self.element($0, 0) })
    case 2:
      (query, values) = ({ $0.any }, { Self.elements($0) })
      ofNothing = []
    default:
      (query, values) = ({ $0["j"][0] }, { Self.entry($0, "j").flatMap { Self.element($0, 0) } })
    }
    return WhereCondition(
      query: { comparator.query(query($0.following(steps).member(\.any)), wanted) },
      holds: { reading, node in
        let found = reading.reach(node, steps).nodes.flatMap { found in
          found.map { values(reading.nodes[$0].values["any"] ?? .null) } ?? ofNothing
        }
        return reading.any(found) { reading.holds(comparator, $0, plain) }
      })
  }

  private static func entry(_ value: WhereValue, _ key: String) -> [WhereValue] {
    if case .map(let map) = value { [map[key] ?? .null] } else { [] }
  }

  private static func element(_ value: WhereValue, _ index: Int) -> [WhereValue] {
    if case .list(let list) = value { Array(list.dropFirst(index).prefix(1)) } else { [] }
  }

  private static func elements(_ value: WhereValue) -> [WhereValue] {
    switch value {
    case .list(let list): list
    case .map(let map): Array(map.values)
    default: []
    }
  }

  /// What lists and maps of mixed values can be asked.
  mutating func mixedCollection() -> WhereCondition {
    let steps = way()
    let (wanted, plain) = anyMixed()
    func isWanted(_ reading: WhereReading, _ values: [WhereValue]) -> Bool {
      reading.any(values) { reading.holds(.equal, $0, plain) }
    }
    switch number(8) {
    case 0: return elements(steps, "anys", { $0.member(\.anys) == wanted }, isWanted)
    case 1: return elements(steps, "anys", { $0.member(\.anys).contains(wanted) }, isWanted)
    case 2:
      return elements(steps, "anys", { $0.member(\.anys) != wanted }) { reading, values in
        reading.any(values) { !reading.holds(.equal, $0, plain) }
      }
    case 3, 4:
      let chosen = some(0...3) { $0.anyMixed() }
      let isOfMap = chance(50)
      func isChosen(_ reading: WhereReading, _ values: [WhereValue]) -> Bool {
        reading.any(values) { value in chosen.contains { WhereValue.equal(value, $0.1) } }
      }
      let values = chosen.map { $0.0 }
      return isOfMap
        ? entries(steps, "anyMap", { $0.member(\.anyMap).values.in(values) }, isChosen)
        : elements(steps, "anys", { $0.member(\.anys).containsAny(in: values) }, isChosen)
    case 5: return entries(steps, "anyMap", { $0.member(\.anyMap).values == wanted }, isWanted)
    case 6: return entries(steps, "anyMap", { $0.member(\.anyMap).contains(wanted) }, isWanted)
    default:
      return values(of: "anyMap", at: "k", steps, { $0.member(\.anyMap)["k"] == wanted }, isWanted)
    }
  }
}
