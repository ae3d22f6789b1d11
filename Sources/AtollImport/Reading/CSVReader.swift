internal import AtollObjects

/// Reads records from comma-separated values, a chunk at a time.
///
/// The grammar is RFC 4180 in UTF-8, after an optional byte order mark: the first record names the
/// columns; lines end in CR LF or LF; a field in double quotes may hold commas, line ends and
/// doubled quotes. Semicolons or tabs may stand for the commas everywhere, as spreadsheets write it
/// in countries with a decimal comma: of the three the one counts by which all records in the first
/// 64 KiB have equally many columns, or else the first that ends the first column's name. An empty
/// field without quotes is null, an empty one in quotes is the empty string. All other fields are
/// text without a type, quoted or not. An empty line is passed over, unless there is only one
/// column: then it is a null. Blanks belong to the field.
package struct CSVReader: RecordReader, ~Copyable {
  private var window: ByteWindow
  private var columns: [String]?
  /// What ends a field.
  private var separator = UInt8(ascii: ",")
  private var isSeparatorKnown = false
  /// The end of the first column's name, if the lines show another separator.
  private var overruledSeparator: UInt8?

  package init(_ source: any ByteSource, chunkByteCount: Int = 1 << 18) {
    window = ByteWindow(source, chunkByteCount: chunkByteCount)
  }

  package var byteOffset: Int { window.byteOffset }

  package var remark: String? {
    overruledSeparator.map {
      "the columns are taken as separated by \(Self.name(of: separator)), by which all of the "
        + "first lines have equally many; by \(Self.name(of: $0)), which ends the first column's "
        + "name, they do not"
    }
  }

  private static func name(of separator: UInt8) -> String {
    separator == UInt8(ascii: "\t") ? "tabs" : "'\(Character(Unicode.Scalar(separator)))'"
  }

  package mutating func next() throws(ImportError) -> DataRecord? {
    let columns: [String]
    if let known = self.columns {
      columns = known
    } else {
      try window.skipByteOrderMark()
      try findSeparator()
      columns = try header()
      self.columns = columns
    }
    if columns.count != 1 { try skipEmptyLines() }
    guard try window.peek() != nil else { return nil }

    let position = window.position
    var fields: [DataField] = []
    fields.reserveCapacity(columns.count)
    while true {
      let fieldPosition = window.position
      guard fields.count < columns.count else {
        throw .data(
          .fieldCount(fields.count + 1, expected: columns.count), at: fieldPosition)
      }
      let value = try field()
      fields.append(
        DataField(name: columns[fields.count], value: value, position: fieldPosition))
      let end = window.position
      guard try !continues() else { continue }
      guard fields.count == columns.count else {
        throw .data(.fieldCount(fields.count, expected: columns.count), at: end)
      }
      return DataRecord(fields: fields, position: position)
    }
  }

  private mutating func header() throws(ImportError) -> [String] {
    guard try window.peek() != nil else { return [] }
    var names: [String] = []
    while true {
      let position = window.position
      guard case .text(let name) = try field() else {
        throw .data(.emptyColumnName, at: position)
      }
      guard !name.isEmpty else { throw .data(.emptyColumnName, at: position) }
      guard !name.utf8.contains(0) else { throw .data(.zeroByteInColumnName, at: position) }
      guard !names.contains(where: name.hasSameBytes(as:)) else {
        throw .data(.duplicateName(name), at: position)
      }
      names.append(name)
      if !isSeparatorKnown {
        isSeparatorKnown = true
        if let byte = try window.peek(), Self.isSeparator(byte) { separator = byte }
      }
      guard try continues() else { return names }
    }
  }

  /// How many bytes are examined for the separator, independently of chunks, so that the same data
  /// is always read alike.
  private static let trialByteCount = 1 << 16

  private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  /// Decides for the separator by which all of the first records have as many columns as the
  /// header, if there is one and no other.
  private mutating func findSeparator() throws(ImportError) {
    while window.count - window.cursor < Self.trialByteCount,
      try window.refill(keepingFrom: window.cursor)
    {}
    let end = min(window.count, window.cursor + Self.trialByteCount)
    // At 64 KiB the reader does not check whether anything follows.
    let isAtEnd = end < window.cursor + Self.trialByteCount
    let trial = window.bytes[window.cursor..<end]
    let fitting = Self.separators.filter { separator in
      Self.columnCount(trial, separator, isAtEnd).map { $0 > 1 } ?? false
    }
    guard fitting.count == 1 else { return }
    separator = fitting[0]
    isSeparatorKnown = true
    var isQuoted = false
    for byte in trial {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      guard byte != UInt8(ascii: "\n") else { return }
      guard Self.isSeparator(byte) else { continue }
      if byte != separator { overruledSeparator = byte }
      return
    }
  }

  /// How many columns all whole lines have with a separator; nil when they differ.
  private static func columnCount(
    _ bytes: ArraySlice<UInt8>, _ separator: UInt8, _ endsWhole: Bool
  ) -> Int? {
    var columnCount: Int?
    var count = 1
    var byteCount = 0
    var isQuoted = false
    func isOther() -> Bool {
      // An empty line is passed over.
      if byteCount == 0 { return false }
      columnCount = columnCount ?? count
      return columnCount != count
    }
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""):
        isQuoted.toggle()
        byteCount += 1
      case UInt8(ascii: "\n") where !isQuoted:
        if isOther() { return nil }
        count = 1
        byteCount = 0
      case UInt8(ascii: "\r") where !isQuoted: break
      case separator where !isQuoted:
        count += 1
        byteCount += 1
      default: byteCount += 1
      }
    }
    if endsWhole, isOther() { return nil }
    return columnCount
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    separators.contains(byte)
  }

  private mutating func skipEmptyLines() throws(ImportError) {
    while let byte = try window.peek(), byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
      _ = try continues()
    }
  }

  /// Passes over a separator, or over the end of the line or of the data.
  ///
  /// - Returns: true after a separator: another field of the record follows.
  private mutating func continues() throws(ImportError) -> Bool {
    switch try window.peek() {
    case nil:
      return false
    case separator:
      window.cursor += 1
      return true
    case UInt8(ascii: "\r"):
      window.cursor += 1
      guard let byte = try window.peek() else { return false }
      guard byte == UInt8(ascii: "\n") else { throw try window.unexpected(.lineFeed) }
      fallthrough
    case UInt8(ascii: "\n"):
      window.cursor += 1
      window.startLine()
      return false
    default:
      throw try window.unexpected(.commaOrEndOfLine)
    }
  }

  private mutating func field() throws(ImportError) -> DataValue {
    guard try window.peek() == UInt8(ascii: "\"") else { return try unquotedField() }
    return .text(try quotedField())
  }

  private mutating func unquotedField() throws(ImportError) -> DataValue {
    let position = window.position
    var start = window.cursor
    scan: while true {
      if window.cursor == window.count {
        let isAtEnd = try !window.refill(keepingFrom: start)
        start = 0
        if isAtEnd { break }
      }
      let byte = window.bytes[window.cursor]
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): break scan
      case UInt8(ascii: "\""): throw try window.unexpected(.unquotedField)
      default:
        if byte == separator || !isSeparatorKnown && Self.isSeparator(byte) { break scan }
        if byte & 0xC0 == 0x80 { window.continuationByteCount += 1 }
        window.cursor += 1
      }
    }
    guard start < window.cursor else { return .null }
    return .text(try window.text(start..<window.cursor, start: position))
  }

  /// Reads a field in quotes; the cursor is at the first.
  private mutating func quotedField() throws(ImportError) -> String {
    let opened = window.position
    window.cursor += 1
    let position = window.position
    var start = window.cursor
    var hasDoubledQuote = false
    while true {
      if window.cursor == window.count {
        let isAtEnd = try !window.refill(keepingFrom: start)
        start = 0
        if isAtEnd { throw .data(.unclosedString(opened: opened), at: window.position) }
      }
      let byte = window.bytes[window.cursor]
      window.cursor += 1
      if byte == UInt8(ascii: "\n") {
        window.startLine()
      } else if byte & 0xC0 == 0x80 {
        window.continuationByteCount += 1
      } else if byte == UInt8(ascii: "\"") {
        if window.cursor == window.count {
          // A quote at the very end of the data closes the field.
          _ = try window.refill(keepingFrom: start)
          start = 0
        }
        guard window.bytes[window.cursor] == UInt8(ascii: "\"") else {
          let text = try window.text(start..<window.cursor - 1, start: position)
          return hasDoubledQuote ? withoutDoubledQuotes(text) : text
        }
        hasDoubledQuote = true
        window.cursor += 1
      }
    }
  }
}

/// The text with each pair of quotes made one.
private func withoutDoubledQuotes(_ text: String) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  var isSecond = false
  for byte in text.utf8 {
    let isQuote = byte == UInt8(ascii: "\"")
    if !(isQuote && isSecond) { bytes.append(byte) }
    isSecond = isQuote && !isSecond
  }
  return String(decoding: bytes, as: UTF8.self)
}
