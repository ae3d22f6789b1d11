/// A pattern of LIKE: `*` stands for any bytes, `?` for one character of a text or one byte of data,
/// the rest for itself.
///
/// The whole text must match. Runs of stars are one star. Cost of a match: the text for each
/// piece between stars, so no pattern takes more than the product of the two lengths.
struct LikePattern: Sendable {
  /// The pieces between the stars; each a run of bytes in which `wildcards` mark the `?`.
  private let pieces: [[Item]]
  private let beginsWithStar: Bool
  private let endsWithStar: Bool
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
    self.pieces = pieces
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

  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    var start = 0
    var pieces = pieces[...]
    guard !pieces.isEmpty else { return beginsWithStar || text.count == 0 }
    if !beginsWithStar {
      let piece = pieces.removeFirst()
      guard let end = unsafe match(piece, text, at: 0) else { return false }
      start = end
      if pieces.isEmpty { return endsWithStar || start == text.count }
    }
    var last: [Item]?
    if !endsWithStar { last = pieces.removeLast() }
    for piece in pieces {
      guard let end = unsafe find(piece, text, from: start) else { return false }
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
  private func match(
    _ piece: [Item], _ text: UnsafeRawBufferPointer, at start: Int
  ) -> Int? {
    var position = start
    for item in piece {
      guard position < text.count else { return nil }
      switch item {
      case .byte(let byte):
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

  private func find(
    _ piece: [Item], _ text: UnsafeRawBufferPointer, from start: Int
  ) -> Int? {
    var position = start
    while position <= text.count {
      // Inside a character nothing begins.
      let isInside = unsafe isText && position < text.count && text[position] & 0xC0 == 0x80
      if !isInside, let end = unsafe match(piece, text, at: position) { return end }
      position += 1
    }
    return nil
  }
}
