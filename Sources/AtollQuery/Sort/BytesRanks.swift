/// Ranks strings or data by some of their bytes, in as few bits as these need.
///
/// At each of up to twelve places only some bytes occur: the digits of a number, a few letters. A
/// place is a digit of a number system of its own, with as many values as bytes were seen there;
/// the end of the string is one, and the least. What sixty bits hold of eight bytes as they lie is
/// often fifteen bytes here.
///
/// Invariant: of strings that were all noted, one that is below another has no greater rank.
struct BytesRanks {
  /// Bytes that are looked at, at most.
  static let length = 12
  /// A place has an end or one of 256 bytes.
  private static let symbolCount = 257

  private var isSeen = [Bool](repeating: false, count: length * symbolCount)
  /// What a symbol at a place adds to the rank.
  private var weights: [UInt64] = []
  /// The places that ranks tell apart.
  private(set) var placeCount = 0
  /// Ranks are below it.
  private(set) var limit: UInt64 = 1
  /// The digits that are 0 when the string ends there or before.
  private var ends: [(unit: UInt64, radix: UInt64)] = []

  /// Takes note of the bytes from `offset` on.
  @inline(__always)
  mutating func note(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
    let count = max(0, min(bytes.count - offset, Self.length))
    unsafe isSeen.withUnsafeMutableBufferPointer { isSeen in
      var symbol = 1
      for place in 0..<count {
        // SAFETY: `offset` + `place` is below the count of bytes, and a place has 257 symbols.
        unsafe isSeen[symbol &+ Int(bytes[offset &+ place])] = true
        symbol &+= Self.symbolCount
      }
      if count < Self.length { unsafe isSeen[symbol &- 1] = true }
    }
  }

  /// Gives each symbol its weight, with ranks below 2^`bitCount`, of the first `placeLimit` places.
  ///
  /// - Precondition: `bitCount` is at least 9.
  mutating func finish(bitCount: Int, placeLimit: Int) {
    precondition(bitCount >= 9, "one place fits")
    weights = Array(repeating: 0, count: Self.length * Self.symbolCount)
    let radices = (0..<Self.length).map { place in
      isSeen[place * Self.symbolCount..<(place + 1) * Self.symbolCount].count { $0 }
    }
    placeCount = 0
    limit = 1
    while placeCount < placeLimit {
      let (product, overflow) = limit.multipliedReportingOverflow(
        by: UInt64(max(1, radices[placeCount])))
      guard !overflow, product <= 1 << UInt64(bitCount) else { break }
      limit = product
      placeCount += 1
    }
    var unit: UInt64 = 1
    for place in (0..<placeCount).reversed() {
      var weight: UInt64 = 0
      for symbol in 0..<Self.symbolCount where isSeen[place * Self.symbolCount + symbol] {
        weights[place * Self.symbolCount + symbol] = weight
        weight += unit
      }
      let radix = UInt64(max(1, radices[place]))
      if isSeen[place * Self.symbolCount] { ends.append((unit, radix)) }
      unit *= radix
    }
  }

  /// The rank of bytes that were noted.
  @inline(__always)
  func rank(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
    let count = max(0, min(bytes.count - offset, placeCount))
    return unsafe weights.withUnsafeBufferPointer { weights in
      var rank: UInt64 = 0
      var symbol = 1
      for place in 0..<count {
        // SAFETY: as in `note`. The end is the least symbol of its place and adds nothing.
        unsafe rank &+= weights[symbol &+ Int(bytes[offset &+ place])]
        symbol &+= Self.symbolCount
      }
      return rank
    }
  }

  /// Whether the strings of a rank end within the places that ranks tell apart.
  ///
  /// Otherwise none of them does, as the end is a symbol of its own.
  func isEnd(_ rank: UInt64) -> Bool { ends.contains { rank / $0.unit % $0.radix == 0 } }
}
