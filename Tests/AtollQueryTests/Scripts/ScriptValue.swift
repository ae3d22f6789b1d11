import AtollObjects
import AtollQuery

/// Reads the values of worlds and arguments.
///
/// A scalar is a literal of the query language, `nanf`, `dec(1.5)` or `#Class:3`, the third object
/// of a class; then there are `[a, b]`, a list, `<a, b>`, a set, and `{key: a}`, a map.
struct ScriptValue {
  private var rest: Substring
  private let link: (String) throws -> Value

  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads one value, or nothing but blanks as no value.
  static func values(
    _ text: some StringProtocol, link: (String) throws -> Value
  ) throws -> [Value] {
    try withoutActuallyEscaping(link) { link in
      var reader = ScriptValue(rest: Substring(text), link: link)
      reader.skipBlanks()
      return reader.rest.isEmpty ? [] : try reader.list(until: nil)
    }
  }

  private mutating func skipBlanks() {
    while rest.first == " " { rest.removeFirst() }
  }

  private mutating func take(_ character: Character) -> Bool {
    skipBlanks()
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads values with commas between, up to a closing bracket or the end.
  private mutating func list(until end: Character?) throws -> [Value] {
    var values: [Value] = []
    if let end, take(end) { return values }
    while true {
      values.append(try value())
      if take(",") { continue }
      if let end {
        guard take(end) else { throw Malformed(description: "expected \(end) before \(rest)") }
      } else if !rest.isEmpty {
        throw Malformed(description: "unexpected \(rest)")
      }
      return values
    }
  }

  private mutating func value() throws -> Value {
    if take("[") { return .list(try list(until: "]")) }
    if take("<") { return .set(try list(until: ">")) }
    if take("{") {
      var pairs: [(key: String, value: Value)] = []
      while !take("}") {
        _ = take(",")
        skipBlanks()
        let key = rest.prefix { $0 != ":" }
        rest = rest.dropFirst(key.count + 1)
        pairs.append((String(key), try value()))
      }
      return .map(ValueMap(pairs))
    }
    return try scalar()
  }

  /// Reads up to a comma or bracket that is not in quotes or parentheses.
  private mutating func scalar() throws -> Value {
    skipBlanks()
    var depth = 0
    var quote: Character?
    let text = rest.prefix { character in
      if let open = quote {
        if character == open { quote = nil }
        return true
      }
      switch character {
      case "'", "\"": quote = character
      case "(": depth += 1
      case ")": depth -= 1
      case ",", "]", ">", "}": return depth > 0
      default: break
      }
      return true
    }
    rest = rest.dropFirst(text.count)
    if text.hasPrefix("#") { return try link(String(text.dropFirst())) }
    if text.hasPrefix("dec("), let number = Decimal128(String(text.dropFirst(4).dropLast())) {
      return .decimal(number)
    }
    if text == "nanf" { return .float(.nan) }
    guard
      case .comparison(let comparison) = try QuerySyntax.parse("a == \(text)").predicate,
      case .literal(let literal) = comparison.right, let value = Value(literal.value)
    else { throw Malformed(description: "'\(text)' is no value") }
    return value
  }
}

extension Value {
  /// The value that a literal spells; nil for arguments and objects.
  init?(_ literal: QuerySyntax.Literal) {
    switch literal {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let text): self = .double(text.doubleValue)
    case .float32(let text): self = .float(text.floatValue)
    case .infinity(let isNegative): self = .double(isNegative ? -.infinity : .infinity)
    case .notANumber: self = .double(.nan)
    case .string(let text): self = .string(text)
    case .data(let bytes): self = .data(bytes)
    case .date(let seconds, let nanoseconds):
      guard let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else { return nil }
      self = .date(date)
    case .objectID(let bytes):
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      guard let id = ObjectID(digits) else { return nil }
      self = .objectID(id)
    case .uuid(let bytes):
      func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
      self = .uuid(UniqueID(high: half(bytes[..<8]), low: half(bytes[8...])))
    case .decimal(let digits):
      guard let number = Decimal128(digits) else { return nil }
      self = .decimal(number)
    case .object, .argument: return nil
    }
  }
}
