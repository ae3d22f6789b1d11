import AtollObjects
import AtollQuery
import TestSupport

/// A query text that is right by construction, on one of the two random classes.
struct RandomQuery {
  var className: String
  var text: String

  static func make(_ random: inout SplitMix64) -> RandomQuery {
    let className = Bool.random(using: &random) ? "A" : "B"
    var text = predicate(className, depth: 0, &random)
    for _ in 0..<[0, 0, 0, 1, 1, 2].any(&random) {
      text += " " + descriptor(&random)
    }
    return RandomQuery(className: className, text: text)
  }

  private static func predicate(
    _ className: String, depth: Int, _ random: inout SplitMix64
  ) -> String {
    switch Int.random(in: 0..<(depth > 2 ? 6 : 10), using: &random) {
    case 6, 7:
      let terms = (0..<Int.random(in: 2...3, using: &random)).map { _ in
        predicate(className, depth: depth + 1, &random)
      }
      return "(" + terms.joined(separator: " AND ") + ")"
    case 8:
      let terms = (0..<Int.random(in: 2...3, using: &random)).map { _ in
        predicate(className, depth: depth + 1, &random)
      }
      return "(" + terms.joined(separator: " OR ") + ")"
    case 9: return "NOT (" + predicate(className, depth: depth + 1, &random) + ")"
    default: return test(className, &random)
    }
  }

  /// A path of links; whether it has a hop to many, and the class at its end.
  private static func links(
    _ className: String, _ random: inout SplitMix64
  ) -> (prefix: String, isMany: Bool, className: String) {
    var prefix = ""
    var isMany = false
    var current = className
    for _ in 0..<[0, 0, 0, 1, 1, 2].any(&random) {
      let other = current == "A" ? "B" : "A"
      switch Int.random(in: 0..<6, using: &random) {
      case 0: (prefix, current) = (prefix + "l.", other)
      case 1: prefix += "self."
      case 2: (prefix, isMany, current) = (prefix + "ll.", true, other)
      case 3: (prefix, isMany) = (prefix + "ls.", true)
      case 4: (prefix, isMany, current) = (prefix + "@links.\(other).l.", true, other)
      default: (prefix, isMany, current) = (prefix + "@links.\(other).ll.", true, other)
      }
    }
    return (prefix, isMany, current)
  }

  private static let scalars: [(name: String, type: ValueType)] = [
    ("i", .int), ("io", .int), ("d", .double), ("do", .double), ("f", .float), ("n", .decimal),
    ("b", .bool), ("bo", .bool), ("s", .string), ("so", .string), ("t", .date), ("u", .uuid),
    ("x", .data), ("m", .mixed),
  ]
  private static let collections: [(name: String, type: ValueType)] = [
    ("li", .int), ("lo", .int), ("sl", .string), ("ss", .string), ("dm", .double),
  ]

  private static func test(_ className: String, _ random: inout SplitMix64) -> String {
    let (prefix, isMany, end) = links(className, &random)
    let quantifier = isMany ? ["", "", "ANY ", "ALL ", "NONE "].any(&random) : ""
    switch Int.random(in: 0..<17, using: &random) {
    case 0...4:
      let (name, type) = scalars.any(&random)
      return quantifier + prefix + name + " " + comparison(type, isMany, &random)
    case 5, 6:
      let (name, type) = collections.any(&random)
      let quantifier = ["", "ANY ", "ALL ", "NONE "].any(&random)
      return quantifier + prefix + name + " " + comparison(type, true, &random)
    case 7:
      let counted = [
        "ll", "ls", "li", "sl", "dm", "l", "so", "@links.\(end == "A" ? "B" : "A").ll",
      ]
      .any(&random)
      let comparator = ["==", "!=", "<", ">", ">="].any(&random)
      let count = Int.random(in: 0...3, using: &random)
      return "\(quantifier)\(prefix)\(counted).@count \(comparator) \(count)"
    case 8:
      let function = ["@min", "@max", "@sum", "@avg"].any(&random)
      let name = ["i", "io", "d", "n"].any(&random)
      let comparator = ["==", "!=", "<", ">"].any(&random)
      let constant = ["NULL", "0", "1.5", "2"].any(&random)
      return "\(prefix)ll.\(function).\(name) \(comparator) \(constant)"
    case 9:
      let pairs = [
        ("i", "io"), ("d", "i"), ("s", "so"), ("n", "d"), ("m", "s"), ("m", "i"), ("f", "d"),
        ("t", "t"), ("self", "self.self"), ("i", "li"),
      ]
      let (a, b) = pairs.any(&random)
      let isOrder = a != "self" && Bool.random(using: &random)
      let comparator = (isOrder ? ["<", ">=", ">"] : ["==", "!="]).any(&random)
      return "\(prefix)\(a) \(comparator) \(b)"
    case 10:
      let low = literal(.int, &random)
      let high = literal(.double, &random)
      return "\(prefix)\(["i", "io", "d", "do", "n"].any(&random)) "
        + "BETWEEN {\(low), \(["", "<"].any(&random))\(high)}"
    case 11:
      return Bool.random(using: &random)
        ? "@links.@count \(["==", ">"].any(&random)) \(Int.random(in: 0...4, using: &random))"
        : "l == obj('A', \(Int.random(in: -5...5, using: &random)))".replacingClass(className)
    case 12:
      let comparator = ["==", "!="].any(&random)
      return isMany
        ? "ll.@count \(comparator) 0"
        : "\(prefix)\(["l", "self"].any(&random)) \(comparator) NULL"
    case 13...15: return arithmetic(isMany ? "" : prefix, &random)
    default:
      let list = ["{1, 2}", "{}", "{0}", "{1, 2, 3}"].any(&random)
      let comparator = ["==", "!=", "IN", "<"].any(&random)
      return "\(prefix)li \(comparator) \(list)"
    }
  }

  /// A test of sums and products, mostly of properties of the object itself.
  private static func arithmetic(_ prefix: String, _ random: inout SplitMix64) -> String {
    let first = [prefix, prefix, "", "", "ANY ", "ALL ", "NONE "].any(&random)
    let ofMany = first.hasSuffix(" ")
    let left = numbers(
      first + (ofMany ? "li" : ["i", "io", "d", "do", "f", "n", "m"].any(&random)),
      length: 1...3, &random)
    let comparator = ["==", "!=", "<", "<=", ">", ">="].any(&random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return "\(left) \(["==", "!=", ">=", "<"].any(&random)) NULL"
    case 1...2 where !ofMany:
      let list = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        literal([.int, .double].any(&random), &random)
      }
      return "\(left) \(["IN ", "== NONE ", "!= ALL ", "< ANY "].any(&random))"
        + "{\(list.joined(separator: ", "))}"
    case 3, 4:
      return "\(left) \(comparator) "
        + numbers(["i", "io", "d", "do", "f"].any(&random), length: 0...2, &random)
    case 5: return "\(literal([.int, .double].any(&random), &random)) \(comparator) \(left)"
    default: return "\(left) \(comparator) \(literal([.int, .double].any(&random), &random))"
    }
  }

  /// `first`, and so many operations behind it, each with a property or a number.
  private static func numbers(
    _ first: String, length: ClosedRange<Int>, _ random: inout SplitMix64
  ) -> String {
    var text = first
    for _ in 0..<Int.random(in: length, using: &random) {
      let operand = [
        "i", "io", "d", "do", "f", "2", "0", "-1", "1.5", "2.2f", "n",
        "(i - io)", "(f / 3)", "(io * 9223372036854775807)", "(d + i)",
      ].any(&random)
      text += " \(["+", "-", "*", "/"].any(&random)) \(operand)"
    }
    return text
  }

  private static func comparison(
    _ type: ValueType, _ isMany: Bool, _ random: inout SplitMix64
  ) -> String {
    switch (type, Int.random(in: 0..<8, using: &random)) {
    case (.string, 0...3), (.mixed, 0):
      let word = RandomWorld.words.any(&random)
      let mark = ["", "", "[c]", "[d]", "[cd]"].randomElement(using: &random) ?? ""
      let comparator = ["==", "!=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"]
        .any(&random)
      let pattern =
        comparator == "LIKE"
        ? ["*\(word)", "?\(word)*", "\(word)?", "*a*e*", "???"].any(&random)
        : word
      return "\(comparator)\(mark) '\(pattern)'"
    case (_, 4) where !isMany, (_, 5) where !isMany:
      let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in literal(type, &random) }
      let quantifier = ["", "", "ANY ", "ALL ", "NONE "].any(&random)
      let comparator = ["IN", "==", "!="].any(&random)
      return "\(comparator) \(quantifier){\(list.joined(separator: ", "))}"
    case (_, 6):
      return "\(["==", "!=", "<=", ">"].any(&random)) NULL"
    default:
      let ordered = type == .bool ? ["==", "!="] : ["==", "!=", "<", "<=", ">", ">="]
      return "\(ordered.any(&random)) \(literal(type, &random))"
    }
  }

  private static func literal(_ type: ValueType, _ random: inout SplitMix64) -> String {
    switch type {
    case .int:
      ["0", "1", "2", "3", "-1", "300", "1.5", "2.0", "70000", "9223372036854775807"]
        .any(&random)
    case .double: ["0", "1", "1.5", "-3.25", "2", "1e300"].any(&random)
    case .float: ["0", "1.5", "2.2", "-3"].any(&random)
    case .decimal:
      ["0", "1.5", "2.2", "2.20000000000000000001", "7"].any(&random)
    case .bool: ["TRUE", "FALSE"].any(&random)
    case .string: "'\(RandomWorld.words.any(&random))'"
    case .data: ["bin('')", "bin('\u{1}')", "bin('\u{1}\u{2}')"].any(&random)
    case .date:
      ["T0:0", "T0:-5", "T-1:-5", "T1:0", "T1:3", "T50:0"].any(&random)
    case .uuid:
      "uuid(00000000-0000-0000-0000-00000000000\(Int.random(in: 0...3, using: &random)))"
    case .objectID: "oid(000000010000000002000001)"
    case .mixed:
      literal([.int, .double, .string, .bool, .date].any(&random), &random)
    case .link: "NULL"
    }
  }

  private static func descriptor(_ random: inout SplitMix64) -> String {
    let path = {
      (random: inout SplitMix64) in
      [
        "i", "io", "d", "do", "f", "s", "so", "t", "b", "bo", "n", "u", "m", "l.i", "l.so",
        "self.self.s",
      ].any(&random)
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "LIMIT(\([0, 1, 3, 10].any(&random)))"
    case 1: return "DISTINCT(\(path(&random)))"
    case 2: return "DISTINCT(\(path(&random)), \(path(&random)))"
    default:
      let direction = Bool.random(using: &random) ? "ASC" : "DESC"
      return Bool.random(using: &random)
        ? "SORT(\(path(&random)) \(direction))"
        : "SORT(\(path(&random)) \(direction), \(path(&random)) ASC)"
    }
  }
}

extension String {
  /// Class A links to B, which has no primary key: a count takes the place of the object there.
  fileprivate func replacingClass(_ className: String) -> String {
    className == "B" ? self : "l.@count == 1"
  }
}

extension Array {
  /// One of the elements; there must be one.
  func any(_ random: inout SplitMix64) -> Element {
    self[Int.random(in: 0..<count, using: &random)]
  }
}
