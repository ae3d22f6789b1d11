/// The UTF-8 bytes of a query, and where in them an offset lies for a human reader.
struct SourceText: Sendable {
  let bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The byte at `offset`, nil at or beyond the end.
  func byte(at offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  /// All of it.
  var wholeText: String { String(decoding: bytes, as: UTF8.self) }

  /// The text of a byte range, which is first cut to the query.
  func text(in range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }

  /// The text of a byte range in quotes, for an error message: cut after 40 characters.
  func quoted(_ range: Range<Int>) -> String {
    "`\(QuerySyntaxError.shortened(text(in: range)))`"
  }

  /// The offset behind the character that begins at `index`.
  func characterEnd(_ index: Int) -> Int { characterBoundary(index + 1) }

  /// The line and column of a byte offset, both from 1; the column counts characters.
  ///
  /// Costs a pass over the bytes before the offset, so only errors use it.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let newline = UInt8(ascii: "\n")
    let line = 1 + bytes[..<offset].count { $0 == newline }
    let start = lineRange(around: offset).lowerBound
    return (line, text(in: start..<offset).count + 1)
  }

  /// A line of the query for an error message, with the column of the caret below it.
  ///
  /// A long line is cut around the token, an ellipsis marking each cut. Control characters become
  /// blanks, so that the caret stands where it should.
  ///
  /// - Returns: the line, the number of characters before the caret, and how many characters of
  ///   the token the line shows (at least one).
  func excerpt(of token: Range<Int>) -> (line: String, indentation: Int, length: Int) {
    let line = lineRange(around: token.lowerBound)
    let before = 60
    let after = 40
    var start = line.lowerBound
    if token.lowerBound - start > before {
      start = characterBoundary(token.lowerBound - before)
    }
    var end = line.upperBound
    if end - token.lowerBound > after + before {
      end = characterBoundary(token.lowerBound + after)
    }
    let leading = (start > line.lowerBound ? "…" : "") + printable(start..<token.lowerBound)
    let tokenEnd = Swift.max(token.lowerBound, Swift.min(token.upperBound, end))
    let marked = printable(token.lowerBound..<tokenEnd)
    let trailing = printable(tokenEnd..<end) + (end < line.upperBound ? "…" : "")
    return (leading + marked + trailing, leading.count, Swift.max(1, marked.count))
  }

  /// The bytes of the line that holds `offset`, without its line break.
  private func lineRange(around offset: Int) -> Range<Int> {
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<offset].lastIndex(of: newline).map { $0 + 1 } ?? 0
    var end = bytes[offset...].firstIndex(of: newline) ?? bytes.count
    if end > offset, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return start..<end
  }

  /// The first character boundary at or after `offset`.
  private func characterBoundary(_ offset: Int) -> Int {
    var boundary = offset
    while boundary < bytes.count, bytes[boundary].continuesCharacter { boundary += 1 }
    return boundary
  }

  private func printable(_ range: Range<Int>) -> String {
    String(decoding: bytes[range].map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }
}
