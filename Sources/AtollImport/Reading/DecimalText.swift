import AtollObjects

/// The text of a decimal, and whether a decimal128 holds it, with all its digits.
///
/// Infinity has a name, not digits, and only zero becomes zero.
enum DecimalText {
  case number(Decimal128)
  case tooLarge
  case tooSmall
  /// It has more digits than the 34 of a decimal128, or than there are near to zero.
  case inexact

  /// Nil when the text is no decimal.
  init?(_ text: String) {
    guard let number = Decimal128(text) else { return nil }
    let significand = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    if number.isInfinite, significand.contains(where: { (48...57).contains($0) }) {
      self = .tooLarge
    } else if number.isZero, significand.contains(where: { (49...57).contains($0) }) {
      self = .tooSmall
    } else if number.isFinite, Self.mayBeRounded(text),
      Self.digits(text) != Self.digits(number.description)
    {
      self = .inexact
    } else {
      self = .number(number)
    }
  }

  /// False for most texts of numbers with 34 digits at most, whose last one is not near to zero.
  private static func mayBeRounded(_ text: String) -> Bool {
    text.utf8.count > 34 || text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
  }

  /// The digits from the first to the last one that is not zero, and the exponent of the last one.
  ///
  /// `text`: that of a finite number.
  private static func digits(_ text: String) -> (digits: [UInt8], exponent: Int) {
    var digits: [UInt8] = []
    var exponent = 0
    var hasPoint = false
    var bytes = text.utf8[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
        if hasPoint { exponent -= 1 }
      case UInt8(ascii: "."): hasPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        // Of a finite number it has few digits, or the number is zero.
        exponent += Int(String(decoding: bytes, as: UTF8.self)) ?? 0
        bytes = bytes.dropFirst(bytes.count)
      default: break
      }
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    return (digits, digits.isEmpty ? 0 : exponent)
  }
}
