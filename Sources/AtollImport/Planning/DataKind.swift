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
  /// A number that may as well be an identifier, as `1E5`.
  case textExponent
  /// An integer beyond 64 bits that a double equals, and one that no double equals.
  case longInt, wideLongInt
  /// A number larger than any double, or nearer to zero.
  case longDouble
  // Values whose type the notation names.
  case decimal, float, data, date, objectID, uuid
  case link

  var name: String {
    switch self {
    case .bool: "a bool"
    case .int: "an int"
    case .wideInt: "an int that no double equals"
    case .longInt, .wideLongInt: "an int of more than 64 bits"
    case .longDouble: "a number out of the range of doubles"
    case .double: "a double"
    case .dateString, .string: "a string"
    case .list: "a list"
    case .object: "an object"
    case .textBool: "the text of a bool"
    case .textInt: "the text of an int"
    case .textWideInt: "the text of an int that no double equals"
    case .textDouble, .textExponent: "the text of a double"
    case .textDate: "the text of a date"
    case .text: "text"
    case .decimal: "a decimal128"
    case .float: "a float"
    case .data: "data"
    case .date: "a date"
    case .objectID: "an object id"
    case .uuid: "a UUID"
    case .link: "a link"
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
    case .longInt(let digits): self = ExactDouble.value(digits) == nil ? .wideLongInt : .longInt
    case .double: self = .double
    case .longDouble: self = .longDouble
    case .typed(let value): self = Self(typed: value)
    case .link: self = .link
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
        case .double: self = TextValue.mayBeIdentifier(text) ? .textExponent : .textDouble
        // To read it as a double would change it, or make it infinite or zero.
        default: self = .text
        }
      } else if dates && Timestamp(text) != nil {
        self = .textDate
      } else {
        self = .text
      }
    }
  }

  private init(typed value: Value) {
    self =
      switch value {
      case .decimal: .decimal
      case .float: .float
      case .data: .data
      case .date: .date
      case .objectID: .objectID
      case .uuid: .uuid
      default: preconditionFailure("a notation names the type of no other value")
      }
  }
}

/// A set of kinds.
struct DataKindSet: OptionSet {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  init(_ kind: DataKind) { rawValue = 1 << UInt32(kind.rawValue) }

  func contains(_ kind: DataKind) -> Bool { contains(DataKindSet(kind)) }

  private static func of(_ kinds: DataKind...) -> DataKindSet {
    kinds.reduce(into: []) { $0.insert(DataKindSet($1)) }
  }

  static let texts = of(
    .textBool, .textInt, .textWideInt, .textDouble, .textExponent, .textDate, .text)
  static let strings = of(.dateString, .string).union(texts)
  static let ints = of(.int, .wideInt, .textInt, .textWideInt)
  /// The values that a double represents, integers exactly.
  static let numbers = of(.int, .longInt, .double, .float, .textInt, .textDouble, .textExponent)
  /// All numbers, of which a decimal represents more.
  static let allNumbers = numbers.union(
    of(.wideInt, .wideLongInt, .longDouble, .decimal, .textWideInt))
  static let bools = of(.bool, .textBool)
  static let dates = of(.dateString, .textDate, .date)
  /// Text that is no date.
  static let noDates = of(.string, .text)
  static let nested = of(.list, .object)
  static let everything = DataKind.allCases.reduce(into: DataKindSet()) {
    $0.insert(DataKindSet($1))
  }
  static let named = of(.decimal, .float, .data, .date, .objectID, .uuid)
  /// What a mixed value holds: no number that it could only hold as another.
  static let scalars = strings.union(ints).union(of(.double)).union(bools).union(named)
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

  /// A number in the grammar of JSON, in which `007` and `+1` are text.
  static func number(_ text: String) -> DataValue? {
    guard let (number, bytes) = read(text) else { return nil }
    guard number.isInteger else { return number.double(in: bytes) }
    return number.integer.map(DataValue.int) ?? .longInt(text)
  }

  /// Whether a number is written as identifiers are too: `1E5`.
  static func mayBeIdentifier(_ text: String) -> Bool {
    read(text)?.number.mayBeIdentifier ?? false
  }

  private static func read(_ text: String) -> (number: NumberText, bytes: [UInt8])? {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first)
    else { return nil }
    // The zero behind the text belongs to no number, as NumberText asks.
    let bytes = Array(text.utf8) + [0]
    let number = NumberText(bytes, from: 0)
    guard number.failure == nil, number.end == bytes.count - 1 else { return nil }
    return (number, bytes)
  }
}
