internal import AtollObjects
internal import TestSupport

/// Makes values of every type, the odd ones often.
protocol ValueMaker: RandomMaker {}

extension ValueMaker {
  /// Texts and names that are taken for others somewhere: one character in two spellings, words of
  /// notations, signs.
  static var oddTexts: [String] {
    [
      "\u{E9}", "e\u{301}", "\u{C5}", "A\u{30A}", "\u{212B}", "$oid", "$date", "$object", "$",
      "a b",
      "x.y", "class", "of", "key", "\"q\"", "\\", "nan", "inf", "2001-02-03", "007", "1E5", "#1",
      "null", "\u{1F600}", "\u{FEFF}", "\n", "\u{0}", "NULL", "@count", "\u{202E}",
    ]
  }

  mutating func text() -> String {
    switch number(12) {
    case 0: String(repeating: pick(Self.oddTexts), count: 300 + number(600))
    case 1: ""
    case 2...6: pick(Self.oddTexts) + pick(Self.oddTexts)
    default: "t\(number(1000))"
    }
  }

  private mutating func bits() -> UInt64 { random.next() }

  mutating func int() -> Int64 {
    pick([
      0, 1, -1, .min, .max, 9_007_199_254_740_993, Int64(bitPattern: bits()), Int64(number(99)),
    ])
  }

  mutating func double() -> Double {
    pick([
      0, -0.0, .nan, .infinity, -.infinity, 1.5, 1e300, .leastNonzeroMagnitude, 0.1, 468,
      Double(bitPattern: bits()), Double(int()),
    ])
  }

  mutating func float() -> Float {
    pick([
      0, -0.0, .nan, .infinity, -.infinity, 1.5, 0.1, .greatestFiniteMagnitude,
      .leastNonzeroMagnitude,
      Float(bitPattern: UInt32(truncatingIfNeeded: bits())),
    ])
  }

  /// The text of a decimal, mostly with zeros at its end; no name.
  mutating func decimalText() -> String {
    var digits = String(bits())
    if number(2) == 0 { digits += String(bits() % 100_000_000_000_000) }
    digits = String(digits.prefix(1 + number(34)))
    if number(2) == 0 { digits = String(digits.prefix(31)) + pick(["0", "00", "000"]) }
    while digits.count > 1, digits.first == "0" { digits.removeFirst() }
    let point = number(digits.count + 1)
    let text =
      switch number(4) {
      case 0: digits
      case 1: digits + "e\(number(12_000) - 6000)"
      case 2 where digits.count > 1: "\(digits.prefix(1)).\(digits.dropFirst())E\(number(40) - 20)"
      default:
        point == 0 || point == digits.count
          ? "0.\(digits)" : "\(digits.prefix(point)).\(digits.dropFirst(point))"
      }
    return (number(3) == 0 ? "-" : "") + text
  }

  mutating func decimal() -> Decimal128 {
    if number(12) == 0 { return pick([.nan, .infinity, -.infinity, .greatestFiniteMagnitude]) }
    return Decimal128(decimalText()) ?? .zero
  }

  mutating func date() -> Timestamp {
    let seconds = pick([
      Int64.min, .max, 0, -1, 1, 253_402_300_800, -62_167_219_201, Int64(bitPattern: bits()),
      Int64(number(2_000_000_000)),
    ])
    let nanoseconds = Int32(pick([0, 999_999_999, 1, 500_000_000, number(1_000_000_000)]))
    let signed = seconds < 0 ? -nanoseconds : nanoseconds
    guard let moment = Timestamp(seconds: seconds, nanoseconds: signed) else {
      preconditionFailure("both parts have one sign")
    }
    return moment
  }

  mutating func objectID() -> ObjectID {
    ObjectID(
      seconds: UInt32(truncatingIfNeeded: bits()), random: bits(), counter: UInt32(number(1 << 24)))
  }

  mutating func uuid() -> UniqueID { UniqueID(high: bits(), low: bits()) }

  mutating func data() -> [UInt8] { noise(number(20), &random) }

  /// A value of a type other than mixed values and links.
  mutating func value(_ type: ValueType) -> Value {
    switch type {
    case .bool: .bool(number(2) == 0)
    case .int: .int(int())
    case .float: .float(float())
    case .double: .double(double())
    case .decimal: .decimal(decimal())
    case .string: .string(text())
    case .data: .data(data())
    case .date: .date(date())
    case .objectID: .objectID(objectID())
    case .uuid: .uuid(uuid())
    case .mixed, .link: .null
    }
  }

  /// A value for a mixed property, without collections that are deeper than `depth`.
  mutating func mixed(_ depth: Int, links: [Value]) -> Value {
    switch number(depth > 0 ? 14 : 10) {
    case 0: return .null
    case 1 where !links.isEmpty: return pick(links)
    case 10, 11: return .list((0..<number(4)).map { _ in mixed(depth - 1, links: links) })
    case 12, 13:
      var map = ValueMap()
      for _ in 0..<number(4) { map[pick(Self.oddTexts)] = mixed(depth - 1, links: links) }
      return .map(map)
    default:
      return value(
        pick([.bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid]))
    }
  }
}
