internal import Atoll
internal import Foundation
internal import TestSupport

// Conditions on collections of values, and on aggregates.

extension WhereMaker {
  // MARK: Collections of values

  /// A test of the elements of a collection, all together.
  func elements(
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
  func groups(
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
      ) { [areAll = Self.areInRange(.int(low), .int(high), isClosed)] _, elements in
        areAll(elements)
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
      ) { _, elements in
        WhereValue.holds(comparator, function.value(elements), function.constant(wanted))
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
    switch number(12) {
    case 6: return contents(\.kindSet, "kindSet", .kinds)
    case 7: return contents(\.levels, "levels", WherePool.levels.orNull)
    case 8: return ordered(elements: \.kinds, "kinds", .kinds)
    case 9: return ordered(elements: \.kindSet, "kindSet", .kinds)
    case 10: return ordered(elements: \.strings, "strings", .strings)
    case 11: return ordered(elements: \.dates, "dates", .dates)
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
      ) { _, elements in
        let function = isLeast ? WhereFunction.minimum : .maximum
        return WhereValue.holds(comparator, function.value(elements), plain)
      }
    }
  }

  /// What collections of values with an order can be asked.
  private mutating func ordered<C: RealmCollection>(
    elements property: KeyPath<WhereNode, C>, _ name: String, _ pool: WherePool<C.Element>
  ) -> WhereCondition where C.Element: _QueryOrdered & Comparable {
    let steps = way()
    if chance(50) {
      let wanted = pool.any(&random)
      let plain = pool.plain(wanted)
      let comparator = any(WhereOperator.allCases)
      return elements(steps, name, { comparator.query($0.member(property), wanted) }) {
        reading, elements in
        reading.any(elements) { reading.holds(comparator, $0, plain) }
      }
    }
    let (low, high) = bounds(pool)
    let isClosed = chance(50)
    let areAll = Self.areInRange(pool.plain(low), pool.plain(high), isClosed)
    return groups(
      steps, { $0.elements[name] ?? [] },
      { place in
        let query = place.member(property)
        return isClosed ? query.contains(low...high) : query.contains(low..<high)
      }
    ) { reading, elements in areAll(elements.map { reading.read(name, $0) }) }
  }

  /// Whether there are values and all are in a range.
  static func areInRange(
    _ low: WhereValue, _ high: WhereValue, _ isClosed: Bool
  ) -> ([WhereValue]) -> Bool {
    { values in
      !values.isEmpty
        && values.allSatisfy {
          WhereValue.holds(.greaterOrEqual, $0, low)
            && WhereValue.holds(isClosed ? .lessOrEqual : .less, $0, high)
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
            return WhereValue.holds(comparator, function.value(values), .int(2))
          }
          return WhereValue.holds(
            comparator, function.value(values), function.constant(wanted))
        }
      })
  }
}
