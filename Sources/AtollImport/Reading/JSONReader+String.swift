extension JSONReader {
  /// Reads a string; the cursor is at its opening quote.
  ///
  /// One pass finds the closing quote; the bytes between are then validated as UTF-8 and copied
  /// once. Escapes take a second pass. A string that straddles chunks is kept in the window.
  mutating func string() throws(ImportError) -> String {
    let opened = window.position
    window.cursor += 1
    var start = window.cursor
    var hasEscape = false

    while true {
      let byte = scanString()
      switch byte {
      case UInt8(ascii: "\""):
        let range = start..<window.cursor
        window.cursor += 1
        let inside = SourcePosition(line: opened.line, column: opened.column + 1)
        // The raw bytes are UTF-8 exactly when the unescaped ones are: an escape is ASCII, so
        // it never completes a sequence.
        let text = try window.text(range, start: inside)
        return hasEscape ? try unescape(range, start: inside) : text
      case UInt8(ascii: "\\"):
        hasEscape = true
        if window.cursor + 1 >= window.count {
          let isAtEnd = try !window.refill(keepingFrom: start)
          start = 0
          if isAtEnd { throw .data(.unclosedString(opened: opened), at: window.position) }
        }
        guard window.bytes[window.cursor + 1] >= 0x20 else {
          let escape = window.position
          window.cursor += 1
          throw .data(.unknownEscape(try window.found()), at: escape)
        }
        window.cursor += 1
        // A byte from 0x80 after a backslash is left to the scan, which counts it, and refused
        // by `unescape`.
        if window.bytes[window.cursor] < 0x80 { window.cursor += 1 }
      default:
        if window.cursor == window.count {
          let isAtEnd = try !window.refill(keepingFrom: start)
          start = 0
          if isAtEnd { throw .data(.unclosedString(opened: opened), at: window.position) }
        } else if byte == UInt8(ascii: "\n") {
          throw .data(.unclosedString(opened: opened), at: window.position)
        } else {
          throw .data(.controlCharacter(byte), at: window.position)
        }
      }
    }
  }

  /// Moves the cursor to the next quote, backslash or control character, the zero behind the
  /// window's bytes included, and returns that byte.
  @inline(__always)
  private mutating func scanString() -> UInt8 {
    var index = window.cursor
    var continuationByteCount = 0
    var byte = window.bytes[index]
    while byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
      continuationByteCount += byte & 0xC0 == 0x80 ? 1 : 0
      index += 1
      byte = window.bytes[index]
    }
    window.cursor = index
    window.continuationByteCount += continuationByteCount
    return byte
  }

  /// The string whose raw bytes, valid UTF-8, are in `range` of the window.
  private mutating func unescape(
    _ range: Range<Int>, start: SourcePosition
  ) throws(ImportError) -> String {
    unescaped.removeAll(keepingCapacity: true)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = window.bytes[index]
      guard byte == UInt8(ascii: "\\") else {
        unescaped.append(byte)
        index += 1
        continue
      }
      // The scan has seen that a byte follows every backslash.
      let escape = index
      index += 2
      switch window.bytes[escape + 1] {
      case UInt8(ascii: "\""): unescaped.append(UInt8(ascii: "\""))
      case UInt8(ascii: "\\"): unescaped.append(UInt8(ascii: "\\"))
      case UInt8(ascii: "/"): unescaped.append(UInt8(ascii: "/"))
      case UInt8(ascii: "b"): unescaped.append(0x08)
      case UInt8(ascii: "f"): unescaped.append(0x0C)
      case UInt8(ascii: "n"): unescaped.append(0x0A)
      case UInt8(ascii: "r"): unescaped.append(0x0D)
      case UInt8(ascii: "t"): unescaped.append(0x09)
      case UInt8(ascii: "u"):
        let scalar = try escapedScalar(escape, in: range, start: start)
        unescaped.append(contentsOf: String(scalar.value).utf8)
        index = escape + scalar.byteCount
      default:
        let found = character(escape + 1, in: range)
        throw .data(.unknownEscape(found), at: place(escape, in: range, start: start))
      }
    }
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// The scalar of the `\u` escape, or pair of them, at `escape`, and the length of its text.
  private func escapedScalar(
    _ escape: Int, in range: Range<Int>, start: SourcePosition
  ) throws(ImportError) -> (value: Unicode.Scalar, byteCount: Int) {
    let high = try hexadecimal(escape + 2, in: range, start: start)
    if let scalar = Unicode.Scalar(high) { return (scalar, 6) }

    let second = escape + 6
    guard UTF16.isLeadSurrogate(high), second + 1 < range.upperBound,
      window.bytes[second] == UInt8(ascii: "\\"), window.bytes[second + 1] == UInt8(ascii: "u")
    else { throw .data(.loneSurrogate, at: place(escape, in: range, start: start)) }
    let low = try hexadecimal(second + 2, in: range, start: start)
    guard UTF16.isTrailSurrogate(low) else {
      throw .data(.loneSurrogate, at: place(escape, in: range, start: start))
    }
    let value = 0x10000 + (UInt32(high - 0xD800) << 10) + UInt32(low - 0xDC00)
    guard let scalar = Unicode.Scalar(value) else {
      preconditionFailure("a surrogate pair is a scalar from U+10000 to U+10FFFF")
    }
    return (scalar, 12)
  }

  /// The value of the four hexadecimal digits from `index` on.
  private func hexadecimal(
    _ index: Int, in range: Range<Int>, start: SourcePosition
  ) throws(ImportError) -> UInt16 {
    var value: UInt16 = 0
    for digitIndex in index..<index + 4 {
      guard digitIndex < range.upperBound, let digit = hexadecimalDigit(window.bytes[digitIndex])
      else {
        // The closing quote stands at the upper bound.
        let found = character(digitIndex, in: range)
        throw .data(
          .unexpected(found, expected: .hexadecimalDigit),
          at: place(digitIndex, in: range, start: start))
      }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  private func place(
    _ index: Int, in range: Range<Int>, start: SourcePosition
  ) -> SourcePosition {
    var place = start
    for byte in window.bytes[range.lowerBound..<index] where byte & 0xC0 != 0x80 {
      place.column += 1
    }
    return place
  }

  private func character(_ index: Int, in range: Range<Int>) -> DataProblem.Found {
    var iterator = window.bytes[index...range.upperBound].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
      return .byte(window.bytes[index])
    }
    return .character(scalar)
  }
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
