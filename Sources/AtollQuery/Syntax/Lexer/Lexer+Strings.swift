extension Lexer {
  /// Reads a string in single or double quotes and decodes its escapes.
  ///
  /// The other quote needs no escape inside, and a line may break inside.
  mutating func scanString(quote: UInt8) throws(QuerySyntaxError) -> Token {
    let start = offset
    var index = start + 1
    // Text without an escape is taken as it stands; `pending` is where the untaken text begins.
    var decoded: [UInt8] = []
    var pending = index
    while let byte = source.byte(at: index) {
      if byte == quote {
        decoded.append(contentsOf: source.bytes[pending..<index])
        let text = String(decoding: decoded, as: UTF8.self)
        return finish(.string(text), from: start, to: index + 1)
      }
      guard byte == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      decoded.append(contentsOf: source.bytes[pending..<index])
      index = try decodeEscape(at: index, into: &decoded, stringStart: start)
      pending = index
    }
    throw unterminatedString(start)
  }

  private func unterminatedString(_ start: Int) -> QuerySyntaxError {
    let (line, column) = source.position(of: start)
    let quote = source.text(in: start..<start + 1)
    return failure(
      "the string that opens at line \(line), column \(column) is never closed",
      at: start..<start + 1, expected: ["a closing \(quote)"],
      hint: #"A quote inside a string is written \' or \", a backslash \\."#)
  }

  /// Decodes the escape whose backslash is at `index` and returns the offset behind it.
  private func decodeEscape(
    at index: Int, into decoded: inout [UInt8], stringStart: Int
  ) throws(QuerySyntaxError) -> Int {
    guard let byte = source.byte(at: index + 1) else { throw unterminatedString(stringStart) }
    switch Unicode.Scalar(byte) {
    case "\"", "'", "\\", "/": decoded.append(byte)
    case "b": decoded.append(0x08)
    case "f": decoded.append(0x0C)
    case "n": decoded.append(0x0A)
    case "r": decoded.append(0x0D)
    case "t": decoded.append(0x09)
    case "0": decoded.append(0x00)
    case "u": return try decodeUnicodeEscape(at: index, into: &decoded)
    default:
      let end = source.characterEnd(index + 1)
      throw failure(
        "unknown escape \(source.quoted(index..<end)) in a string", at: index..<end,
        expected: [#"\""#, #"\'"#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#]
          + [#"\0"#, #"\uXXXX"#],
        hint: #"A backslash itself is written \\."#)
    }
    return index + 2
  }

  /// Decodes `\uXXXX`, or two of them that form a surrogate pair.
  private func decodeUnicodeEscape(
    at index: Int, into decoded: inout [UInt8]
  ) throws(QuerySyntaxError) -> Int {
    guard let first = codeUnit(at: index + 2) else {
      var end = index + 2
      while end < index + 6, source.byte(at: end)?.hexadecimalValue != nil { end += 1 }
      throw failure(
        "incomplete escape \(source.quoted(index..<end)) in a string", at: index..<end,
        expected: [#"\u and exactly four hexadecimal digits"#])
    }
    var end = index + 6
    var scalar = Unicode.Scalar(UInt32(first))
    if UTF16.isLeadSurrogate(first), source.byte(at: end) == UInt8(ascii: "\\"),
      source.byte(at: end + 1) == UInt8(ascii: "u"), let second = codeUnit(at: end + 2),
      UTF16.isTrailSurrogate(second)
    {
      let value = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
      scalar = Unicode.Scalar(value)
      end += 6
    }
    guard let scalar else {
      throw failure(
        "\(source.quoted(index..<end)) is half of a surrogate pair", at: index..<end,
        expected: [#"\uD800…\uDBFF followed by \uDC00…\uDFFF"#])
    }
    decoded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    return end
  }

  /// The value of four hexadecimal digits.
  private func codeUnit(at index: Int) -> UInt16? {
    var value: UInt16 = 0
    for position in index..<index + 4 {
      guard let digit = source.byte(at: position)?.hexadecimalValue else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  /// Reads `B64"…"`; `start` is the offset of the `B`.
  ///
  /// Padding may be left out. What cannot come from an encoder is refused: characters outside the
  /// alphabet, a lone last digit, bits left over.
  mutating func scanBase64(from start: Int) throws(QuerySyntaxError) -> Token {
    let open = start + 3
    var index = open + 1
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    var digitCount = 0
    while let digit = source.byte(at: index)?.base64Value {
      bits = bits << 6 | UInt32(digit)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        bits &= 1 << UInt32(bitCount) - 1
      }
      digitCount += 1
      index += 1
    }
    var paddingCount = 0
    while paddingCount < 2, source.byte(at: index) == UInt8(ascii: "=") {
      paddingCount += 1
      index += 1
    }
    guard let byte = source.byte(at: index) else { throw unterminatedString(open) }
    let isPadded = paddingCount == 0 || (digitCount + paddingCount).isMultiple(of: 4)
    guard byte == UInt8(ascii: "\""), isPadded, digitCount % 4 != 1, bits == 0 else {
      throw failure(
        "malformed base64 text", at: start..<source.characterEnd(index),
        expected: ["letters, digits, + and /, padded with = to a multiple of four"])
    }
    return finish(.base64(bytes), from: start, to: index + 1)
  }
}
