/// A pattern of LIKE: `*` stands for any bytes, `?` for one character of a text or one byte of
/// data, the rest for itself.
///
/// The whole text must match. Runs of stars are one star, and each piece between stars is looked
/// for once, behind the piece before it. Cost of a match: the length of the text, and for pieces
/// with a `?` that almost match in many places a step more for every 64 items of the piece.
struct LikePattern: Sendable {
  /// The pieces between the stars.
  private let pieces: [Piece]
  private let beginsWithStar: Bool
  private let endsWithStar: Bool
  /// The fewest bytes of a text that matches: each `?` has at least one.
  private let leastByteCount: Int
  /// The longest run of literal bytes, which every match contains.
  let longestLiteral: [UInt8]
  /// The literal bytes that every match begins with.
  let beginning: [UInt8]
  /// Whether bytes of 0x80 to 0xBF go on with a character that began before.
  private let isText: Bool

  enum Item: Sendable, Equatable {
    case byte(UInt8)
    case anyCharacter
  }

  /// What stands between two stars; not empty.
  private struct Piece: Sendable {
    let items: [Item]
    /// Finds a piece without a `?`.
    let search: ByteSearch?

    init(_ items: [Item]) {
      self.items = items
      let bytes = items.compactMap { item in if case .byte(let byte) = item { byte } else { nil } }
      search = bytes.count == items.count ? ByteSearch(bytes) : nil
    }
  }

  init(_ pattern: [UInt8], isText: Bool) {
    self.isText = isText
    beginning = Array(pattern.prefix { $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "?") })
    let star = UInt8(ascii: "*")
    var pieces: [[Item]] = []
    var piece: [Item] = []
    for byte in pattern {
      if byte == star {
        if !piece.isEmpty { pieces.append(piece) }
        piece = []
      } else {
        piece.append(byte == UInt8(ascii: "?") ? .anyCharacter : .byte(byte))
      }
    }
    if !piece.isEmpty { pieces.append(piece) }
    self.pieces = pieces.map { Piece($0) }
    leastByteCount = pieces.reduce(0) { $0 + $1.count }
    beginsWithStar = pattern.first == star
    endsWithStar = pattern.last == star

    var longest: [UInt8] = []
    for piece in pieces {
      var run: [UInt8] = []
      for item in piece + [.anyCharacter] {
        if case .byte(let byte) = item {
          run.append(byte)
        } else {
          if run.count > longest.count { longest = run }
          run = []
        }
      }
    }
    longestLiteral = longest
  }

  /// How many steps a match takes for each byte of a long text, at worst.
  static func steps(forEachByteBy pattern: [UInt8]) -> Int {
    let pieces = pattern.split(separator: UInt8(ascii: "*"))
    return pieces.reduce(1) { steps, piece in
      piece.contains(UInt8(ascii: "?")) ? max(steps, 1 + (piece.count + 63) / 64) : steps
    }
  }

  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    guard !pieces.isEmpty else { return beginsWithStar || text.count == 0 }
    // A long pattern costs a short text nothing, however many pieces it has.
    guard text.count >= leastByteCount else { return false }
    var middle = pieces.indices
    if !beginsWithStar {
      let piece = pieces[middle.removeFirst()]
      // SAFETY: the text is lent for the call. Pieces end inside of it, so `start` and `position`
      // are at most its count, and bytes are read from `start` on and below the count only.
      guard let end = unsafe match(piece.items, text, at: 0) else { return false }
      start = end
      if middle.isEmpty { return endsWithStar || start == text.count }
    }
    var last: [Item]?
    if !endsWithStar { last = pieces[middle.removeLast()].items }
    for index in middle {
      var compared = 0
      guard let end = unsafe find(pieces[index], text, from: start, compared: &compared) else {
        return false
      }
      start = end
    }
    guard let last else { return true }
    // The last piece ends the text: step back over its characters.
    var position = text.count
    for item in last.reversed() {
      switch item {
      case .byte(let byte):
        guard position > start, unsafe text[position - 1] == byte else { return false }
        position -= 1
      case .anyCharacter:
        guard position > start else { return false }
        position -= 1
        while isText, position > start, unsafe text[position] & 0xC0 == 0x80 { position -= 1 }
      }
    }
    return position >= start
  }

  /// Where the piece ends when it matches at `start`.
  @inline(__always)
  private func match(_ piece: [Item], _ text: UnsafeRawBufferPointer, at start: Int) -> Int? {
    var compared = 0
    // SAFETY: the same call.
    return unsafe match(piece, text, at: start, compared: &compared)
  }

  @inline(__always)
  private func match(
    _ piece: [Item], _ text: UnsafeRawBufferPointer, at start: Int, compared: inout Int
  ) -> Int? {
    var position = start
    for item in piece {
      compared += 1
      guard position < text.count else { return nil }
      switch item {
      case .byte(let byte):
        // SAFETY: `position` is below the count (above); later ones are compared with it first.
        guard unsafe text[position] == byte else { return nil }
        position += 1
      case .anyCharacter:
        position += 1
        while isText, position < text.count, unsafe text[position] & 0xC0 == 0x80 {
          position += 1
        }
      }
    }
    return position
  }

  /// Where the first match of the pattern's only piece between stars ends; for tests.
  ///
  /// Adds the items that were compared to `compared`.
  func endOfFirstMatch(in text: UnsafeRawBufferPointer, compared: inout Int) -> Int? {
    // SAFETY: the text is lent for the call.
    pieces.first.flatMap { unsafe find($0, text, from: 0, compared: &compared) }
  }

  private func find(
    _ piece: Piece, _ text: UnsafeRawBufferPointer, from start: Int, compared: inout Int
  ) -> Int? {
    if let search = piece.search {
      // No character begins with the bytes that go on with one, so a text has no match inside one.
      // SAFETY: the search reads from `start` on, which is not negative, to the end of the text.
      return unsafe search.firstMatch(in: text, from: start, compared: &compared)
        .map { $0 + piece.items.count }
    }
    var position = start
    while position <= text.count {
      // Inside a character nothing begins.
      // SAFETY: `position` is compared with the count before the byte is read.
      let isInside = unsafe isText && position < text.count && text[position] & 0xC0 == 0x80
      if !isInside {
        if let end = unsafe match(piece.items, text, at: position, compared: &compared) {
          return end
        }
        if compared > (position - start) * Self.patience + piece.items.count * 4 {
          return unsafe findByBits(piece.items, text, from: position + 1, compared: &compared)
        }
      }
      position += 1
    }
    return nil
  }

  /// So many items may be compared for each byte gone by.
  private static let patience = 16

  /// Finds a piece by all its beginnings that match so far, a bit for each.
  ///
  /// The idea is that of Baeza-Yates and Gonnet, "A New Approach to Text Searching", 1992.
  private func findByBits(
    _ items: [Item], _ text: UnsafeRawBufferPointer, from start: Int, compared: inout Int
  ) -> Int? {
    let wordCount = (items.count + 63) / 64
    /// For each byte the items that it matches, or begins to match.
    var matched = [UInt64](repeating: 0, count: 256 * wordCount)
    /// The items that go on with the bytes inside a character.
    var goesOn = [UInt64](repeating: 0, count: wordCount)
    for (index, item) in items.enumerated() {
      let bit: UInt64 = 1 << UInt64(index & 63)
      switch item {
      case .byte(let byte): matched[Int(byte) * wordCount + index >> 6] |= bit
      case .anyCharacter:
        goesOn[index >> 6] |= bit
        for byte in 0..<256 where !isText || byte & 0xC0 != 0x80 {
          matched[byte * wordCount + index >> 6] |= bit
        }
      }
    }
    var states = [UInt64](repeating: 0, count: wordCount)
    let last: UInt64 = 1 << UInt64((items.count - 1) & 63)
    for position in start..<max(start, text.count) {
      // SAFETY: the range ends with the text; `end` is compared with its count (below).
      let byte = unsafe Int(text[position])
      let isInside = isText && byte & 0xC0 == 0x80
      // A match may begin at every character.
      var carry: UInt64 = isInside ? 0 : 1
      for word in 0..<wordCount {
        let before = states[word]
        var after = (before << 1 | carry) & matched[byte * wordCount + word]
        if isInside { after |= before & goesOn[word] }
        carry = before >> 63
        states[word] = after
      }
      compared += wordCount
      if states[wordCount - 1] & last != 0 {
        var end = position + 1
        if items.last == .anyCharacter, isText {
          while end < text.count, unsafe text[end] & 0xC0 == 0x80 { end += 1 }
        }
        return end
      }
    }
    return nil
  }
}
