extension JSONReader {
  /// Reads a number; the cursor is at its sign or first digit.
  ///
  /// Without fraction and exponent it is an integer, one beyond 64 bits by its digits: to read it
  /// as a double would change its value silently. The digits of others are kept for decimals.
  mutating func number() throws(ImportError) -> DataValue {
    let position = window.position
    let start = try gatherNumber()
    let number = NumberText(window.bytes, from: start)
    window.cursor = number.end
    switch number.failure {
    case .missingDigit: throw try window.unexpected(.digit)
    case .leadingZero: throw .data(.leadingZero, at: position)
    case nil: break
    }
    if number.isInteger {
      return number.integer.map(DataValue.int) ?? .longInt(number.text(in: window.bytes))
    }
    return number.double(in: window.bytes)
  }

  /// Brings all bytes that could belong to the number into the window, whose cursor goes behind
  /// them.
  ///
  /// - Returns: the index of the number's first byte.
  private mutating func gatherNumber() throws(ImportError) -> Int {
    var start = window.cursor
    while true {
      switch window.bytes[window.cursor] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        window.cursor += 1
      default:
        guard window.cursor == window.count else { return start }
        let isAtEnd = try !window.refill(keepingFrom: start)
        start = 0
        if isAtEnd { return start }
      }
    }
  }
}
