internal import AtollImport
internal import AtollObjects
internal import TestSupport

/// Makes data to import, right and wrong, as a seed decides.
struct RandomData: RandomMaker {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A text of a notation; half of them with bytes changed.
  mutating func make(_ notation: ImportTrial.Notation) -> [UInt8] {
    let text =
      switch notation {
      case .json: json()
      case .csv: csv()
      case .dump: dump()
      }
    var bytes = Array(text.utf8)
    if number(2) == 0 {
      damage(
        &bytes, marks: notation == .csv ? "\",;\t\r\n \0-e." : "{}[]\",:\\\r\n\0-e.")
    }
    return bytes
  }

  // MARK: Right by the notation

  /// Properties of the sample classes, some of none, with what their values mostly are.
  private static let properties: [(name: String, values: [String])] = [
    ("id", ["1", "2", "3", "-4", "9223372036854775807"]),
    ("code", ["\"P1\"", "\"P2\"", "\"P\\u00fc\""]),
    ("name", ["\"Ada\"", "\"\"", "\"Gr\\u00e4ce \\ud83d\\ude00\""]),
    ("age", ["30", "null", "0", "1e2"]), ("isActive", ["true", "false"]),
    ("weight", ["70.5", "-0.0", "3e38", "1"]), ("balance", ["10.50", "\"1E+6144\"", "12"]),
    ("about", ["\"the quick fox\"", "null"]), ("photo", ["\"QUJD\"", "null", "\"\""]),
    ("token", ["\"00000000-0000-0000-0000-000000000001\""]),
    ("mark", ["\"0123456789abcdef01234567\"", "null"]),
    ("notes", ["7", "\"x\"", "[1, [2]]", "{\"a\": {\"b\": null}}"]),
    ("scores", ["[]", "[1, 2, 3]", "[null]"]), ("words", ["[\"the\", \"fox\"]", "[]"]),
    ("facts", ["{}", "{\"key 1\": 1.5}"]), ("dates", ["[\"2001-02-03T04:05:06Z\", null]"]),
    ("home", ["\"P1\"", "\"P9\"", "null"]), ("friends", ["[1, 2]", "[]", "[99]"]),
    ("address", ["{\"street\": \"Street 1\"}", "null", "[{}]"]), ("height", ["1.5", "null"]),
    ("founded", ["\"1815-12-10\"", "\"1815-12-10T00:00:00.25+01:00\""]), ("extra", ["true", "[]"]),
    ("near", ["[\"P1\"]", "[]"]), ("nothing", ["null"]), ("born", ["\"1906-12-09\"", "\"x\""]),
  ]

  private static let odd = [
    "null", "true", "0", "-1", "1.0", "1e400", "12345678901234567890", "\"\"", "\"x\"", "[]", "{}",
    "[[[]]]", "\"2001-02-03\"", "99999999999999999999999999999999999999999999.5", "\"\\n\"",
  ]

  /// What data is made of.
  static let words = properties.map(\.name) + properties.flatMap(\.values) + odd

  private mutating func fields(_ names: [(name: String, values: [String])]) -> String {
    let fields = names.map { property in
      let value = number(12) == 0 ? pick(Self.odd) : pick(property.values)
      return "\"\(property.name)\":\(pick(["", " "]))\(value)"
    }
    return "{" + fields.joined(separator: pick([",", ", ", "\n ,"])) + "}"
  }

  private mutating func some(_ limit: Int) -> [(name: String, values: [String])] {
    (0..<number(limit)).map { _ in pick(Self.properties) }
  }

  private mutating func json() -> String {
    let names = [Self.properties[0]] + some(8)
    let records = (0..<number(7)).map { _ in fields(number(4) == 0 ? some(8) : names) }
    return number(3) == 0
      ? "[" + records.joined(separator: ",\n") + "]" : records.joined(separator: "\n")
  }

  private mutating func csv() -> String {
    let separator = pick([",", ",", ";", "\t"])
    let names = [Self.properties[0]] + some(8)
    var lines = [names.map(\.name).joined(separator: separator)]
    for _ in 0..<number(7) {
      lines.append(
        names.map { property in
          let value = number(12) == 0 ? pick(Self.odd) : pick(property.values)
          switch number(4) {
          case 0: return "\"" + value.replacing("\"", with: "\"\"") + "\""
          case 1: return ""
          default: return value.filter { $0 != "\"" && !separator.contains($0) }
          }
        }.joined(separator: separator))
    }
    return pick(["", "", "\u{FEFF}"]) + lines.joined(separator: pick(["\n", "\r\n"]))
  }

  private static func json(_ index: IndexSchema) -> String {
    let names = index.properties.map { "\"\($0)\"" }.joined(separator: ",")
    return "{\"properties\":[\(names)],\"isUnique\":\(index.isUnique)}"
  }

  private mutating func dump() -> String {
    var classes = SampleClasses.classes
    if number(4) == 0 { classes.shuffle(using: &random) }
    if number(6) == 0 { classes.removeLast() }
    var lines = classes.map { schema in
      let properties = schema.properties.map { property in
        "{\"name\":\"\(property.name)\",\"type\":\"\(property.typeName)\","
          + "\"isIndexed\":\(property.isIndexed),"
          + "\"isFullTextIndexed\":\(property.isFullTextIndexed)}"
      }
      let primaryKey = schema.primaryKey.map { "\"\($0)\"" } ?? "null"
      return "{\"class\":{\"name\":\"\(schema.name)\",\"isEmbedded\":\(schema.isEmbedded),"
        + "\"primaryKey\":\(primaryKey),\"properties\":[\(properties.joined(separator: ","))],"
        + "\"indexes\":[\(schema.indexes.map(Self.json).joined(separator: ","))]}}"
    }
    for index in 0..<number(7) {
      let schema = pick(classes)
      let names = Self.properties.filter { property in
        schema[property.name] != nil && (number(3) > 0 || schema.primaryKey == property.name)
      }
      let key = schema.primaryKey == nil ? "\"key\":\(index)," : ""
      lines.append("{\"of\":\"\(schema.name)\",\(key)\"object\":\(fields(names))}")
    }
    return lines.joined(separator: "\n")
  }
}
