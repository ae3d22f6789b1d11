import AtollObjects
import TestSupport

/// Random values that often meet: small ranges, shared edges, the same number in several types.
struct RandomSingleValues {
  var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  mutating func int() -> Int64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      pick([
        Int64.min, Int64.min + 1, -1, 0, 1, Int64.max - 1, Int64.max, 0x20_0000_0000_0000,
        0x20_0000_0000_0001,
      ])
    case 1: Int64(truncatingIfNeeded: random.next())
    default: Int64.random(in: -20...20, using: &random)
    }
  }

  mutating func double() -> Double {
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      pick([
        .nan, -.nan, .infinity, -.infinity, 0, -0.0, 0.1, 0x1p53, 0x1p63, -0x1p63,
        .leastNonzeroMagnitude, 1e300,
      ])
    case 1: Double(bitPattern: random.next())
    case 2: Double(int())
    default: Double(Int.random(in: -80...80, using: &random)) / 4
    }
  }

  mutating func float() -> Float {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: pick([.nan, .infinity, -.infinity, 0, -0.0, 0.1, .leastNonzeroMagnitude])
    case 1: Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
    default: Float(Int.random(in: -80...80, using: &random)) / 4
    }
  }

  mutating func decimal() -> Decimal128 {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      return pick([
        .nan, .infinity, -.infinity, .zero, -.zero, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude,
      ])
    case 1: return Decimal128(low: random.next(), high: random.next())
    case 2: return Decimal128(int())
    case 3: return Decimal128(double())
    default:
      // The same value with 0 to 4 trailing zeros.
      let numerator = Decimal128(Int64.random(in: -300...300, using: &random) * 10_000)
      let scale = Decimal128(low: 0, high: 0x3040_0000_0000_0000)
      let power: Decimal128 = pick([1, 10, 100, 1000, 10_000])
      return (numerator + scale) / power * pick([1, Decimal128(0.01), Decimal128(1e10)])
    }
  }

  mutating func bytes() -> [UInt8] {
    let choices: [UInt8] = [0, 0, 1, 0x61, 0x62, 0x7F, 0x80, 0xFE, 0xFF]
    return (0..<Int.random(in: 0..<6, using: &random)).map { _ in pick(choices) }
  }

  mutating func string() -> String {
    let choices = ["\0", "\u{1}", "a", "b", "A", "é", "e\u{301}", "\u{FFFF}", "😀", "ab"]
    return (0..<Int.random(in: 0..<6, using: &random)).map { _ in pick(choices) }.joined()
  }

  mutating func date() -> Timestamp {
    while true {
      let seconds = pick([int(), Int64.random(in: -2...2, using: &random)])
      let nanoseconds = pick([0, Int32.random(in: -999_999_999...999_999_999, using: &random)])
      if let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) { return date }
    }
  }

  /// A value of one of the types that can be index keys, or null.
  mutating func indexable(_ type: ValueType) -> Value {
    if Int.random(in: 0..<12, using: &random) == 0 { return .null }
    switch type {
    case .bool: return .bool(Bool.random(using: &random))
    case .int: return .int(int())
    case .float: return .float(float())
    case .double: return .double(double())
    case .decimal: return .decimal(decimal())
    case .string: return .string(string())
    case .data: return .data(bytes())
    case .date: return .date(date())
    case .objectID:
      let high: UInt32 = pick([0, 1, .max])
      return .objectID(
        ObjectID(seconds: high, random: pick([0, .max]), counter: pick([0, 1, .max])))
    case .uuid: return .uuid(UniqueID(high: pick([0, 1, .max]), low: pick([0, random.next()])))
    case .mixed, .link: return .null
    }
  }

  /// A value of any type, collections included.
  mutating func any(depth: Int = 0) -> Value {
    switch Int.random(in: 0..<(depth < 3 ? 16 : 12), using: &random) {
    case 11:
      return .link(ObjectLink(table: pick([0, 1, .max]), key: pick([0, 1, .max])))
    case 12, 13: return .list(elements(depth: depth))
    case 14: return .set(Array(Set(elements(depth: depth))))
    case 15: return .map(ValueMap(elements(depth: depth).map { (key: string(), value: $0) }))
    default: return indexable(pick(ValueType.allCases))
    }
  }

  private mutating func elements(depth: Int) -> [Value] {
    (0..<Int.random(in: 0..<5, using: &random)).map { _ in any(depth: depth + 1) }
  }
}
