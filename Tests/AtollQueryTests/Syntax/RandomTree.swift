import TestSupport
@testable import AtollQuery

/// Makes random trees in normal form, with every kind of node.
struct RandomTree {
  var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func some<Item>(_ count: ClosedRange<Int>, _ make: (inout Self) -> Item)
    -> [Item]
  {
    let count = Int.random(in: count, using: &random)
    return (0..<count).map { _ in make(&self) }
  }

  mutating func request() -> QuerySyntax.Request {
    QuerySyntax.Request(
      predicate(depth: below(6)), descriptors: some(0...3) { $0.descriptor() },
      grouping: chance(20) ? grouping() : nil)
  }

  private mutating func predicate(depth: Int) -> QuerySyntax.Predicate {
    guard depth > 0 else { return leaf(depth: 0) }
    switch below(5) {
    case 0: return .all(of: some(0...4) { $0.predicate(depth: depth - 1) })
    case 1: return .any(of: some(0...4) { $0.predicate(depth: depth - 1) })
    case 2: return .negation(of: predicate(depth: depth - 1))
    default: return leaf(depth: depth)
    }
  }

  private mutating func leaf(depth: Int) -> QuerySyntax.Predicate {
    switch below(8) {
    case 0: return .true
    case 1: return .false
    case 2: return between(depth: depth)
    case 3: return .text(.init(plain(depth: depth), plain(depth: 0)))
    case 4: return .geoWithin(.init(reference(), .init(area())))
    default: return comparison(depth: depth)
    }
  }

  private mutating func between(depth: Int) -> QuerySyntax.Predicate {
    let operand = plain(depth: depth)
    let bounds = bounds()
    guard case .list(let list) = bounds, list.quantifier == nil, list.elements.value.count == 2
    else { return .between(.init(operand, bounds)) }
    return .between(.init(operand, bounds, excludesHigh: chance(50)))
  }

  private mutating func comparison(depth: Int) -> QuerySyntax.Predicate {
    let comparator = QuerySyntax.Comparator.allCases[below(11)]
    let folding =
      comparator.acceptsCaseMark && chance(30) ? QuerySyntax.Folding.allCases[below(4)] : .exact
    let left = comparator.comparesStrings ? plain(depth: depth) : expression(depth: depth)
    let right = comparator.comparesStrings ? plain(depth: 0) : expression(depth: depth)
    return .comparison(.init(left, .init(comparator), folding: folding, right))
  }

  private mutating func expression(depth: Int) -> QuerySyntax.Expression {
    guard depth > 0, chance(40) else { return plain(depth: depth) }
    let functions: [QuerySyntax.ArithmeticFunction] =
      chance(50) ? [.plus, .minus] : [.times, .dividedBy]
    let first = expression(depth: depth - 1)
    let rest = some(1...3) { tree in
      QuerySyntax.ArithmeticTerm(.init(functions[tree.below(2)]), tree.expression(depth: depth - 1))
    }
    return .arithmetic(.init(first, rest))
  }

  private mutating func plain(depth: Int) -> QuerySyntax.Expression {
    switch below(8) {
    case 0, 1: return .literal(.init(literal()))
    case 2: return .list(list())
    case 3: return .argument(quantifier(), .init(below(20)))
    case 4:
      let property = chance(70) ? QuerySyntax.Located(name()) : nil
      let function = QuerySyntax.AggregateFunction.allCases[below(4)]
      return .aggregate(.init(path(), .init(function), of: property))
    case 5 where depth > 0:
      let variable = QuerySyntax.Located("$" + ["v", "boat", "_1", "-", "Åse"][below(5)])
      return .subquery(
        .init(.init(path(), variable: variable, predicate(depth: depth - 1))))
    default: return .property(reference())
    }
  }

  private mutating func quantifier() -> QuerySyntax.Located<QuerySyntax.Quantifier>? {
    chance(40) ? .init(QuerySyntax.Quantifier.allCases[below(3)]) : nil
  }

  private mutating func reference() -> QuerySyntax.PropertyReference {
    if chance(10) {
      let path = QuerySyntax.Path((chance(50) ? path().steps : []) + [.init(.incomingLinks)])
      if case .keyPathArgument? = path.steps.first?.value {
        return .init(.init([.init(.incomingLinks)]), suffix: .init(.count))
      }
      return .init(path, quantifier: quantifier(), suffix: .init(.count))
    }
    let suffix = chance(30) ? QuerySyntax.Suffix.allCases[below(2)] : nil
    return .init(path(), quantifier: quantifier(), suffix: suffix.map { .init($0) })
  }

  private mutating func path(mayBeArgument: Bool = true) -> QuerySyntax.Path {
    if mayBeArgument, chance(10) { return .init([.init(.keyPathArgument(below(5)))]) }
    var steps: [QuerySyntax.PathStep] = []
    switch below(6) {
    case 0: steps.append(chance(50) ? .keys : .values)
    case 1: steps.append(backlinks())
    default: steps.append(.property(name()))
    }
    for _ in 0..<below(4) {
      switch below(11) {
      case 0: steps.append(.index(Int64(below(100))))
      case 1: steps.append(.first)
      case 2: steps.append(.last)
      case 3: steps.append(.all)
      case 4: steps.append(.key(string()))
      case 5: steps.append(chance(50) ? .indexArgument(below(5)) : .placeArgument(below(5)))
      case 6: steps.append(chance(50) ? .keys : .values)
      case 7: steps.append(backlinks())
      default: steps.append(.property(name()))
      }
    }
    return .init(steps.map { .init($0) })
  }

  private mutating func backlinks() -> QuerySyntax.PathStep {
    .backlinks(origin: .init(name()), property: .init(name()))
  }

  private mutating func name() -> String {
    let names = [
      "tax%",
      "a", "title", "_id", "sail area", "tab\there", "line\nbreak\r", "a-b", "$v", "Åse", "船",
      "Not",
      "in", "LIKE", "text", "sort", "limit", "desc", "bin", "first", "size", "T17", "O", "uuid",
      "e5", "x$0", "between", "B64", "👩‍👩‍👧",
    ]
    return names[below(names.count)]
  }

  private mutating func string() -> String {
    let pieces = [
      "Fram", "'", "\"", "\\", "\n", "\r\n", "\t", "\u{8}", "\u{C}", "\0", "\u{1B}", "\u{7F}", "é",
      "e\u{301}", "😀", " ", "\u{2028}", "\u{FFFF}", "/*", "$0", "",
    ]
    return some(0...4) { pieces[$0.below(pieces.count)] }.joined()
  }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    some(count...count) { UInt8.random(in: .min ... .max, using: &$0.random) }
  }

  private mutating func double() -> Double {
    while true {
      let special = [
        0, -0.0, 1, 1e20, Double.leastNonzeroMagnitude, -1e-7, 0.1, Double.greatestFiniteMagnitude,
      ]
      let value = chance(50) ? special[below(8)] : Double(bitPattern: random.next())
      if value.isFinite { return value }
    }
  }

  private mutating func number() -> NumberText {
    guard let number = NumberText(double()) else { preconditionFailure("the double is finite") }
    return number
  }

  private mutating func float32() -> NumberText {
    guard let number = NumberText(Float(Int16.random(in: .min ... .max, using: &random)) / 8) else {
      preconditionFailure("the float is finite")
    }
    return number
  }

  private mutating func literal() -> QuerySyntax.Literal {
    switch below(14) {
    case 0: return .null
    case 1: return .bool(chance(50))
    case 2: return .int([0, 1, -1, .min, .max, 16][below(6)])
    case 3: return .int(Int64(bitPattern: random.next()))
    case 4: return .double(number())
    case 5: return .float32(float32())
    case 6: return chance(50) ? .infinity(isNegative: chance(50)) : .notANumber
    case 7: return .string(string())
    case 8: return .data(bytes(below(9)))
    case 9: return .objectID(bytes(12))
    case 10: return .uuid(bytes(16))
    case 11: return .object(class: .init(string()), key: .init(objectKey()))
    default:
      let seconds = Int64(bitPattern: random.next()) >> Int64(below(60))
      let nanoseconds = Int32(below(1_000_000_000))
      return .date(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
    }
  }

  private mutating func objectKey() -> QuerySyntax.ObjectKey {
    switch below(5) {
    case 0: .int(Int64(bitPattern: random.next()))
    case 1: .string(string())
    case 2: .objectID(bytes(12))
    case 3: .uuid(bytes(16))
    default: .argument(below(9))
    }
  }

  private mutating func bounds() -> QuerySyntax.Between.Bounds {
    chance(20) ? .argument(.init(below(9))) : .list(list())
  }

  private mutating func list() -> QuerySyntax.ListLiteral {
    let elements = some(0...4) { tree in
      QuerySyntax.Located(tree.chance(20) ? .argument(tree.below(9)) : tree.literal())
    }
    return .init(.init(elements), quantifier: quantifier())
  }

  private mutating func area() -> QuerySyntax.GeoArea {
    switch below(4) {
    case 0: .argument(below(5))
    case 1: .shape(.box(point(), point()))
    case 2: .shape(.circle(center: point(), radius: .init(coordinate())))
    default: .shape(.polygon(some(1...3) { tree in tree.some(1...5) { $0.point() } }))
    }
  }

  private mutating func point() -> QuerySyntax.GeoPoint {
    let altitude = chance(20) ? number() : nil
    return .init(
      longitude: .init(coordinate()), latitude: .init(coordinate()), altitude: altitude)
  }

  private mutating func coordinate() -> QuerySyntax.Coordinate {
    chance(20) ? .argument(below(9)) : .number(number())
  }

  private mutating func grouping() -> QuerySyntax.Grouping {
    let columns = some(1...4) { $0.groupColumn() }
    let steps = some(0...2) { tree -> QuerySyntax.GroupStep in
      if tree.chance(30) { return .limit(Int64(tree.below(100))) }
      return .sort(tree.some(1...2) { .init($0.groupColumn(), isAscending: $0.chance(50)) })
    }
    return QuerySyntax.Grouping(columns, steps: steps)
  }

  private mutating func groupColumn() -> QuerySyntax.GroupColumn {
    switch below(4) {
    case 0: .count
    case 1: .aggregate(QuerySyntax.AggregateFunction.allCases[below(4)], path(mayBeArgument: false))
    default: .key(path(mayBeArgument: false))
    }
  }

  private mutating func descriptor() -> QuerySyntax.Descriptor {
    switch below(3) {
    case 0:
      .sort(
        some(1...3) { tree in
          QuerySyntax.SortKey(tree.path(mayBeArgument: false), isAscending: tree.chance(50))
        })
    case 1: .distinct(some(1...3) { $0.path(mayBeArgument: false) })
    default: .limit(Int64(below(1000)))
    }
  }
}
