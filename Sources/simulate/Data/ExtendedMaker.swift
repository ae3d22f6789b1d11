internal import AtollImport
internal import AtollObjects
internal import TestSupport

/// Makes documents in Extended JSON, and the values that they stand for.
struct ExtendedMaker: ValueMaker {
  var random: SplitMix64

  /// A property of documents.
  struct Property {
    var name: String
    var type: ValueType
    var collection: CollectionKind
    /// Whether an option gives the type.
    var isStated: Bool
  }

  /// A value and its notation; nil for null.
  struct Written {
    var text: String
    var value: Value?
  }

  struct Documents {
    var properties: [Property]
    /// Their keys and values, nil where a document has none.
    var documents: [(key: Value, values: [Value?])] = []
    var text = ""
    /// The line in which something is wrong.
    var damagedLine: Int?
  }

  mutating func documents() -> Documents {
    let keyType: ValueType = pick([.int, .string, .objectID, .uuid])
    let names = ["a", "b", "\u{E9}", "e\u{301}", "c d", "$x", "$object"]
      .shuffled(using: &random).prefix(1 + number(6))
    let properties = names.map { property($0) }
    var made = Documents(properties: properties)
    var lines: [String] = []
    var isThere = properties.map { _ in false }
    let damagedNumber = number(4) == 0 ? number(4) : nil
    for index in 0..<1 + number(8) {
      let key = written(keyType)
      guard let value = key.value, !made.documents.contains(where: { $0.key == value }) else {
        continue
      }
      let written = properties.map { self.written($0) }
      made.documents.append((value, written.map { $0?.value }))
      var texts = written.map { $0?.text }
      let isDamaged = index == damagedNumber
      let misfit = isDamaged && number(2) == 0 ? misfit(properties) : nil
      if let misfit { texts[misfit.place] = misfit.text }
      var line = line(key.text, properties, texts)
      if isDamaged {
        made.damagedLine = lines.count
        if misfit == nil { line = damaged(line) }
      }
      for place in texts.indices where texts[place] != nil { isThere[place] = true }
      lines.append(line)
    }
    // An option for a property that the data does not have is an error.
    for place in isThere.indices where !isThere[place] { made.properties[place].isStated = false }
    let isArray = number(2) == 0
    made.text = isArray ? "[" + lines.joined(separator: ",\n") + "]" : lines.joined(separator: "\n")
    return made
  }

  private mutating func property(_ name: String) -> Property {
    let type: ValueType = pick([
      .bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid, .mixed,
    ])
    // Where numbers are of no other type by themselves.
    let isStated =
      [.decimal, .mixed, .double, .float].contains(type) || number(2) == 0
    return Property(
      name: name, type: type, collection: pick([.none, .none, .none, .list, .map]),
      isStated: isStated)
  }

  private mutating func line(
    _ key: String, _ properties: [Property], _ texts: [String?]
  ) -> String {
    var fields = ["\"_id\":\(key)"]
    for (property, text) in zip(properties, texts) {
      if let text { fields.append("\"\(property.name)\":\(pick(["", " "]))\(text)") }
    }
    return "{" + fields.joined(separator: ", ") + "}"
  }

  /// Nil where the document has no such property.
  private mutating func written(_ property: Property) -> Written? {
    switch number(12) {
    case 0: return nil
    case 1: return Written(text: "null", value: nil)
    default: break
    }
    switch property.collection {
    case .none: return element(property)
    case .list, .set:
      let elements = (0..<number(4)).map { _ in element(property) }
      return Written(
        text: "[" + elements.map(\.text).joined(separator: ",") + "]",
        value: .list(elements.compactMap(\.value)))
    case .map:
      var map = ValueMap()
      var entries: [String] = []
      for name in ["k", "\u{E9}", "e\u{301}", "$z", "$object"] where number(2) == 0 {
        // Not the first, by which Extended JSON is known.
        guard name.first != "$" || !entries.isEmpty else { continue }
        let value = element(property)
        map[name] = value.value
        entries.append("\"\(name)\":\(value.text)")
      }
      return Written(text: "{" + entries.joined(separator: ",") + "}", value: .map(map))
    }
  }

  /// A value in the property, as its type is written, or as the option has it understood.
  private mutating func element(_ property: Property) -> Written {
    guard property.isStated, number(3) == 0 else { return written(property.type) }
    switch property.type {
    case .double:
      let value = number(1_000_000) - 500_000
      return Written(
        text: pick([
          "\(value)", word("$numberInt", "\"\(value)\""), word("$numberLong", "\"\(value)\""),
        ]), value: .double(Double(value)))
    case .float:
      let value = number(10_000) - 5000
      return Written(
        text: pick(["\(value)", word("$numberInt", "\"\(value)\"")]), value: .float(Float(value)))
    case .decimal:
      let value = int()
      return Written(
        text: pick(["\(value)", word("$numberLong", "\"\(value)\"")]),
        value: .decimal(Decimal128(value)))
    case .date:
      guard let value = Timestamp(normalizing: Int64(number(2_000_000_000)), nanoseconds: 0) else {
        preconditionFailure("a time of this century")
      }
      return Written(text: "\"\(value)\"", value: .date(value))
    case .objectID:
      let value = objectID()
      return Written(text: "\"\(value)\"", value: .objectID(value))
    case .uuid:
      let value = uuid()
      return Written(text: "\"\(value)\"", value: .uuid(value))
    case .data:
      let value = data()
      return Written(text: "\"\(Base64.encode(value))\"", value: .data(value))
    default: return written(property.type)
    }
  }

  /// A value that a property whose type is stated cannot hold; nil when none is stated.
  private mutating func misfit(_ properties: [Property]) -> (place: Int, text: String)? {
    let places = properties.indices.filter { properties[$0].isStated }
    guard !places.isEmpty else { return nil }
    let place = pick(places)
    let (id, key) = ("{\"$oid\":\"\(objectID())\"}", "{\"$uuid\":\"\(uuid())\"}")
    let date = #"{"$date":"2001-02-03T00:00:00Z"}"#
    let wrong: [String] =
      switch properties[place].type {
      case .bool: ["1", "\"true\"", #"{"$numberInt":"1"}"#, id]
      case .int: ["1.5", "true", "\"1\"", #"{"$numberDecimal":"1"}"#, id, date]
      case .float, .double: ["true", "\"x\"", id, date, "9007199254740993"]
      case .decimal: ["true", "\"x\"", id, date]
      case .string: ["1", "true", id, key, date, #"{"$numberDecimal":"1"}"#]
      case .data: ["1", "\"*\"", id, key]
      case .date: ["1", "\"soon\"", id, #"{"$numberLong":"1"}"#]
      case .objectID: ["1", "\"65f0\"", key, date]
      case .uuid: ["1", "\"65f0\"", id, date]
      case .mixed: ["1e400", "9223372036854775808"]
      case .link: []
      }
    let text = pick(wrong)
    switch properties[place].collection {
    case .none: return (place, text)
    case .list, .set: return (place, "[\(text)]")
    case .map: return (place, "{\"k\":\(text)}")
    }
  }

  /// A value of a type, canonical, relaxed or in an older form.
  mutating func written(_ type: ValueType) -> Written {
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
    case .float:
      // A float that is a number has a notation in dumps only.
      let value = Float(number(1000)) / 8
      return .init(
        text: pick(["\(value)", word("$numberDouble", "\"\(value)\"")]), value: .float(value))
    case .link: preconditionFailure("Extended JSON has no such type")
    case .mixed: return writtenMixed(2)
    }
  }

  /// By its word, or as a number, for a property that is known to be of decimals.
  private mutating func writtenDecimal() -> Written {
    let digits = decimalText()
    guard let value = Decimal128(digits) else { preconditionFailure("the text of a decimal") }
    return .init(
      text: pick([word("$numberDecimal", "\"\(digits)\""), digits]), value: .decimal(value))
  }

  private mutating func writtenMixed(_ depth: Int) -> Written {
    switch number(depth > 0 ? 8 : 5) {
    case 5, 6:
      let elements = (0..<number(3)).map { _ in writtenMixed(depth - 1) }
      return .init(
        text: "[" + elements.map(\.text).joined(separator: ",") + "]",
        value: .list(elements.compactMap(\.value)))
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
  mutating func damaged(_ line: String) -> String {
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
