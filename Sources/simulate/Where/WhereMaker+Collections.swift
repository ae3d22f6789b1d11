internal import Atoll
internal import Foundation
internal import TestSupport

// Conditions on collections of values, and on aggregates.

extension WhereMaker {
  // MARK: Collections of values

  /// A test of the elements of a collection, all together.
  private func elements(
    _ steps: [WhereStep], _ name: String, _ query: @escaping (WherePlace) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        let groups = reading.groups(node, steps) { $0.elements[name] ?? [] }
        return test(reading, groups.flatMap { $0 }.map { reading.read(name, $0) })
      })
  }

  /// A test of the elements of each collection, which holds when it does for one of them.
  private func groups(
    _ steps: [WhereStep], _ elements: @escaping (WhereWorld.Node) -> [WhereValue],
    _ query: @escaping (WherePlace) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        reading.groups(node, steps, elements).contains { test(reading, $0) }
      })
  }

  /// What a list or set of numbers can be asked.
  mutating func numbers<C: RealmCollection>(
    _ property: KeyPath<WhereNode, C>, _ name: String
  ) -> WhereCondition where C.Element == Int {
    let steps = way()
    let wanted = WherePool.ints.any(&random)
    let plain = WhereValue.int(wanted)
    let comparator = any(WhereOperator.allCases)
    switch number(8) {
    case 0:
      return elements(steps, name, { comparator.query($0.member(property), wanted) }) {
        reading, elements in
        reading.any(elements) { reading.holds(comparator, $0, plain) }
      }
    case 1:
      let (low, high) = bounds(WherePool.ints)
      let isClosed = chance(50)
      return groups(
        steps, { $0.elements[name] ?? [] },
        { place in
          let query = place.member(property)
          return isClosed ? query.contains(low...high) : query.contains(low..<high)
        }
      ) { _, elements in
        !elements.isEmpty
          && elements.allSatisfy {
            WhereValue.holds(.greaterOrEqual, $0, .int(low))
              && WhereValue.holds(isClosed ? .lessOrEqual : .less, $0, .int(high))
          }
      }
    case 2:
      let count = number(4)
      return groups(
        steps, { $0.elements[name] ?? [] }, { comparator.query($0.member(property).count, count) }
      ) { _, elements in WhereValue.holds(comparator, .int(elements.count), .int(count)) }
    case 3, 4:
      let function = any(WhereFunction.allCases)
      return groups(
        steps, { $0.elements[name] ?? [] },
        { function.query($0.member(property), comparator, wanted) }
      ) { reading, elements in
        WhereValue.holds(comparator, function.value(reading, elements), function.constant(wanted))
      }
    case 5:
      return elements(steps, name, { $0.member(property).contains(wanted) }) { reading, elements in
        reading.any(elements) { WhereValue.equal($0, plain) }
      }
    default:
      let chosen = some(0...3) { WherePool.ints.any(&$0.random) }
      return elements(steps, name, { $0.member(property).containsAny(in: chosen) }) {
        reading, elements in
        reading.any(elements) { value in chosen.contains { WhereValue.equal(value, .int($0)) } }
      }
    }
  }

  /// What lists of other values can be asked.
  mutating func collection() -> WhereCondition {
    switch number(6) {
    case 0: return contents(\.optInts, "optInts", WherePool.ints.orNull)
    case 1: return contents(\.strings, "strings", .strings)
    case 2: return contents(\.stringSet, "stringSet", .strings)
    case 3: return contents(\.kinds, "kinds", .kinds)
    case 4: return contents(\.dates, "dates", .dates)
    default:
      let wanted = WherePool.dates.any(&random)
      let comparator = any(WhereOperator.allCases)
      let isLeast = chance(50)
      let plain = WhereValue.date(wanted.timeIntervalSinceReferenceDate)
      return groups(
        way(), { $0.elements["dates"] ?? [] },
        { place in
          let dates = place.member(\.dates)
          return comparator.query(isLeast ? dates.min : dates.max, wanted)
        }
      ) { reading, elements in
        let function = isLeast ? WhereFunction.minimum : .maximum
        return WhereValue.holds(comparator, function.value(reading, elements), plain)
      }
    }
  }

  private mutating func contents<C: RealmCollection>(
    _ property: KeyPath<WhereNode, C>, _ name: String, _ pool: WherePool<C.Element>
  ) -> WhereCondition {
    let steps = way()
    let wanted = pool.any(&random)
    let plain = pool.plain(wanted)
    switch number(4) {
    case 0:
      return elements(steps, name, { $0.member(property) == wanted }) { reading, elements in
        reading.any(elements) { reading.holds(.equal, $0, plain) }
      }
    case 1:
      return elements(steps, name, { $0.member(property) != wanted }) { reading, elements in
        reading.any(elements) { !reading.holds(.equal, $0, plain) }
      }
    case 2:
      return elements(steps, name, { $0.member(property).contains(wanted) }) { reading, elements in
        reading.any(elements) { reading.holds(.equal, $0, plain) }
      }
    default:
      let chosen = some(0...3) { pool.any(&$0.random) }
      return elements(steps, name, { $0.member(property).containsAny(in: chosen) }) {
        reading, elements in
        reading.any(elements) { value in
          chosen.contains { reading.holds(.equal, value, pool.plain($0)) }
        }
      }
    }
  }

  /// What lists and maps of mixed values can be asked.
  mutating func mixedCollection() -> WhereCondition {
    let steps = way()
    let wanted = WherePool.mixed.any(&random)
    let plain = WherePool<AnyRealmValue>.plain(wanted)
    switch number(3) {
    case 0: return contents(\.anys, "anys", .mixed)
    case 1:
      return entries(steps, "anyMap", { $0.member(\.anyMap).values == wanted }) { reading, values in
        reading.any(values) { reading.holds(.equal, $0, plain) }
      }
    default:
      return values(
        of: "anyMap", at: "k", steps, { $0.member(\.anyMap)["k"] == wanted }
      ) { reading, values in reading.any(values) { reading.holds(.equal, $0, plain) } }
    }
  }

  // MARK: Maps

  private func entries(
    _ steps: [WhereStep], _ name: String, _ query: @escaping (WherePlace) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        test(
          reading,
          reading.groups(node, steps) { Array(($0.maps[name] ?? [:]).values) }.flatMap { $0 })
      })
  }

  /// A test of the value of a key: null for a key that is not there.
  private func values(
    of name: String, at key: String, _ steps: [WhereStep],
    _ query: @escaping (WherePlace) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps)) },
      holds: { reading, node in
        test(reading, reading.values(node, steps) { $0.maps[name]?[key] ?? .null })
      })
  }

  mutating func map() -> WhereCondition {
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
      ) { _, values in
        !values.isEmpty
          && values.allSatisfy {
            WhereValue.holds(.greaterOrEqual, $0, .int(low))
              && WhereValue.holds(.lessOrEqual, $0, .int(high))
          }
      }
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
      ) { reading, values in
        WhereValue.holds(comparator, function.value(reading, values), .int(wanted))
      }
    }
  }

  // MARK: Aggregates over objects

  mutating func aggregate() -> WhereCondition {
    let steps = way()
    let last: WhereStep = any([.list, .set, .listed, .linked])
    let function = any(WhereFunction.allCases)
    let comparator = any(WhereOperator.allCases)
    let wanted = WherePool.ints.any(&random)
    let isCount = chance(25)
    let count = number(4)
    let isLevel = chance(30)
    return WhereCondition(
      query: { place in
        let place = place.following(steps)
        if isCount {
          let found =
            switch last {
            case .list: place.member(\.list).count
            case .set: place.member(\.set).count
            case .listed: place.member(\.listed).count
            default: place.member(\.linked).count
            }
          return comparator.query(found, count)
        }
        let elements = place.following([last])
        if isLevel {
          let level = elements.member(\.level)
          return comparator.query(function == .minimum ? level.min : level.max, .middle)
        }
        return function.query(elements.member(\.int), comparator, wanted)
      },
      holds: { reading, node in
        reading.reach(node, steps).nodes.contains { found in
          let members = found.map { reading.reach($0, [last]).nodes.compactMap { $0 } } ?? []
          if isCount { return WhereValue.holds(comparator, .int(members.count), .int(count)) }
          let name = isLevel ? "level" : "int"
          let values = members.map { reading.nodes[$0].values[name] ?? .null }
          if isLevel {
            let function = function == .minimum ? function : .maximum
            return WhereValue.holds(comparator, function.value(reading, values), .int(2))
          }
          return WhereValue.holds(
            comparator, function.value(reading, values), function.constant(wanted))
        }
      })
  }
}
