internal import Atoll
internal import TestSupport

/// Makes random conditions.
struct WhereMaker {
  var random: SplitMix64
  /// The managed nodes of the world.
  let objects: [WhereNode]

  mutating func chance(_ percent: Int) -> Bool { WhereWorld.chance(percent, &random) }
  mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
  mutating func any<T>(_ elements: [T]) -> T { elements[number(elements.count)] }
  mutating func some<T>(_ count: ClosedRange<Int>, _ make: (inout Self) -> T) -> [T] {
    (0..<Int.random(in: count, using: &random)).map { _ in make(&self) }
  }

  // MARK: Shapes

  mutating func condition(depth: Int = 2) -> WhereCondition {
    guard depth > 0 else { return test() }
    switch number(8) {
    case 0: return .all(some(2...3) { $0.condition(depth: depth - 1) })
    case 1: return .any(some(2...3) { $0.condition(depth: depth - 1) })
    case 2, 3: return .not(condition(depth: depth - 1))
    case 4: return count(depth: depth)
    default: return test()
    }
  }

  /// How many nodes of a collection meet a condition.
  mutating func count(depth: Int) -> WhereCondition {
    var steps = way()
    if !(steps.last?.isCollection ?? false) {
      steps.append(any([.list, .set, .mapValues, .listed, .linked]))
    }
    let inner = condition(depth: depth - 1)
    let comparator = any(WhereOperator.allCases)
    let wanted = number(4)
    return WhereCondition(
      query: { [steps] place in
        let elements = place.following(steps)
        // The first term says whose nodes are counted, where the other goes on from them.
        return comparator.query((elements.member(\.id) >= 0 && inner.query(elements)).count, wanted)
      },
      holds: { [steps] reading, node in
        let found = reading.reach(node, steps).nodes.compactMap { $0 }
        let passing = found.count { inner.holds(reading, $0) }
        return WhereValue.holds(comparator, .int(passing), .int(wanted))
      })
  }

  /// A path of a few steps, most often of none or one.
  mutating func way() -> [WhereStep] {
    let count = any([0, 0, 0, 1, 1, 1, 2, 2, 3])
    return (0..<count).map { _ in
      any([
        .link, .list, .list, .set, .mapValues, .mapEntry(WherePool<String>.keys.any(&random)),
        .listed, .linked, .spotNode, .spotsNodes,
      ])
    }
  }

  // MARK: Tests

  mutating func test() -> WhereCondition {
    switch number(38) {
    case 0: return ordered(\.int, "int", .ints)
    case 1: return ordered(\.double, "double", .doubles)
    case 2: return ordered(\.string, "string", .strings)
    case 3: return ordered(\.date, "date", .dates)
    case 4: return ordered(\.kind, "kind", .kinds)
    case 5: return ordered(\.level, "level", .levels)
    case 6: return ordered(\.indexed, "indexed", .ints)
    case 7: return optional(\.optInt, "optInt", .ints)
    case 8: return optional(\.optFloat, "optFloat", .floats)
    case 9: return optional(\.optString, "optString", .strings)
    case 10: return optional(\.optDate, "optDate", .dates)
    case 11: return optional(\.optDecimal, "optDecimal", .decimals)
    case 12: return optional(\.optLevel, "optLevel", .levels)
    case 13: return optional(\.optKind, "optKind", .kinds)
    case 14: return equality(\.optData, "optData", WherePool.datas.orNull)
    case 15: return equality(\.optUUID, "optUUID", WherePool.uuids.orNull)
    case 16: return equality(\.optBool, "optBool", WherePool.bools.orNull)
    case 17: return custom()
    case 18: return truth()
    case 19: return text(\.string, "string", .strings)
    case 20: return optionalText()
    case 21: return enumText()
    case 22, 23, 34: return mixed()
    case 24, 25: return object()
    case 26: return spot()
    case 27: return numbers(\.ints, "ints")
    case 28: return numbers(\.intSet, "intSet")
    case 29, 35: return collection()
    case 30, 36: return map()
    case 31, 37: return mixedCollection()
    case 32: return aggregate()
    default: return place()
    }
  }

  /// A test of the values of a property of the nodes that a path leads to.
  ///
  /// `asStored`: whether enums are compared by what is stored, and not by what is read.
  func values<V>(
    _ steps: [WhereStep], _ name: String, _ property: KeyPath<WhereNode, V>,
    asStored: Bool = false, _ query: @escaping (Query<V>) -> Query<Bool>,
    _ test: @escaping (WhereReading, [WhereValue]) -> Bool
  ) -> WhereCondition {
    WhereCondition(
      query: { query($0.following(steps).member(property)) },
      holds: { reading, node in
        let values = reading.values(node, steps) { $0.values[name] ?? .null }
        return test(reading, asStored ? values : values.map { reading.read(name, $0) })
      })
  }

  /// What a property of any type can be asked: whether it is equal to one or some values.
  mutating func equality<V: _Storable>(
    _ property: KeyPath<WhereNode, V>, _ name: String, _ pool: WherePool<V>
  ) -> WhereCondition {
    let steps = way()
    let wanted = pool.any(&random)
    let plain = pool.plain(wanted)
    switch number(4) {
    case 0:
      return values(steps, name, property, { $0 == wanted }) { reading, values in
        reading.any(values) { reading.holds(.equal, $0, plain) }
      }
    case 1:
      return values(steps, name, property, { $0 != wanted }) { reading, values in
        reading.any(values) { !reading.holds(.equal, $0, plain) }
      }
    case 2:
      let other = way()
      return WhereCondition(
        query: {
          $0.following(steps).member(property) == $0.following(other).member(property)
        },
        holds: { reading, node in
          let right = reading.values(node, other) { $0.values[name] ?? .null }
          return reading.any(reading.values(node, steps) { $0.values[name] ?? .null }) { a in
            reading.any(right) { reading.holds(.equal, a, $0) }
          }
        })
    default: return membership(steps, property, name, pool)
    }
  }

  /// Whether a value is one of several.
  mutating func membership<V: _Storable>(
    _ steps: [WhereStep], _ property: KeyPath<WhereNode, V>, _ name: String, _ pool: WherePool<V>
  ) -> WhereCondition {
    let wanted = some(0...3) { pool.any(&$0.random) }
    let plain = wanted.map(pool.plain)
    return values(steps, name, property, { $0.in(wanted) }) { reading, values in
      reading.any(values) { value in plain.contains { reading.holds(.equal, value, $0) } }
    }
  }

  /// What a property with an order can be asked.
  mutating func ordered<V: _Storable & _QueryOrdered & Comparable>(
    _ property: KeyPath<WhereNode, V>, _ name: String, _ pool: WherePool<V>
  ) -> WhereCondition {
    let steps = way()
    switch number(5) {
    case 0: return equality(property, name, pool)
    case 1, 2:
      let (low, high) = bounds(pool)
      let isClosed = chance(50)
      return values(
        steps, name, property, { isClosed ? $0.contains(low...high) : $0.contains(low..<high) },
        Self.isInRange(pool.plain(low), pool.plain(high), isClosed))
    case 3:
      let other = way()
      let comparator = any(WhereOperator.allCases)
      return WhereCondition(
        query: {
          comparator.query(
            $0.following(steps).member(property), $0.following(other).member(property))
        },
        holds: { reading, node in
          let right = reading.values(node, other) { $0.values[name] ?? .null }
          return reading.any(reading.values(node, steps) { $0.values[name] ?? .null }) { a in
            reading.any(right) { reading.holds(comparator, a, $0) }
          }
        })
    default:
      let wanted = pool.any(&random)
      let plain = pool.plain(wanted)
      let comparator = any(WhereOperator.allCases)
      return values(steps, name, property, { comparator.query($0, wanted) }) { reading, values in
        reading.any(values) { reading.holds(comparator, $0, plain) }
      }
    }
  }

  /// Two values of which the first is not greater, and neither NaN.
  mutating func bounds<V: Comparable>(_ pool: WherePool<V>) -> (V, V) {
    let numbers = pool.values.filter { $0 == $0 }
    let (a, b) = (any(numbers), any(numbers))
    return a <= b ? (a, b) : (b, a)
  }

  /// Whether one of several values is in a range.
  static func isInRange(
    _ low: WhereValue, _ high: WhereValue, _ isClosed: Bool
  ) -> (WhereReading, [WhereValue]) -> Bool {
    let below: WhereOperator = isClosed ? .lessOrEqual : .less
    return { reading, values in
      reading.any(values) {
        WhereValue.holds(.greaterOrEqual, $0, low) && WhereValue.holds(below, $0, high)
      }
    }
  }

  /// What an optional property with an order can be asked.
  mutating func optional<V: _PersistableInsideOptional & _QueryOrdered & Comparable>(
    _ property: KeyPath<WhereNode, V?>, _ name: String, _ pool: WherePool<V>
  ) -> WhereCondition {
    let steps = way()
    switch number(4) {
    case 0: return equality(property, name, pool.orNull)
    case 1:
      let (low, high) = bounds(pool)
      let isClosed = chance(50)
      return values(
        steps, name, property, { isClosed ? $0.contains(low...high) : $0.contains(low..<high) },
        Self.isInRange(pool.plain(low), pool.plain(high), isClosed))
    default:
      let wanted = pool.orNull.any(&random)
      let plain = wanted.map(pool.plain) ?? .null
      let comparator = any(WhereOperator.allCases)
      return values(steps, name, property, { comparator.query($0, wanted) }) { reading, values in
        reading.any(values) { reading.holds(comparator, $0, plain) }
      }
    }
  }

  mutating func truth() -> WhereCondition {
    let wanted = chance(50)
    let isBare = chance(40)
    return values(way(), "bool", \.bool, { isBare ? $0 : $0 == wanted }) { reading, values in
      reading.any(values) { reading.holds(.equal, $0, .bool(isBare || wanted)) }
    }
  }

  /// What a custom type can be asked.
  mutating func custom() -> WhereCondition {
    let steps = way()
    let wanted = WherePool.codes.any(&random)
    let plain = WhereValue.string(wanted.text)
    switch number(5) {
    case 0: return equality(\.code, "code", .codes)
    case 1: return equality(\.optCode, "optCode", WherePool.codes.orNull)
    case 2:
      return values(steps, "code", \.code, { $0 < wanted }) { reading, values in
        reading.any(values) { reading.holds(.less, $0, plain) }
      }
    case 3:
      return values(steps, "optCode", \.optCode, { $0 >= wanted }) { reading, values in
        reading.any(values) { reading.holds(.greaterOrEqual, $0, plain) }
      }
    default:
      return values(steps, "code", \.code, { $0.starts(with: wanted) }) { reading, values in
        reading.any(values) { $0.passes(.begins, plain, WhereFolding()) }
      }
    }
  }

  // MARK: Strings

  mutating func anyFolding() -> (StringOptions?, WhereFolding) {
    switch number(4) {
    case 0: (.caseInsensitive, WhereFolding(ignoresCase: true))
    case 1: (.diacriticInsensitive, WhereFolding(ignoresMarks: true))
    case 2:
      (
        [.caseInsensitive, .diacriticInsensitive],
        WhereFolding(ignoresCase: true, ignoresMarks: true)
      )
    default: (nil, WhereFolding())
    }
  }

  mutating func text(
    _ property: KeyPath<WhereNode, String>, _ name: String, _ pool: WherePool<String>
  ) -> WhereCondition {
    let steps = way()
    let (options, folding) = anyFolding()
    let wanted = pool.any(&random)
    let plain = WhereValue.string(wanted)
    func test(
      _ test: WhereTextTest, _ query: @escaping (Query<String>) -> Query<Bool>
    ) -> WhereCondition {
      values(steps, name, property, query) { reading, values in
        reading.any(values) { $0.passes(test, plain, folding) }
      }
    }
    switch number(6) {
    case 0: return test(.contains) { $0.contains(wanted, options: options) }
    case 1: return test(.begins) { $0.starts(with: wanted, options: options) }
    case 2: return test(.ends) { $0.ends(with: wanted, options: options) }
    case 3:
      let pattern = WherePool<String>.patterns.any(&random)
      let ignoresCase = chance(50)
      return values(steps, name, property, { $0.like(pattern, caseInsensitive: ignoresCase) }) {
        reading, values in
        reading.any(values) {
          $0.passes(.like, .string(pattern), WhereFolding(ignoresCase: ignoresCase))
        }
      }
    case 4:
      return values(steps, name, property, { $0.equals(wanted, options: options) }) {
        reading, values in
        reading.any(values) { WhereValue.equal($0, plain, folding) }
      }
    default:
      return values(steps, name, property, { $0.notEquals(wanted, options: options) }) {
        reading, values in
        reading.any(values) { !WhereValue.equal($0, plain, folding) }
      }
    }
  }

  mutating func optionalText() -> WhereCondition {
    let (options, folding) = anyFolding()
    let wanted = WherePool<String>.strings.any(&random)
    let plain = WhereValue.string(wanted)
    switch number(3) {
    case 0:
      return values(way(), "optString", \.optString, { $0.contains(wanted, options: options) }) {
        reading, values in
        reading.any(values) { $0.passes(.contains, plain, folding) }
      }
    case 1:
      return values(way(), "optString", \.optString, { $0.notEquals(wanted, options: options) }) {
        reading, values in
        reading.any(values) { !WhereValue.equal($0, plain, folding) }
      }
    default:
      let other = way()
      let steps = way()
      return WhereCondition(
        query: {
          $0.following(steps).member(\.optString).starts(
            with: $0.following(other).member(\.string), options: options)
        },
        holds: { reading, node in
          let right = reading.values(node, other) { $0.values["string"] ?? .null }
          return reading.any(reading.values(node, steps) { $0.values["optString"] ?? .null }) { a in
            reading.any(right) { a.passes(.begins, $0, folding) }
          }
        })
    }
  }

  mutating func enumText() -> WhereCondition {
    let (options, folding) = anyFolding()
    let wanted = WherePool.kinds.any(&random)
    let plain = WhereValue.string(wanted.rawValue)
    switch number(3) {
    case 0:
      return values(
        way(), "kind", \.kind, asStored: true, { $0.contains(wanted, options: options) }
      ) {
        reading, values in
        reading.any(values) { $0.passes(.contains, plain, folding) }
      }
    case 1:
      return values(
        way(), "optKind", \.optKind, asStored: true, { $0.ends(with: wanted, options: options) }
      ) {
        reading, values in
        reading.any(values) { $0.passes(.ends, plain, folding) }
      }
    default:
      return values(
        way(), "optKind", \.optKind, asStored: true,
        { $0.rawValue.equals("ALPHA", options: options) }
      ) {
        reading, values in
        reading.any(values) { WhereValue.equal($0, .string("ALPHA"), folding) }
      }
    }
  }
}
