internal import AtollObjects
internal import TestSupport

/// Makes texts of queries on the sample classes, as a seed decides.
struct RandomText: RandomMaker {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func make() -> (className: String, text: String) {
    let className = pick(["Person", "Person", "Place", "Event", "Address"])
    switch number(200) {
    case 0: return (className, long(className))
    case 1..<90: return (className, query(className))
    case 90..<110:
      let (className, text) = pick(SampleClasses.queries)
      return (className, damaged(text))
    case 110..<160: return (className, damaged(query(className)))
    case 160..<185: return (className, jumble())
    default:
      let bytes = noise(number(80), &random)
      return (className, String(decoding: bytes, as: UTF8.self))
    }
  }

  /// What `$0`, `$1` and so on stand for.
  mutating func arguments() -> [Value] {
    var values = SampleValues(random: random, hasLongValues: false)
    defer { random = values.random }
    return (0..<number(4)).map { _ in values.mixed() }
  }

  // MARK: Right by the grammar

  private mutating func query(_ className: String) -> String {
    var text = predicate(className, depth: number(4))
    for _ in 0..<pick([0, 0, 0, 1, 1, 2, 3]) { text += " " + descriptor(className) }
    return text
  }

  private mutating func predicate(_ className: String, depth: Int) -> String {
    switch number(depth > 0 ? 13 : 8) {
    case 8, 9:
      return (0..<2 + number(3)).map { _ in predicate(className, depth: depth - 1) }
        .joined(separator: pick([" AND ", " && ", " and "]))
    case 10:
      return "("
        + (0..<2 + number(3)).map { _ in predicate(className, depth: depth - 1) }
        .joined(separator: pick([" OR ", " || "])) + ")"
    case 11: return pick(["NOT ", "!", "NOT NOT "]) + "(\(predicate(className, depth: depth - 1)))"
    case 12:
      let (path, target) = pick(Self.lists[className] ?? [("near", "Place")])
      return "SUBQUERY(\(path), $v, \(predicate(target, depth: depth - 1))).@count "
        + "\(pick(Self.comparators)) \(number(4))"
    case 0: return pick(["TRUEPREDICATE", "FALSEPREDICATE"])
    case 1:
      return "\(path(className)) IN\(pick(["", "[c]"])) "
        + "{\((0..<number(5)).map { _ in literal() }.joined(separator: ", "))}"
    case 2: return "\(path(className)) BETWEEN {\(literal()), \(literal())}"
    case 3: return "\(path(className)) TEXT '\(pick(["quick", "the -dog", "la*", "", "-x y*"]))'"
    case 4, 5, 6: return fitting(className)
    default:
      let quantifier = pick(["", "", "", "ANY ", "ALL ", "NONE ", "SOME "])
      return "\(quantifier)\(operand(className, depth: depth)) \(pick(Self.comparators)) "
        + operand(className, depth: depth)
    }
  }

  /// A comparison whose two sides have one type.
  private mutating func fitting(_ className: String) -> String {
    let (name, literals) = pick(Self.typed[className] ?? [("TRUEPREDICATE ==", ["true"])])
    let isText = literals[0].hasPrefix("'")
    let comparator = pick(
      isText ? Array(Self.comparators.dropLast()) : ["==", "!=", "<", "<=", ">", ">="])
    if number(5) == 0 {
      return "\(name) IN {\((0..<number(4)).map { _ in pick(literals) }.joined(separator: ", "))}"
    }
    return "\(name) \(comparator) \(pick(literals))"
  }

  private mutating func operand(_ className: String, depth: Int) -> String {
    switch number(8) {
    case 0, 1, 2, 3: path(className)
    case 4 where depth > 0:
      "(\(operand(className, depth: depth - 1)) \(pick(["+", "-", "*", "/"])) "
        + "\(operand(className, depth: depth - 1)))"
    case 5: "$\(pick(["0", "1", "2", "9", "K0"]))"
    default: literal()
    }
  }

  private mutating func path(_ className: String) -> String {
    var text = ""
    var current = className
    for _ in 0..<pick([0, 0, 0, 1, 1, 2]) {
      let (hop, target) = pick((Self.links[current] ?? []) + (Self.lists[current] ?? []))
      text += hop + "."
      current = target
    }
    text += pick(Self.properties[current] ?? ["name"])
    return text
      + pick(["", "", "", "", "", ".@count", ".@sum", ".@max", ".@avg", ".@size", ".@keys"])
  }

  private mutating func literal() -> String {
    pick([
      "\(number(100))", "-\(number(9))", "\(number(50)).5", "1e\(number(400))", "0x\(number(99))",
      "'Ada \(number(9))'", "\"the\"", "''", "'\\''", "true", "FALSE", "NULL", "nil", "NaN",
      "9223372036854775807", "-9223372036854775808", "99999999999999999999", "infinity",
      "2001-02-03@04:05:06", "T\(number(999_999_999)):\(number(9))", "B64\"QUJD\"",
      "uuid(00000000-0000-0000-0000-000000000001)", "oid(0123456789abcdef01234567)",
      "'\u{1F6F6}é'", "{1, 2}", "$\(number(3))",
    ])
  }

  private mutating func descriptor(_ className: String) -> String {
    let names = Self.properties[className] ?? ["name"]
    switch number(6) {
    case 0, 1:
      let second = number(4) == 0 ? path(className) : pick(names)
      return "SORT(\(pick(names)) \(pick(["ASC", "DESC", "ascending"])), \(second) DESC)"
    case 2: return "DISTINCT(\(pick(names)), \(pick(names)))"
    case 3: return "GROUP(\(pick(names)), @count, @max.\(pick(names))) SORT(@count DESC)"
    case 4: return "LIMIT(\(pick(["0", "1", "7", "4611686018427387904", "-1"])))"
    default: return "SORT(\(pick(names)) ASC)"
    }
  }

  private static let comparators = [
    "==", "=", "!=", "<>", "<", "<=", ">", ">=", "==[c]", "!=[c]", "BEGINSWITH", "ENDSWITH",
    "CONTAINS", "CONTAINS[cd]", "LIKE", "LIKE[c]", "IN",
  ]
  private static let properties = [
    "Person": [
      "id", "name", "age", "isActive", "weight", "balance", "about", "photo", "token", "mark",
      "notes", "scores", "words", "facts", "dates", "home", "friends", "address", "facts['key 1']",
      "notes[0]", "notes['key 2'][1]", "scores[2]", "nothing",
    ],
    "Place": ["code", "name", "height", "founded", "extra", "near", "extra['key 0']"],
    "Event": ["at", "level", "person"], "Address": ["street", "place"],
  ]
  private static let typed = [
    "Person": [
      ("id", ["3", "30", "10001"]), ("age", ["30", "45.5", "-1"]), ("weight", ["70.5", "1e3"]),
      ("name", ["'Ada 7'", "'G'", "'*a*'"]), ("about", ["'the'", "''"]),
      ("balance", ["10", "0.5"]),
      ("home.name", ["'Port'", "'P*'"]), ("ANY friends.age", ["30", "60"]),
      ("scores.@sum", ["50", "100"]), ("friends.@count", ["0", "2"]), ("ANY scores", ["7", "31"]),
      ("ANY words", ["'the'", "'qu'"]), ("notes", ["7", "3.5"]), ("address.street", ["'Street 4'"]),
      ("age + id", ["40", "100"]), ("weight * 2 - age", ["60", "100"]),
    ],
    "Place": [
      ("name", ["'Port the 1'", "'t*'"]), ("height", ["100", "5000.25"]), ("code", ["'P1'"]),
      ("@links.Person.home.@count", ["0", "1"]), ("ANY near.height", ["1000"]),
      ("founded", ["2001-02-03@04:05:06", "T1000:0"]),
    ],
    "Event": [
      ("level", ["1", "3"]), ("at", ["2001-02-03@04:05:06", "T1000:0"]), ("person.age", ["30"]),
      ("person.home.name", ["'Port fox 2'"]),
    ],
    "Address": [("street", ["'Street 8'"]), ("place.name", ["'x'"])],
  ]
  private static let links = [
    "Person": [("home", "Place"), ("address", "Address")], "Event": [("person", "Person")],
    "Address": [("place", "Place")],
  ]
  private static let lists = [
    "Person": [("friends", "Person"), ("@links.Event.person", "Event")],
    "Place": [("near", "Place"), ("@links.Person.home", "Person")],
    "Address": [("@links.Person.address", "Person")],
  ]

  // MARK: Wrong

  /// What queries are made of.
  static let words =
    comparators + [
      "(", ")", "{", "}", "[", "]", ",", ".", "+", "-", "*", "/", "AND", "OR", "NOT", "!", "$0",
      "$v", "@count", "@links", "@sum", "SORT(", "DISTINCT(", "LIMIT(", "SUBQUERY(", "GEOWITHIN",
      "geoCircle([1, 2], 3)", "geoBox(", "BETWEEN", "TEXT", "ANY", "ALL", "name", "age",
      "friends", "'x'", "'", "\"", "\\", "1", "-", "1e999", "é", "\u{0}", "\n", "T1:", "B64\"",
      "GROUP(", "%@", "ALL age == 1",
    ]

  private mutating func damaged(_ text: String) -> String {
    var bytes = Array(text.utf8)
    damage(&bytes, marks: "()[]{}'\"\\.,$@-+*/=<>!0e \n")
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func jumble() -> String {
    (0..<1 + number(20)).map { _ in pick(Self.words) }.joined(separator: pick(["", " "]))
  }

  /// A text of up to some megabytes: deep, or wide.
  private mutating func long(_ className: String) -> String {
    let count = 1 << (4 + number(14))
    let part = predicate(className, depth: 0)
    func repeated(_ text: String) -> String { String(repeating: text, count: count) }
    switch number(9) {
    case 0: return repeated("(") + part + repeated(")")
    case 1: return repeated("NOT ") + part
    case 2:
      return (0..<count).map { _ in part }.joined(separator: pick([" AND ", " OR "]))
    case 3: return "\(pick(["name", "age"])) IN {" + repeated("1, ") + "1}"
    case 4: return "age == 1" + repeated(pick([" + 1", " * (2", "-"]))
    case 5: return "name == '" + repeated(pick(["a", "\\'", "é"])) + "'"
    case 6: return part + repeated(" " + descriptor(className))
    case 7:
      let name = pick(Self.properties[className] ?? ["name"])
      return pick([
        "\(part) SORT(" + repeated("\(name) ASC, ") + "\(name) ASC)",
        "\(part) DISTINCT(" + repeated("\(name), ") + "\(name))",
        "\(part) GROUP(" + repeated("@max.\(name), ") + "@count)",
      ])
    default:
      return (0..<count).map { $0 % 2 == 0 ? "(\(part) AND" : "(\(part) OR" }
        .joined(separator: " ")
    }
  }
}
