extension Lexer {
  /// Reads a number, or a calendar date, whose first byte is a digit, a sign or a point.
  mutating func scanNumber() throws(QuerySyntaxError) -> Token {
    let start = offset
    if let token = try scanHexadecimal() { return token }

    var end = start
    let isSigned = source.bytes[start] == UInt8(ascii: "+") || source.bytes[start] == 0x2D
    if isSigned { end += 1 }
    let digitsStart = end
    end = digitsEnd(end)
    let digits = digitsStart..<end
    if !isSigned, !digits.isEmpty, let token = try scanCalendarDate(yearEnd: end) {
      return token
    }

    var isInteger = true
    if source.byte(at: end) == UInt8(ascii: ".") {
      isInteger = false
      end = digitsEnd(end + 1)
    }
    if let exponentEnd = exponentEnd(end) {
      isInteger = false
      end = exponentEnd
    }
    if source.byte(at: end) == UInt8(ascii: "f") {
      let number = try numberText(start..<end)
      return finish(.float32(number), from: start, to: end + 1)
    }
    guard isInteger else {
      return finish(.double(try numberText(start..<end)), from: start, to: end)
    }
    return try finishInteger(start..<end, digits: digits, isSigned: isSigned)
  }

  /// The offset behind a run of decimal digits, which may be empty.
  func digitsEnd(_ start: Int) -> Int {
    var end = start
    while let byte = source.byte(at: end), byte.isDigit { end += 1 }
    return end
  }

  /// The offset behind `e`, an optional sign and digits; nil when that is not what follows.
  private func exponentEnd(_ start: Int) -> Int? {
    guard let byte = source.byte(at: start), byte | 0x20 == UInt8(ascii: "e") else { return nil }
    var digits = start + 1
    if let sign = source.byte(at: digits), sign == UInt8(ascii: "+") || sign == 0x2D {
      digits += 1
    }
    let end = digitsEnd(digits)
    return end > digits ? end : nil
  }

  private func numberText(_ range: Range<Int>) throws(QuerySyntaxError) -> NumberText {
    guard let number = NumberText(digits: source.text(in: range)) else {
      throw failure("\(source.quoted(range)) is not a number", at: range)
    }
    return number
  }

  private mutating func finishInteger(
    _ range: Range<Int>, digits: Range<Int>, isSigned: Bool
  ) throws(QuerySyntaxError) -> Token {
    if digits.count > 1, source.bytes[digits.lowerBound] == UInt8(ascii: "0") {
      throw failure(
        "integer \(source.quoted(range)) begins with a zero",
        at: range,
        hint: "Some readers take such a number as octal: write it without the zero.")
    }
    guard let value = Int64(source.text(in: range)) else { throw integerOutOfRange(range) }
    return finish(
      .integer(value, isSigned ? .signed : .unsigned), from: range.lowerBound, to: range.upperBound)
  }

  private func integerOutOfRange(_ range: Range<Int>) -> QuerySyntaxError {
    failure(
      "integer \(source.quoted(range)) is out of range", at: range,
      expected: ["a number from \(Int64.min) to \(Int64.max)"],
      hint: "A larger decimal constant is written with a point or an exponent.")
  }

  /// Reads `0x` and hexadecimal digits; nil when no digit follows.
  private mutating func scanHexadecimal() throws(QuerySyntaxError) -> Token? {
    let start = offset
    guard
      source.byte(at: start) == UInt8(ascii: "0"),
      let mark = source.byte(at: start + 1), mark | 0x20 == UInt8(ascii: "x")
    else { return nil }
    var end = start + 2
    var value: Int64 = 0
    var isInRange = true
    while let digit = source.byte(at: end)?.hexadecimalValue {
      // Four more bits fit as long as the upper five are clear: the sign bit stays zero.
      isInRange = isInRange && value >> 59 == 0
      value = isInRange ? value << 4 | Int64(digit) : 0
      end += 1
    }
    guard end > start + 2 else { return nil }
    guard isInRange else { throw integerOutOfRange(start..<end) }
    return finish(.integer(value, .hexadecimal), from: start, to: end)
  }
}
