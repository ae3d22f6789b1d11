internal import Atoll
internal import TestSupport

// Conditions on maps.

extension WhereMaker {
  func entries(
    _ steps: [WhereStep], _ name: String, _ query: @escaping (WherePlace) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        test(
          reading,
          reading.groups(node, steps) { Array(($0.maps[name] ?? [:]).values) }
            .flatMap { $0 }.map { reading.read(name, $0) })
      })
  }

  /// A test of the value of a key: null for a key that is not there.
  func values(
    of name: String, at key: String, _ steps: [WhereStep],
    _ query: @escaping (WherePlace) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        let values = reading.values(node, steps) { $0.maps[name]?[key] ?? .null }
        return test(reading, values.map { reading.read(name, $0) })
      })
  }

  mutating func map() -> WhereCondition {
    if chance(30) { return enumMap() }
    if chance(20) { return linkMap() }
    let steps = way()
    let wanted = WherePool.ints.any(&random)
    let comparator = any(WhereOperator.allCases)
    let key = WherePool<String>.keys.any(&random)
    func holdsForOne(_ reading: WhereReading, _ values: [WhereValue]) -> Bool {
      reading.any(values) { reading.holds(comparator, $0, .int(wanted)) }
    }
    switch number(11) {
    case 0:
      return values(
        of: "intMap", at: key, steps, { comparator.query($0.member(\.intMap)[key], wanted) },
        holdsForOne)
    case 1:
      return entries(
        steps, "intMap", { comparator.query($0.member(\.intMap).values, wanted) }, holdsForOne)
    case 2:
      return entries(
        steps, "intMap", { comparator.query($0.member(\.intMap), wanted) }, holdsForOne)
    case 3:
      let (low, high) = bounds(WherePool.ints)
      let isClosed = chance(50)
      return entries(
        steps, "intMap",
        { place in
          let values = place.member(\.intMap).values
          return isClosed ? values.contains(low...high) : values.contains(low..<high)
        }, Self.isInRange(.int(low), .int(high), isClosed))
    case 4:
      let chosen = some(0...3) { WherePool.ints.any(&$0.random) }
      return entries(steps, "intMap", { $0.member(\.intMap).values.in(chosen) }) {
        reading, values in
        reading.any(values) { value in chosen.contains { WhereValue.equal(value, .int($0)) } }
      }
    case 5:
      let chosen = some(0...3) { WherePool<String>.keys.any(&$0.random) }
      return WhereCondition(
        query: { $0.following(steps).member(\.stringMap).keys.in(chosen) },
        holds: { reading, node in
          reading.groups(node, steps) { ($0.maps["stringMap"] ?? [:]).keys.map { .string($0) } }
            .flatMap { $0 }
            .contains { key in chosen.contains { WhereValue.equal(key, .string($0)) } }
        })
    case 6:
      let text = WherePool<String>.strings.orNull.any(&random)
      return entries(steps, "stringMap", { $0.member(\.stringMap).contains(text) }) {
        reading, values in
        reading.any(values) { WhereValue.equal($0, text.map { .string($0) } ?? .null) }
      }
    case 7:
      let count = number(4)
      return groups(
        steps, { Array(($0.maps["intMap"] ?? [:]).values) },
        { comparator.query($0.member(\.intMap).count, count) }
      ) { _, values in WhereValue.holds(comparator, .int(values.count), .int(count)) }
    case 8:
      let (low, high) = bounds(WherePool.ints)
      return groups(
        steps, { Array(($0.maps["intMap"] ?? [:]).values) },
        { $0.member(\.intMap).contains(low...high) }
      ) { [areAll = Self.areInRange(.int(low), .int(high), true)] _, values in areAll(values) }
    case 9:
      return entries(steps, "stringMap", { $0.member(\.stringMap).values.starts(with: "a") }) {
        reading, values in
        reading.any(values) { $0.passes(.begins, .string("a"), WhereFolding()) }
      }
    default:
      let function = any([WhereFunction.minimum, .maximum])
      return groups(
        steps, { Array(($0.maps["intMap"] ?? [:]).values) },
        { place in
          let map = place.member(\.intMap)
          return comparator.query(function == .minimum ? map.min : map.max, wanted)
        }
      ) { _, values in
        WhereValue.holds(comparator, function.value(values), .int(wanted))
      }
    }
  }

  /// What a map of enums can be asked.
  private mutating func enumMap() -> WhereCondition {
    let steps = way()
    let wanted = WherePool.kinds.any(&random)
    let plain = WhereValue.string(wanted.rawValue)
    let comparator = any(WhereOperator.allCases)
    let key = WherePool<String>.keys.any(&random)
    let chosen = some(0...2) { WherePool.kinds.any(&$0.random) }
    func holdsForOne(_ reading: WhereReading, _ values: [WhereValue]) -> Bool {
      reading.any(values) { reading.holds(comparator, $0, plain) }
    }
    func isChosen(_ reading: WhereReading, _ values: [WhereValue]) -> Bool {
      reading.any(values) { value in
        chosen.contains { WhereValue.equal(value, .string($0.rawValue)) }
      }
    }
    switch number(6) {
    case 0:
      return values(
        of: "kindMap", at: key, steps, { comparator.query($0.member(\.kindMap)[key], wanted) },
        holdsForOne)
    case 1:
      return values(
        of: "kindMap", at: key, steps, { $0.member(\.kindMap)[key].in(chosen) }, isChosen)
    case 2:
      return entries(
        steps, "kindMap", { comparator.query($0.member(\.kindMap), wanted) }, holdsForOne)
    case 3:
      return entries(steps, "kindMap", { $0.member(\.kindMap).values.in(chosen) }, isChosen)
    case 4:
      return entries(steps, "kindMap", { $0.member(\.kindMap).containsAny(in: chosen) }, isChosen)
    default:
      let (low, high) = bounds(WherePool.kinds)
      let areAll = Self.areInRange(.string(low.rawValue), .string(high.rawValue), true)
      return groups(
        steps, { Array(($0.maps["kindMap"] ?? [:]).values) },
        { $0.member(\.kindMap).contains(low...high) }
      ) { reading, values in areAll(values.map { reading.read("kindMap", $0) }) }
    }
  }

  /// What a map of links can be asked.
  private mutating func linkMap() -> WhereCondition {
    let steps = way()
    let key = WherePool<String>.keys.any(&random)
    let (object, plain) = anyObject()
    func links(_ node: WhereWorld.Node) -> [WhereValue] {
      node.map.values.map { $0.map { .node($0) } ?? .null }
    }
    switch number(5) {
    case 0:
      return WhereCondition(
        query: { $0.following(steps).member(\.map)[key] == object },
        holds: { reading, node in
          let found = reading.values(node, steps) {
            ($0.map[key] ?? nil).map { .node($0) } ?? .null
          }
          return reading.any(found) { reading.holds(.equal, $0, plain) }
        })
    case 1:
      return WhereCondition(
        query: { $0.following(steps).member(\.map).values.in([object]) },
        holds: { reading, node in
          let found = reading.groups(node, steps, links).flatMap { $0 }
          return reading.any(found) { WhereValue.equal($0, plain) }
        })
    case 2:
      return WhereCondition(
        query: { $0.following(steps).member(\.map).contains(object) },
        holds: { reading, node in
          let found = reading.groups(node, steps, links).flatMap { $0 }
          return reading.any(found) { WhereValue.equal($0, plain) }
        })
    case 3:
      let count = number(3)
      let comparator = any(WhereOperator.allCases)
      return groups(steps, links, { comparator.query($0.member(\.map).count, count) }) { _, links in
        WhereValue.holds(comparator, .int(links.count), .int(count))
      }
    default:
      return WhereCondition(
        query: { $0.following(steps).member(\.map).keys == key },
        holds: { reading, node in
          reading.groups(node, steps) { $0.map.keys.map { .string($0) } }.flatMap { $0 }
            .contains { WhereValue.equal($0, .string(key)) }
        })
    }
  }
}
