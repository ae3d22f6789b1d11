/// The classes of bytes that tokens are made of.
extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  var isLetter: Bool {
    let lowercase = self | 0x20
    return lowercase >= UInt8(ascii: "a") && lowercase <= UInt8(ascii: "z")
  }

  /// Space, tab, carriage return, newline: they separate tokens and mean nothing else.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }

  /// Whether a name can begin here, as it can with every multi-byte character.
  var startsName: Bool {
    isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self >= 0x80
  }

  /// Whether a name goes on here, as with a hyphen: `berths-1` is one name.
  var continuesName: Bool { startsName || isDigit || self == UInt8(ascii: "-") }

  /// Whether this is the second, third or fourth byte of a UTF-8 character.
  var continuesCharacter: Bool { self & 0xC0 == 0x80 }

  /// The value of a hexadecimal digit.
  var hexadecimalValue: UInt8? {
    if isDigit { return self - UInt8(ascii: "0") }
    let lowercase = self | 0x20
    guard lowercase >= UInt8(ascii: "a"), lowercase <= UInt8(ascii: "f") else { return nil }
    return lowercase - UInt8(ascii: "a") + 10
  }

  /// The value of a digit of the standard base64 alphabet (RFC 4648, section 4).
  var base64Value: UInt8? {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): self - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): self - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
