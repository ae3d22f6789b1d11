internal import AtollImport
internal import AtollObjects
internal import TestSupport

/// The trial of documents in Extended JSON: what is imported is what a plain model says.
struct ExtendedTrial {
  let seed: UInt64
  var planted: PlantedCaseBug?

  /// A property of the documents: its type, and how many of them a value has.
  fileprivate struct Property {
    var name: String
    var type: ValueType
    var isList: Bool
  }

  /// A value and its notation.
  fileprivate struct Written {
    var text: String
    var value: Value
  }

  fileprivate struct Maker: ValueMaker {
    var random: SplitMix64
    var planted: PlantedCaseBug?
  }

  /// - Throws: `CaseViolation`.
  func run() throws -> (flags: [Bool], byteCount: Int) {
    var maker = Maker(random: SplitMix64(seed: seed), planted: planted)
    let keyType: ValueType = maker.pick([.int, .string, .objectID, .uuid])
    let names = ["a", "b", "\u{E9}", "e\u{301}", "c d", "$x"].prefix(1 + maker.number(6))
    let properties = names.map { name in
      Property(
        name: name,
        type: maker.pick([
          .bool, .int, .double, .decimal, .string, .data, .date, .objectID, .uuid, .mixed,
        ]), isList: maker.number(4) == 0)
    }
    var documents: [(key: Value, values: [Value])] = []
    var lines: [String] = []
    for _ in 0..<1 + maker.number(8) {
      let key = maker.written(keyType)
      guard !documents.contains(where: { $0.key == key.value }) else { continue }
      let written = properties.map { maker.written($0) }
      documents.append((key.value, written.map(\.value)))
      let fields = zip(properties, written).map {
        "\"\($0.name)\":\(maker.pick(["", " "]))\($1.text)"
      }
      lines.append("{" + (["\"_id\":\(key.text)"] + fields).joined(separator: ", ") + "}")
    }
    // Where numbers are no decimals by themselves.
    let stated = properties.filter {
      $0.type == .decimal || $0.type == .mixed || $0.type == .double
    }
    let options = ImportOptions(
      primaryKey: "_id", types: stated.map { .init(property: $0.name, type: $0.type) })
    let damagedLine = maker.number(4) == 0 ? maker.number(lines.count) : nil
    if let damagedLine { lines[damagedLine] = maker.damaged(lines[damagedLine]) }
    let isArray = maker.number(2) == 0
    let text = isArray ? "[" + lines.joined(separator: ",\n") + "]" : lines.joined(separator: "\n")
    let database = try Database.inMemory()
    let version = try database.snapshot().version
    let importer = Importer(
      destination: ImportDestination(database), className: "Doc", options: options,
      batchRecordCount: 1 + maker.number(4))
    do {
      _ = try importer.run(readingTwice: { JSONReader(MemorySource(text)) })
    } catch ImportError.data(let problem, let position) where damagedLine != nil {
      guard try database.snapshot().version == version else {
        throw CaseViolation("a damaged document leaves a part behind: \(problem)")
      }
      guard position.line == damagedLine.map({ $0 + 1 }) else {
        throw CaseViolation(
          "the error is at \(position), not in line \(damagedLine ?? 0): \(problem)")
      }
      return ([true, false, false], text.utf8.count)
    } catch {
      let text = (error as? ImportError)?.description(name: "f") ?? "\(error)"
      throw CaseViolation("documents are refused: \(text)")
    }
    guard damagedLine == nil else { throw CaseViolation("a damaged document is imported") }
    let table = try database.snapshot().table("Doc")
    guard table.count == documents.count else { throw CaseViolation("documents are missing") }
    for (key, values) in documents {
      guard let object = try table.object(primaryKey: key) else {
        throw CaseViolation("there is no document \(key)")
      }
      for (property, value) in zip(properties, values) {
        // A property of empty lists has no type.
        guard table.schema.column(property.name) != nil else { continue }
        let found = try object[property.name]
        guard Self.text(found) == Self.text(value) else {
          throw CaseViolation("'\(property.name)' is \(found), not \(value)")
        }
      }
    }
    return ([true, true, false], text.utf8.count)
  }

  /// A text that two values have if they are the same, digit by digit.
  private static func text(_ value: Value) -> String {
    switch value {
    case .list(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
    case .map(let map):
      "{" + map.entries.map { "\(Array($0.key.utf8)):\(text($0.value))" }.joined(separator: ",")
        + "}"
    case .string(let text): "\(Array(text.utf8))"
    case .double(let number): number.isNaN ? "NaN" : "\(number.bitPattern)"
    default: "\(value.type.map { "\($0)" } ?? "") \(value)"
    }
  }
}

extension ExtendedTrial.Maker {
  fileprivate mutating func written(_ property: ExtendedTrial.Property) -> ExtendedTrial.Written {
    guard property.isList else { return written(property.type) }
    let elements = (0..<number(4)).map { _ in written(property.type) }
    return .init(
      text: "[" + elements.map(\.text).joined(separator: ",") + "]",
      value: .list(elements.map(\.value)))
  }

  /// A value of a type, canonical, relaxed or in an older form.
  fileprivate mutating func written(_ type: ValueType) -> ExtendedTrial.Written {
    switch type {
    case .bool:
      let value = number(2) == 0
      return .init(text: "\(value)", value: .bool(value))
    case .int:
      let value = int()
      let isShort = Int32(exactly: value) != nil
      return .init(
        text: pick([
          "\(value)", word(isShort ? "$numberInt" : "$numberLong", "\"\(value)\""),
          word("$numberLong", "\"\(value)\""),
        ]), value: .int(value))
    case .double:
      let value = double()
      let name = value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
      let text = word("$numberDouble", value.isFinite ? "\"\(value)\"" : "\"\(name)\"")
      return .init(text: value.isFinite ? pick(["\(value)", text]) : text, value: .double(value))
    case .decimal: return writtenDecimal()
    case .string:
      let value = text()
      return .init(text: json(.string(value)), value: .string(value))
    case .data:
      let value = data()
      let text = "\"\(Base64.encode(value))\""
      return .init(
        text: pick([
          word("$binary", "{\"base64\":\(text),\"subType\":\"00\"}"),
          "{\"$binary\":\(text),\"$type\":\"00\"}",
        ]), value: .data(value))
    case .date:
      let milliseconds = Int64(number(4_000_000_000_000)) - 2_000_000_000_000
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      guard let value = Timestamp(normalizing: seconds, nanoseconds: rest * 1_000_000) else {
        preconditionFailure("a time of this century")
      }
      return .init(
        text: pick([
          word("$date", "\"\(value)\""), word("$date", word("$numberLong", "\"\(milliseconds)\"")),
          word("$date", "\(milliseconds)"),
        ]), value: .date(value))
    case .objectID:
      let value = objectID()
      return .init(text: word("$oid", "\"\(value)\""), value: .objectID(value))
    case .uuid:
      let value = uuid()
      let bytes = (0..<16).map {
        UInt8(truncatingIfNeeded: ($0 < 8 ? value.high : value.low) >> (56 - 8 * UInt64($0 % 8)))
      }
      return .init(
        text: pick([
          word("$uuid", "\"\(value)\""),
          word("$binary", "{\"base64\":\"\(Base64.encode(bytes))\",\"subType\":\"04\"}"),
        ]), value: .uuid(value))
    case .float, .link: preconditionFailure("Extended JSON has no such type")
    case .mixed: return writtenMixed(2)
    }
  }

  /// By its word, or as a number, for a property that is known to be of decimals.
  private mutating func writtenDecimal() -> ExtendedTrial.Written {
    let digits = decimalText()
    guard let value = Decimal128(digits) else { preconditionFailure("the text of a decimal") }
    let plain = planted == .roundedDecimal ? Double(digits)?.description ?? digits : digits
    return .init(
      text: pick([word("$numberDecimal", "\"\(digits)\""), plain]), value: .decimal(value))
  }

  private mutating func writtenMixed(_ depth: Int) -> ExtendedTrial.Written {
    switch number(depth > 0 ? 8 : 5) {
    case 5, 6:
      let elements = (0..<number(3)).map { _ in writtenMixed(depth - 1) }
      return .init(
        text: "[" + elements.map(\.text).joined(separator: ",") + "]",
        value: .list(elements.map(\.value)))
    case 7:
      var map = ValueMap()
      var entries: [String] = []
      for name in ["k", "\u{E9}", "e\u{301}", "$z"] where number(2) == 0 {
        // Not the first, by which Extended JSON is known.
        guard name != "$z" || !entries.isEmpty else { continue }
        let value = writtenMixed(depth - 1)
        map[name] = value.value
        entries.append("\"\(name)\":\(value.text)")
      }
      return .init(text: "{" + entries.joined(separator: ",") + "}", value: .map(map))
    default:
      let type = pick([
        ValueType.bool, .int, .double, .string, .data, .date, .objectID, .uuid, .decimal,
      ])
      guard type == .decimal else { return written(type) }
      let value = decimal()
      return .init(text: word("$numberDecimal", "\"\(value)\""), value: .decimal(value))
    }
  }

  private mutating func word(_ name: String, _ content: String) -> String {
    let blank = pick(["", " "])
    return "{\(blank)\"\(name)\":\(blank)\(content)\(blank)}"
  }

  /// The document with a further property that is damaged.
  fileprivate mutating func damaged(_ line: String) -> String {
    let damage = pick([
      #"{"$oid":"65f0"}"#, #"{"$oid":7}"#, #"{"$date":"soon"}"#, #"{"$numberInt":"2147483648"}"#,
      #"{"$numberLong":"9223372036854775808"}"#, #"{"$numberDouble":"1e999"}"#,
      #"{"$numberDecimal":"1e9999"}"#, #"{"$uuid":"0"}"#, #"{"$binary":{"base64":"*"}}"#,
      #"{"$binary":{"base64":"AA==","subType":"04"}}"#, #"{"$minKey":1}"#, #"{"$undefined":true}"#,
      #"{"$nonsense":1}"#, #"{"$oid":"x","y":1}"#, #"{"$numberInt":{"$numberInt":{}}}"#,
      "1e400", "9223372036854775808", #"{"k":1,"k":2}"#, "tru", "[1,]",
    ])
    return String(line.dropLast()) + ", \"damaged\":\(damage)}"
  }
}
