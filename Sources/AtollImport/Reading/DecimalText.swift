import AtollObjects

/// The text of a decimal, and whether a decimal128 holds it.
///
/// Digits beyond 34 are rounded; infinity has a name, not digits, and only zero becomes zero.
enum DecimalText {
  case number(Decimal128)
  case tooLarge
  case tooSmall

  /// Nil when the text is no decimal.
  init?(_ text: String) {
    guard let number = Decimal128(text) else { return nil }
    let significand = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    if number.isInfinite, significand.contains(where: { (48...57).contains($0) }) {
      self = .tooLarge
    } else if number.isZero, significand.contains(where: { (49...57).contains($0) }) {
      self = .tooSmall
    } else {
      self = .number(number)
    }
  }
}
