/// Finds a run of bytes in others.
///
/// Compares two bytes of the needle at sixteen places at once and looks closer
/// where both agree. Cost: about a tenth of a nanosecond a byte of the haystack where the two are
/// rare. Where looking closer takes many times the bytes gone by, as with a needle of equal bytes
/// and one other, the rest is searched by the borders of the needle: so the cost grows with the
/// sum of both lengths, whatever they hold.
struct ByteSearch: Sendable {
  let needle: [UInt8]
  /// The places of the two bytes that are compared first: the rarest ones, by their kind.
  private let probes: (first: Int, second: Int)

  init(_ needle: [UInt8]) {
    self.needle = needle
    var (first, second): (Int?, Int?)
    for index in needle.indices {
      // Of equally rare bytes the later ones: texts differ more towards their ends.
      func isAsRare(as other: Int?) -> Bool {
        other.map { Self.frequency(needle[index]) <= Self.frequency(needle[$0]) } ?? true
      }
      if isAsRare(as: first) {
        (first, second) = (index, first)
      } else if isAsRare(as: second) {
        second = index
      }
    }
    probes = (first ?? 0, second ?? first ?? 0)
  }

  /// How common a byte is in texts, roughly.
  private static func frequency(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "e"), UInt8(ascii: "a"): 4
    case UInt8(ascii: "a")...UInt8(ascii: "z"): 3
    case 0x80...: 2
    case UInt8(ascii: "0")...UInt8(ascii: "9"): 1
    default: 1
    }
  }

  func isContained(in haystack: UnsafeRawBufferPointer) -> Bool {
    unsafe firstMatch(in: haystack, from: 0) != nil
  }

  /// Where the needle begins at or after `start`; nil when it does not occur.
  @inline(__always)
  func firstMatch(in haystack: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var compared = 0
    return unsafe firstMatch(in: haystack, from: start, compared: &compared)
  }

  /// The same; adds the bytes that were compared one by one to `compared`.
  @inline(__always)
  func firstMatch(
    in haystack: UnsafeRawBufferPointer, from start: Int, compared: inout Int
  ) -> Int? {
    let length = needle.count
    guard length > 0 else { return start <= haystack.count ? start : nil }
    let limit = haystack.count - length
    guard start <= limit, let bytes = haystack.baseAddress else { return nil }
    return unsafe needle.withUnsafeBufferPointer { needle in
      let (place, otherPlace) = probes
      let first = unsafe SIMD16<UInt8>(repeating: needle[place])
      let last = unsafe SIMD16<UInt8>(repeating: needle[otherPlace])
      let zero = SIMD16<UInt8>(repeating: 0)
      let one = SIMD16<UInt8>(repeating: 1)
      var position = start
      // Up to here, the next match may be close.
      var near = start
      // SAFETY: both loads end at or before the end of the haystack, as position + 15 is at most
      // `limit`; the closer look stays within a match that fits.
      while position + 15 <= limit {
        // Most bytes are far from any match: 64 places are looked at before anything is decided.
        while position >= near, position &+ 63 <= limit {
          var differences = SIMD16<UInt8>(repeating: 1)
          var part = 0
          while part < 64 {
            let a = unsafe bytes.loadUnaligned(
              fromByteOffset: position &+ part &+ place, as: SIMD16<UInt8>.self)
            let b = unsafe bytes.loadUnaligned(
              fromByteOffset: position &+ part &+ otherPlace, as: SIMD16<UInt8>.self)
            // The least difference of each lane: 0 where both bytes agree anywhere.
            let both = (a ^ first) | (b ^ last)
            differences.replace(with: both, where: both .< differences)
            part &+= 16
          }
          let missed = one &- differences
          let halves = unsafe unsafeBitCast(missed, to: SIMD2<UInt64>.self)
          if halves[0] | halves[1] != 0 {
            near = position &+ 64
            break
          }
          position &+= 64
        }
        guard position + 15 <= limit else { break }
        let a = unsafe bytes.loadUnaligned(
          fromByteOffset: position &+ place, as: SIMD16<UInt8>.self)
        let b = unsafe bytes.loadUnaligned(
          fromByteOffset: position &+ otherPlace, as: SIMD16<UInt8>.self)
        let hits = zero.replacing(with: one, where: ((a ^ first) | (b ^ last)) .== zero)
        let halves = unsafe unsafeBitCast(hits, to: SIMD2<UInt64>.self)
        if halves[0] | halves[1] != 0 {
          var lanes =
            LaneBits.bits(ofBytes: halves[0]) | LaneBits.bits(ofBytes: halves[1]) &<< 8
          while lanes != 0 {
            let match = position &+ lanes.trailingZeroBitCount
            let equal = unsafe Self.equalCount(bytes + match, needle)
            if equal == length { return match }
            compared &+= equal
            if compared > (match &- start) &* Self.patience &+ length &* 4 {
              return unsafe Self.matchByBorders(
                bytes, match &+ 1..<haystack.count, needle, &compared)
            }
            lanes &= lanes &- 1
          }
        }
        position &+= 16
      }
      while position <= limit {
        if unsafe bytes.load(fromByteOffset: position, as: UInt8.self) == needle[0],
          unsafe Self.equalCount(bytes + position, needle) == length
        {
          return position
        }
        position += 1
      }
      return nil
    }
  }

  /// So many bytes may be compared one by one for each byte gone by.
  private static let patience = 8

  /// How many bytes of the needle are there, up to the first that is not.
  @inline(__always)
  private static func equalCount(
    _ bytes: UnsafeRawPointer, _ needle: UnsafeBufferPointer<UInt8>
  ) -> Int {
    for index in 0..<needle.count
    where unsafe bytes.load(fromByteOffset: index, as: UInt8.self) != needle[index] {
      return index
    }
    return needle.count
  }

  /// The first match that begins in `range`, by the algorithm of Knuth, Morris and Pratt.
  ///
  /// A border is what a beginning of the needle both begins and ends with: after a byte that does
  /// not fit, so much of the needle is still there.
  private static func matchByBorders(
    _ bytes: UnsafeRawPointer, _ range: Range<Int>, _ needle: UnsafeBufferPointer<UInt8>,
    _ compared: inout Int
  ) -> Int? {
    var borders = [Int](repeating: 0, count: needle.count)
    var length = 0
    for index in needle.indices.dropFirst() {
      while length > 0, unsafe needle[index] != needle[length] { length = borders[length - 1] }
      if unsafe needle[index] == needle[length] { length += 1 }
      borders[index] = length
    }
    compared += needle.count + range.count
    length = 0
    for position in range {
      // SAFETY: the range is in the haystack.
      let byte = unsafe bytes.load(fromByteOffset: position, as: UInt8.self)
      while length > 0, unsafe byte != needle[length] { length = borders[length - 1] }
      if unsafe byte == needle[length] { length += 1 }
      if length == needle.count { return position + 1 - length }
    }
    return nil
  }
}
