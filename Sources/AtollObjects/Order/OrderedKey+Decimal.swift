// The key of a decimal: two bytes for kind, sign and magnitude, then the digits.
//
//     head, big-endian        digits                                end
//     0x0000  NaN             none
//     0x0001  -infinity       none
//     0x8000 - m  negative    each pair p as 0xFE - p (0x9B...0xFE)   0xFF
//     0x8000  zero            none
//     0x8000 + m  positive    each pair p as p + 1   (0x01...0x64)    0x00
//     0xFFFF  +infinity       none
//
// m is the power of ten of the first digit plus 6177, so 1...12321. The digits
// are those of the coefficient without trailing zeros, two to a pair p in
// 0...99, the last pair filled with a zero. A longer number with the same first
// pairs is farther from zero, and the terminator sorts accordingly. 4 to 20
// bytes; an amount such as 12.50 takes 5.

private let zeroHead: UInt16 = 0x8000
private let nanHead: UInt16 = 0x0000
private let negativeInfinityHead: UInt16 = 0x0001
private let positiveInfinityHead: UInt16 = 0xFFFF
private let magnitudeBias = 1 - Decimal128.minExponent

extension OrderedKey {
  static func append(_ value: Decimal128, to bytes: inout [UInt8]) {
    guard let parts = value.normalizedParts else {
      let infinityHead = value.isNegative ? negativeInfinityHead : positiveInfinityHead
      bytes.appendBigEndian(value.isNaN ? nanHead : infinityHead)
      return
    }
    guard parts.coefficient != 0 else {
      bytes.appendBigEndian(zeroHead)
      return
    }
    let magnitude = UInt16(parts.leadingExponent + magnitudeBias)
    let isNegative = parts.isNegative
    bytes.appendBigEndian(isNegative ? zeroHead - magnitude : zeroHead + magnitude)

    let digitCount = parts.coefficient.decimalDigitCount
    var rest = digitCount % 2 == 0 ? parts.coefficient : parts.coefficient * 10
    let start = bytes.count
    let flip: UInt8 = isNegative ? 0xFF : 0x00
    while rest >> 64 != 0 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      bytes.append(UInt8(truncatingIfNeeded: pair) + 1 ^ flip)
      rest = quotient
    }
    var lowRest = UInt64(truncatingIfNeeded: rest)
    while lowRest != 0 {
      bytes.append(UInt8(truncatingIfNeeded: lowRest % 100) + 1 ^ flip)
      lowRest /= 100
    }
    bytes[start...].reverse()
    bytes.append(flip)
  }

  /// Takes the key of a decimal, without its tag.
  ///
  /// - Throws: `.invalidContents` for digits no encoder writes: pairs beyond 99,
  ///   zeros in front or at the end, more than 34 digits, exponents out of range.
  static func decimal(
    in bytes: borrowing RawSpan, at cursor: inout ByteCursor
  ) throws(ValueCodingError) -> Decimal128 {
    let start = cursor.offset
    let head = try cursor.bigEndian(UInt16.self, in: bytes)
    switch head {
    case nanHead: return .nan
    case negativeInfinityHead: return -.infinity
    case zeroHead: return .zero
    case positiveInfinityHead: return .infinity
    default: break
    }

    let isNegative = head < zeroHead
    let flip: UInt8 = isNegative ? 0xFF : 0x00
    var coefficient: UInt128 = 0
    var pairCount = 0
    var lastPair: UInt8 = 0
    while true {
      let byte = try cursor.byte(in: bytes) ^ flip
      if byte == 0 { break }
      guard byte <= 100, pairCount < 17 else { throw .invalidContents(byteOffset: start) }
      lastPair = byte - 1
      guard pairCount > 0 || lastPair >= 10 else { throw .invalidContents(byteOffset: start) }
      coefficient = coefficient * 100 + UInt128(lastPair)
      pairCount += 1
    }
    guard pairCount > 0, lastPair != 0 else { throw .invalidContents(byteOffset: start) }

    var digitCount = pairCount * 2
    if lastPair % 10 == 0 {
      coefficient /= 10
      digitCount -= 1
    }
    let magnitude = isNegative ? zeroHead - head : head - zeroHead
    var exponent = Int(magnitude) - magnitudeBias - (digitCount - 1)
    // A normal form may lie above the largest exponent; zeros bring it back.
    let padding = max(exponent - Decimal128.maxExponent, 0)
    guard exponent >= Decimal128.minExponent, padding <= Decimal128.digitLimit - digitCount else {
      throw .invalidContents(byteOffset: start)
    }
    exponent -= padding
    return Decimal128(
      Decimal128.Finite(
        isNegative: isNegative, coefficient: coefficient * UInt128.powersOfTen[padding],
        exponent: exponent))
  }
}
