extension Lexer {
  /// Reads a name, a keyword, a placeholder, or a literal that begins like a name.
  mutating func scanWord() throws(QuerySyntaxError) -> Token {
    let start = offset
    if source.byte(at: start) == UInt8(ascii: "T"), let token = try scanEpochDate() {
      return token
    }

    var end = start
    var hasEscapes = false
    while let byte = source.byte(at: end) {
      if byte.continuesName {
        end += 1
      } else if let escape = nameEscape(at: end) {
        hasEscapes = true
        end += escape.byteCount
      } else if byte == UInt8(ascii: "%"), source.byte(at: end + 1) == byte {
        hasEscapes = true
        end += 2
      } else {
        break
      }
    }
    if hasEscapes {
      return finish(.name(decodedName(start..<end)), from: start, to: end)
    }

    let word = source.bytes[start..<end]
    if let token = try scanPrefixedLiteral(word) { return token }
    if let placeholder = try placeholder(word) {
      return finish(.placeholder(placeholder), from: start, to: end)
    }
    switch Keyword(word) {
    case .infinity, .inf: return finish(.infinity(isNegative: false), from: start, to: end)
    case .nan: return finish(.notANumber, from: start, to: end)
    case let keyword?: return finish(.keyword(keyword), from: start, to: end)
    case nil: break
    }
    if word.count > 1, word.first == UInt8(ascii: "O"), word.dropFirst().allSatisfy(\.isDigit) {
      throw failure(
        "\(source.quoted(start..<end)) names an object by its internal key", at: start..<end,
        hint: "Write obj('Class', key); a property of this name is reached with $K0.")
    }
    return finish(.name(source.text(in: start..<end)), from: start, to: end)
  }

  /// The character that a backslash and what follows stand for in a name.
  ///
  /// With `\u` and four hexadecimal digits any name can be written, also one that is a keyword.
  func nameEscape(at offset: Int) -> (character: Unicode.Scalar, byteCount: Int)? {
    guard source.byte(at: offset) == UInt8(ascii: "\\"), let next = source.byte(at: offset + 1)
    else { return nil }
    switch Unicode.Scalar(next) {
    case " ": return (" ", 2)
    case "n": return ("\n", 2)
    case "r": return ("\r", 2)
    case "t": return ("\t", 2)
    case "u":
      var number: UInt32 = 0
      for index in offset + 2..<offset + 6 {
        guard let digit = source.byte(at: index)?.hexadecimalValue else { return nil }
        number = number << 4 | UInt32(digit)
      }
      return Unicode.Scalar(number).map { ($0, 6) }
    default: return nil
    }
  }

  private func decodedName(_ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if let escape = nameEscape(at: index) {
        bytes += String(escape.character).utf8
        index += escape.byteCount
      } else if source.bytes[index] == UInt8(ascii: "%") {
        // Two stand for one.
        bytes.append(UInt8(ascii: "%"))
        index += 2
      } else {
        bytes.append(source.bytes[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func placeholder(
    _ word: ArraySlice<UInt8>
  ) throws(QuerySyntaxError) -> ArgumentPlaceholder? {
    let range = word.startIndex..<word.endIndex
    let found: ArgumentPlaceholder?
    do { found = try ArgumentPlaceholder(word: word) } catch {
      throw failure(
        "the argument's number is out of range", at: range,
        hint: "Arguments are numbered from $0.")
    }
    if found != nil {
      if case .inOrder = argumentForm { throw mixedArguments(range) }
      argumentForm = .numbered
    }
    return found
  }

  /// Reads `%@`, `%K`, `%d`, `%ld`, `%f`…, which take the arguments one after the other; nil when
  /// the percent sign begins none of them.
  mutating func scanFormatPlaceholder() throws(QuerySyntaxError) -> Token? {
    let start = offset
    var end = start + 1
    while let byte = source.byte(at: end), "hljqtz".utf8.contains(byte) { end += 1 }
    guard let conversion = source.byte(at: end) else { return nil }
    let hasLength = end > start + 1
    end += 1
    switch Unicode.Scalar(conversion) {
    case "@", "K": guard !hasLength else { return nil }
    case "d", "D", "i", "u", "U", "x", "X", "o", "O", "f", "F", "e", "E", "g", "G", "a", "A": break
    default: return nil
    }
    // `%date` is no number with a name behind it.
    if conversion != UInt8(ascii: "@"), let next = source.byte(at: end), next.continuesName {
      return nil
    }
    let index: Int
    switch argumentForm {
    case .undecided: index = 0
    case .inOrder(let next): index = next
    case .numbered: throw mixedArguments(start..<end)
    }
    argumentForm = .inOrder(next: index + 1)
    let isPath = conversion == UInt8(ascii: "K")
    return finish(
      .placeholder(isPath ? .keyPath(index: index) : .value(index: index)), from: start, to: end)
  }

  private func mixedArguments(_ range: Range<Int>) -> QuerySyntaxError {
    failure(
      "arguments in order and numbered ones in one query", at: range,
      hint: "Write all of them as %@ and %K, or all of them as $0 and $K0.")
  }

  /// Reads `B64"…"`, `uuid(…)` or `oid(…)`: words that must be followed at once by the rest.
  private mutating func scanPrefixedLiteral(
    _ word: ArraySlice<UInt8>
  ) throws(QuerySyntaxError) -> Token? {
    guard word.count <= 7 else { return nil }
    let next = source.byte(at: word.endIndex)
    switch (String(decoding: word, as: UTF8.self), next) {
    case ("B64", UInt8(ascii: "\"")):
      return try scanBase64(from: word.startIndex)
    case ("uuid", UInt8(ascii: "(")):
      let bytes = try hexadecimalBytes(
        [4, 2, 2, 2, 6], from: word.startIndex, openParenthesis: word.endIndex,
        form: "uuid(8-4-4-4-12 hexadecimal digits)")
      return finish(.uuid(bytes.values), from: word.startIndex, to: bytes.end)
    case ("oid", UInt8(ascii: "(")):
      let bytes = try hexadecimalBytes(
        [12], from: word.startIndex, openParenthesis: word.endIndex,
        form: "oid(24 hexadecimal digits)")
      return finish(.objectID(bytes.values), from: word.startIndex, to: bytes.end)
    case ("decimal", UInt8(ascii: "(")):
      return try scanDecimal(from: word.startIndex, openParenthesis: word.endIndex)
    default:
      return nil
    }
  }

  /// Reads `decimal(12.50)`.
  private mutating func scanDecimal(
    from start: Int, openParenthesis: Int
  ) throws(QuerySyntaxError) -> Token {
    var end = openParenthesis + 1
    while let byte = source.byte(at: end), byte.continuesName || ".+".utf8.contains(byte) {
      end += 1
    }
    let text = source.text(in: openParenthesis + 1..<end)
    let isSpecial = ["NaN", "Infinity", "-Infinity"].contains(text)
    guard source.byte(at: end) == UInt8(ascii: ")"),
      isSpecial || Self.isDecimal(text)
    else {
      throw failure(
        "malformed literal \(source.quoted(start..<end))", at: start..<end,
        expected: ["decimal(12.50)"], hint: "The number stands without quotes and blanks.")
    }
    return finish(.decimal(text), from: start, to: end + 1)
  }

  /// Whether the text is a sign, digits with or without a point, and an exponent; the first and the
  /// last may be missing.
  private static func isDecimal(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    func skipSign() { if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() } }
    func skipDigits() -> Int {
      let digits = rest.prefix(while: \.isDigit)
      rest.removeFirst(digits.count)
      return digits.count
    }
    skipSign()
    var count = skipDigits()
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      count += skipDigits()
    }
    guard count > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      skipSign()
      guard skipDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Reads groups of hexadecimal bytes with hyphens between the groups, up to the parenthesis.
  private func hexadecimalBytes(
    _ groups: [Int], from start: Int, openParenthesis: Int, form: String
  ) throws(QuerySyntaxError) -> (values: [UInt8], end: Int) {
    func malformed(_ index: Int) -> QuerySyntaxError {
      failure(
        "malformed literal \(source.quoted(start..<source.characterEnd(index)))", at: start..<index,
        expected: [form], hint: "The digits stand without quotes and blanks.")
    }

    var values: [UInt8] = []
    var index = openParenthesis + 1
    for (number, byteCount) in groups.enumerated() {
      if number > 0 {
        guard source.byte(at: index) == UInt8(ascii: "-") else { throw malformed(index) }
        index += 1
      }
      for _ in 0..<byteCount {
        guard
          let high = source.byte(at: index)?.hexadecimalValue,
          let low = source.byte(at: index + 1)?.hexadecimalValue
        else { throw malformed(index) }
        values.append(high << 4 | low)
        index += 2
      }
    }
    guard source.byte(at: index) == UInt8(ascii: ")") else { throw malformed(index) }
    return (values, index + 1)
  }
}
