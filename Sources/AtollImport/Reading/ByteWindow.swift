/// The part of a data file that is in memory, with the place of its cursor in lines and columns.
///
/// Holds one chunk and the token that straddles its end, so memory follows the longest token
/// and not the file.
///
/// Invariants:
/// 1. `cursor <= count < bytes.count`, and `bytes[count]` is zero: a loop that stops at a
///    control character needs no second comparison with `count`.
/// 2. `lineStart` is the file offset of the first byte of `line`, and `continuationByteCount`
///    counts the UTF-8 continuation bytes between it and the cursor. Code that moves the cursor
///    over a line feed or over bytes from 0x80 keeps this true.
struct ByteWindow: ~Copyable {
  private let source: any ByteSource
  private(set) var bytes: [UInt8]
  private(set) var count = 0
  var cursor = 0
  var continuationByteCount = 0
  private(set) var line = 1
  private var windowOffset = 0
  private var lineStart = 0

  init(_ source: any ByteSource, chunkByteCount: Int = 1 << 18) {
    precondition(chunkByteCount >= 4, "a byte order mark fits")
    self.source = source
    bytes = [UInt8](repeating: 0, count: chunkByteCount + 1)
  }

  /// The file offset of the cursor, in bytes.
  var byteOffset: Int { windowOffset + cursor }

  var position: SourcePosition {
    SourcePosition(line: line, column: byteOffset - lineStart - continuationByteCount + 1)
  }

  /// Drops the bytes before `start` and reads more behind the rest; indexes shift by `start`.
  ///
  /// - Returns: false at the end of the data; the bytes before `start` are dropped all the same.
  mutating func refill(keepingFrom start: Int) throws(ImportError) -> Bool {
    precondition(start <= cursor, "the cursor stays in the window")
    if start > 0 {
      for index in start..<count { bytes[index - start] = bytes[index] }
      count -= start
      cursor -= start
      windowOffset += start
    }
    if count == bytes.count - 1 {
      bytes.append(contentsOf: repeatElement(0, count: bytes.count))
    }
    let more: Int
    do {
      // The last byte of the array is kept for the zero.
      more = try source.read(into: &bytes, at: count..<bytes.count - 1)
    } catch {
      throw .input(error)
    }
    count += more
    bytes[count] = 0
    return more > 0
  }

  /// The byte at the cursor, nil at the end of the data.
  @inline(__always)
  mutating func peek() throws(ImportError) -> UInt8? {
    if cursor < count { return bytes[cursor] }
    return try refill(keepingFrom: cursor) ? bytes[cursor] : nil
  }

  /// Records that the byte before the cursor was a line feed.
  mutating func startLine() {
    line += 1
    lineStart = byteOffset
    continuationByteCount = 0
  }

  /// Passes over a UTF-8 byte order mark at the beginning of the data.
  mutating func skipByteOrderMark() throws(ImportError) {
    precondition(byteOffset == 0, "a byte order mark stands at the beginning")
    while count < 3, try refill(keepingFrom: 0) {}
    guard count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF else { return }
    cursor = 3
    lineStart = 3
  }

  /// The text at the cursor, for an error message.
  mutating func found() throws(ImportError) -> DataProblem.Found {
    while count - cursor < 4, try refill(keepingFrom: cursor) {}
    guard cursor < count else { return .endOfData }
    var iterator = bytes[cursor..<min(count, cursor + 4)].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
      return .byte(bytes[cursor])
    }
    return .character(scalar)
  }

  /// The error that something else than `expected` stands at the cursor.
  mutating func unexpected(_ expected: DataProblem.Expectation) throws(ImportError) -> ImportError {
    let place = position
    return .data(.unexpected(try found(), expected: expected), at: place)
  }

  /// The text of `range`, or the error that names its first byte which is not UTF-8.
  ///
  /// `range` lies in the window; `start` is the position of its first byte.
  func text(_ range: Range<Int>, start: SourcePosition) throws(ImportError) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
    } catch {
      throw .data(.invalidUTF8, at: invalidPlace(range, start: start))
    }
  }

  private func invalidPlace(_ range: Range<Int>, start: SourcePosition) -> SourcePosition {
    var place = start
    var iterator = bytes[range].makeIterator()
    var decoder = UTF8()
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      place.column += 1
      if scalar == "\n" {
        place.line += 1
        place.column = 1
      }
    }
    return place
  }
}
