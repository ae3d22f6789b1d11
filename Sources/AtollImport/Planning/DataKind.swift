import AtollObjects

/// The kind of a value in the data, before its property has a type.
enum DataKind: UInt8, CaseIterable {
  case bool, int, double
  /// An integer that no double equals.
  case wideInt
  /// A string that reads as an ISO 8601 date, and one that does not.
  case dateString, string
  case list, object
  // Fields without type, by the narrowest type they read as.
  case textBool, textInt, textWideInt, textDouble, textDate, text
  /// An integer beyond 64 bits.
  case longInt

  var name: String {
    switch self {
    case .bool: "a bool"
    case .int: "an int"
    case .wideInt: "an int that no double equals"
    case .longInt: "an int of more than 64 bits"
    case .double: "a double"
    case .dateString, .string: "a string"
    case .list: "a list"
    case .object: "an object"
    case .textBool: "the text of a bool"
    case .textInt: "the text of an int"
    case .textWideInt: "the text of an int that no double equals"
    case .textDouble: "the text of a double"
    case .textDate: "the text of a date"
    case .text: "text"
    }
  }

  /// The kind of `value`; nil for null.
  ///
  /// `dates` false saves reading strings as dates where that changes nothing any more.
  init?(_ value: DataValue, dates: Bool) {
    switch value {
    case .null: return nil
    case .bool: self = .bool
    case .int(let value): self = Double(exactly: value) == nil ? .wideInt : .int
    case .longInt: self = .longInt
    case .double: self = .double
    case .list: self = .list
    case .object: self = .object
    case .string(let text):
      self = dates && Timestamp(text) != nil ? .dateString : .string
    case .text(let text):
      if TextValue.bool(text) != nil {
        self = .textBool
      } else if let number = TextValue.number(text) {
        switch number {
        case .int(let value): self = Double(exactly: value) == nil ? .textWideInt : .textInt
        default: self = .textDouble
        }
      } else if dates && Timestamp(text) != nil {
        self = .textDate
      } else {
        self = .text
      }
    }
  }
}

/// A set of kinds.
struct DataKindSet: OptionSet {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ kind: DataKind) { rawValue = 1 << UInt16(kind.rawValue) }

  func contains(_ kind: DataKind) -> Bool { contains(DataKindSet(kind)) }

  private static func of(_ kinds: DataKind...) -> DataKindSet {
    kinds.reduce(into: []) { $0.insert(DataKindSet($1)) }
  }

  static let texts = of(
    .textBool, .textInt, .textWideInt, .textDouble, .textDate, .text)
  static let strings = of(.dateString, .string).union(texts)
  static let longInts = of(.longInt)
  static let ints = of(.int, .wideInt, .textInt, .textWideInt)
  /// The values that a double represents exactly.
  static let numbers = of(.int, .double, .textInt, .textDouble)
  static let bools = of(.bool, .textBool)
  static let dates = of(.dateString, .textDate)
  /// Text that is no date.
  static let noDates = of(.string, .text)
  static let nested = of(.list, .object)
  static let scalars = strings.union(ints).union(numbers).union(bools)
}

/// Reads fields that have no type.
enum TextValue {
  /// `true` and `false`, in lower case, in capitals, or capitalised.
  static func bool(_ text: String) -> Bool? {
    switch text {
    case "true", "TRUE", "True": true
    case "false", "FALSE", "False": false
    default: nil
    }
  }

  /// A number in the grammar of JSON, as `DataValue.int` or `.double`.
  ///
  /// So `007` and `+1` are text, and so is an integer beyond 64 bits: reading it as a double
  /// would change it.
  static func number(_ text: String) -> DataValue? {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first)
    else { return nil }
    // The zero behind the text belongs to no number, as NumberText asks.
    let bytes = Array(text.utf8) + [0]
    let number = NumberText(bytes, from: 0)
    guard number.failure == nil, number.end == bytes.count - 1 else { return nil }
    if number.isInteger { return number.integer.map(DataValue.int) }
    let value = number.double(in: bytes)
    return value.isFinite ? .double(value) : nil
  }
}
