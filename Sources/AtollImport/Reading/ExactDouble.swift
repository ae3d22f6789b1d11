/// Integers beyond 64 bits that a double equals.
enum ExactDouble {
  /// The double that equals the integer of these digits; nil when none does.
  ///
  /// `digits`: a sign or none, then digits, the first of them no zero.
  static func value(_ digits: String) -> Double? {
    guard let nearest = Double(digits), nearest.isFinite else { return nil }
    let text = digits.utf8.first == UInt8(ascii: "-") ? digits.utf8.dropFirst() : digits.utf8[...]
    return Self.digits(of: nearest.magnitude).elementsEqual(text) ? nearest : nil
  }

  /// The decimal digits of a double from 2^53 on, which is an integer.
  ///
  /// Cost: for each doubling a pass over the digits, 18 at a time; of the largest about 20 µs.
  private static func digits(of value: Double) -> [UInt8] {
    let limit: UInt64 = 1_000_000_000_000_000_000
    var limbs = [value.significandBitPattern | 1 << 52]
    for _ in 0..<max(0, Int(value.exponent) - 52) {
      var carry: UInt64 = 0
      for index in limbs.indices {
        let doubled = limbs[index] * 2 + carry
        carry = doubled >= limit ? 1 : 0
        limbs[index] = doubled - carry * limit
      }
      if carry > 0 { limbs.append(carry) }
    }
    var text = Array(String(limbs.removeLast()).utf8)
    for limb in limbs.reversed() {
      let digits = Array(String(limb).utf8)
      text += repeatElement(UInt8(ascii: "0"), count: 18 - digits.count)
      text += digits
    }
    return text
  }
}
