import AtollObjects

/// Values of types that JSON has no notation for, as objects whose first name is a word with `$`.
///
/// This is MongoDB's Extended JSON, version 2, canonical and relaxed, as mongoexport writes it, with
/// the older forms of `$date` and `$binary`; and three words of dumps: `$numberFloat`, `$link`, and
/// `$object` around an object that has names with `$` itself.
///
///     word            what follows                                   value
///     $oid            24 hexadecimal digits                          object id
///     $uuid           8-4-4-4-12 hexadecimal digits                  UUID
///     $date           text in ISO 8601, or milliseconds since 1970   date
///     $numberInt      text of an integer of 32 bits                  int
///     $numberLong     text of an integer of 64 bits                  int
///     $numberDouble   text of a number, NaN, Infinity, -Infinity     double
///     $numberDecimal  text of a number, NaN, Infinity, -Infinity     decimal, with all digits
///     $binary         {base64, subType}; subType 04 is a UUID        data
///     $numberFloat    text of a number, NaN, Infinity, -Infinity     float
///     $link           {class, key}                                   link
///     $object         an object                                      that object, as it is
///
/// Source: github.com/mongodb/specifications, "Extended JSON".
struct ExtendedJSON {
  /// The word: the first name.
  private let word: DataField
  private let fields: [DataField]

  /// Nil for an object that is none of these.
  init?(_ fields: [DataField]) {
    guard let first = fields.first, first.name.utf8.first == UInt8(ascii: "$") else { return nil }
    word = first
    self.fields = fields
  }

  /// Stands before an object that has names with `$` itself.
  static let objectMark = "$object"

  /// The words that are read.
  static let words = [
    "$oid", "$uuid", "$date", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
    "$binary",
  ]

  /// Types that no property has.
  private static let foreignWords = [
    "$symbol": "a symbol", "$undefined": "an undefined value", "$minKey": "a lowest key",
    "$maxKey": "a highest key", "$code": "JavaScript code", "$scope": "JavaScript code",
    "$regularExpression": "a regular expression", "$regex": "a regular expression",
    "$options": "a regular expression", "$timestamp": "a timestamp of a replica set",
    "$dbPointer": "a pointer to a document", "$ref": "a reference to a document",
    "$id": "a reference to a document",
  ]

  /// The value; `position`: where the object begins.
  ///
  /// - Throws: `.unknownWord`, `.foreignType`, `.damagedValue`.
  func value(at position: SourcePosition) throws(ImportError) -> DataValue {
    let name = word.name
    if name == "$binary", fields.count == 2, fields[1].name == "$type" {
      return try binary(word, type: fields[1])
    }
    if let meaning = Self.foreignWords[name] {
      throw .data(.foreignType(word: name, meaning: meaning), at: position)
    }
    switch name {
    case "$oid", "$uuid", "$date", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
      "$binary", "$numberFloat", "$link", "$object":
      guard fields.count == 1 else {
        throw .data(.wordNotAlone(word: name, name: fields[1].name), at: fields[1].position)
      }
    default: throw .data(.unknownExtendedWord(name), at: position)
    }
    switch name {
    case "$oid":
      guard case .string(let text) = word.value, let identifier = ObjectID(text) else {
        throw damaged("24 hexadecimal digits in double quotes")
      }
      return .typed(.objectID(identifier))
    case "$uuid":
      guard case .string(let text) = word.value, let identifier = UniqueID(text) else {
        throw damaged("a UUID in double quotes, of 8-4-4-4-12 hexadecimal digits")
      }
      return .typed(.uuid(identifier))
    case "$date": return .typed(.date(try date()))
    case "$numberInt", "$numberLong": return .int(try integer(of: name))
    case "$numberDouble": return try double()
    case "$numberDecimal": return .typed(.decimal(try decimal()))
    case "$numberFloat": return .typed(.float(try float()))
    case "$binary": return try binary()
    case "$link": return try link()
    default:
      guard case .object = word.value else { throw damaged("an object") }
      return word.value
    }
  }

  /// The error that something else than `expected` stands behind the word.
  private func damaged(_ expected: String, _ field: DataField? = nil) -> ImportError {
    let field = field ?? word
    return .data(
      .damagedValue(word: field.name, expected: expected, found: field.value.summary),
      at: field.position)
  }

  private func date() throws(ImportError) -> Timestamp {
    let expected = "a date in ISO 8601 in double quotes, or {\"$numberLong\": \"milliseconds\"}"
    switch word.value {
    case .string(let text):
      guard let moment = Timestamp(text) else { throw damaged(expected) }
      return moment
    case .int(let milliseconds):
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      guard let moment = Timestamp(normalizing: seconds, nanoseconds: rest * 1_000_000) else {
        throw damaged(expected)
      }
      return moment
    default: throw damaged(expected)
    }
  }

  private func integer(of name: String) throws(ImportError) -> Int64 {
    let bitWidth = name == "$numberInt" ? 32 : 64
    let expected = "the text of an integer of \(bitWidth) bits in double quotes"
    let number: Int64
    switch word.value {
    // Both signs are in the text of other programs; blanks are in none.
    case .string(let text):
      guard let found = Int64(text) else { throw damaged(expected) }
      number = found
    case .int(let found): number = found
    default: throw damaged(expected)
    }
    guard bitWidth == 64 || Int32(exactly: number) != nil else { throw damaged(expected) }
    return number
  }

  private static let numberText =
    "the text of a number in double quotes, or of NaN, Infinity or -Infinity"

  private func double() throws(ImportError) -> DataValue {
    if case .double = word.value { return word.value }
    guard case .string(let text) = word.value else { throw damaged(Self.numberText) }
    if let named = Self.named(text) { return .double(named, digits: text) }
    let bytes = Array(text.utf8) + [0]
    let number = NumberText(bytes, from: 0)
    guard number.failure == nil, number.end == bytes.count - 1 else {
      throw damaged(Self.numberText)
    }
    let value = number.double(in: bytes)
    if case .longDouble(let digits) = value {
      throw .data(.doubleOutOfRange(digits), at: word.position)
    }
    return value
  }

  private func float() throws(ImportError) -> Float {
    guard case .double(let value, let digits) = try double() else {
      throw damaged(Self.numberText)
    }
    let float = Float(rounding: digits, value)
    guard float.isFinite || !value.isFinite, float != 0 || value == 0 else {
      throw damaged("the text of a float")
    }
    return float
  }

  /// The doubles that have a name.
  private static func named(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }

  private func decimal() throws(ImportError) -> Decimal128 {
    guard case .string(let text) = word.value, let number = DecimalText(text) else {
      throw damaged(Self.numberText)
    }
    guard case .number(let decimal) = number else {
      throw damaged(
        "a number that a decimal128 holds, of 34 digits, from 1E-6176 to 9.99E+6144 and 0")
    }
    return decimal
  }

  // MARK: Data

  private func binary() throws(ImportError) -> DataValue {
    guard case .object(let parts) = word.value, parts.count == 2,
      let base64 = parts.first(where: { $0.name == "base64" }),
      let subType = parts.first(where: { $0.name == "subType" })
    else { throw damaged("{\"base64\": …, \"subType\": …}") }
    return try binary(base64, type: subType)
  }

  private func binary(_ base64: DataField, type: DataField) throws(ImportError) -> DataValue {
    guard case .string(let text) = base64.value, let bytes = Base64.decode(text) else {
      throw damaged("data in Base64 in double quotes", base64)
    }
    guard case .string(let digits) = type.value, (1...2).contains(digits.utf8.count),
      let subType = UInt8(digits, radix: 16)
    else { throw damaged("one or two hexadecimal digits in double quotes", type) }
    guard subType == 4 else { return .typed(.data(bytes)) }
    guard bytes.count == 16 else { throw damaged("the 16 bytes of a UUID, for subType 04", base64) }
    let value = bytes.reduce(into: 0 as UInt128) { $0 = $0 << 8 | UInt128($1) }
    return .typed(
      .uuid(
        UniqueID(
          high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))))
  }

  private func link() throws(ImportError) -> DataValue {
    guard case .object(let parts) = word.value, parts.count == 2,
      case .string(let className)? = parts.first(where: { $0.name == "class" })?.value,
      let key = parts.first(where: { $0.name == "key" })?.value
    else { throw damaged("{\"class\": …, \"key\": …}") }
    return .link(className: className, key: key)
  }
}

extension DataValue {
  /// The value in a few words, for a message.
  fileprivate var summary: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): "\(value)"
    case .longInt(let digits), .double(_, let digits), .longDouble(let digits): digits
    case .string(let text), .text(let text):
      text.count <= 40 ? "'\(text)'" : "'\(text.prefix(40))…'"
    case .list: "a list"
    case .object: "an object"
    case .typed, .link: "a value of another type"
    }
  }
}

extension Float {
  /// The float nearest to what is written; `value` is the double of it.
  ///
  /// By way of the double it would be rounded twice.
  init(rounding digits: String, _ value: Double) { self = Float(digits) ?? Float(value) }
}
