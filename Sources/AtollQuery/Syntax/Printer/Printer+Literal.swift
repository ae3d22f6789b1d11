extension Printer {
  mutating func print(_ literal: QuerySyntax.Literal) {
    switch literal {
    case .null: print("NULL")
    case .bool(let value): print(value ? "TRUE" : "FALSE")
    case .int(let value): print(String(value))
    case .double(let number): print(number.digits)
    case .float32(let number): print("\(number.digits)f")
    case .infinity(let isNegative): print(isNegative ? "-INF" : "INF")
    case .notANumber: print("NAN")
    case .string(let string): printString(string)
    case .data(let bytes): print("bin(B64\"\(Self.base64(bytes))\")")
    case .date(let seconds, let nanoseconds): print("T\(seconds):\(nanoseconds)")
    case .objectID(let bytes): print("oid(\(Self.hexadecimal(bytes[...])))")
    case .uuid(let bytes): print("uuid(\(Self.uuidText(bytes)))")
    case .decimal(let digits): print("decimal(\(digits))")
    case .object(let origin, let key):
      print("obj(")
      printString(origin.value)
      print(", ")
      print(key.value.literal)
      print(")")
    case .argument(let index): print("$\(index)")
    }
  }

  /// Prints a string in single quotes; control characters become escapes.
  mutating func printString(_ string: String) {
    var quoted = "'"
    for scalar in string.unicodeScalars {
      switch scalar {
      case "'": quoted += #"\'"#
      case "\\": quoted += #"\\"#
      case "\n": quoted += #"\n"#
      case "\r": quoted += #"\r"#
      case "\t": quoted += #"\t"#
      case "\u{8}": quoted += #"\b"#
      case "\u{C}": quoted += #"\f"#
      case "\0": quoted += #"\0"#
      case "\u{1}"..<" ", "\u{7F}":
        quoted += #"\u00"# + Self.hexadecimal([UInt8(truncatingIfNeeded: scalar.value)])
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    print(quoted + "'")
  }

  static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      text += String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
    }
  }

  /// The bytes in the groups 8-4-4-4-12.
  private static func uuidText(_ bytes: [UInt8]) -> String {
    [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
      .map { hexadecimal(bytes[$0.clamped(to: 0..<bytes.count)]) }
      .joined(separator: "-")
  }

  /// The bytes in the standard base64 alphabet, padded (RFC 4648, section 4).
  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for index in 0..<3 {
        bits = bits << 8 | UInt32(index < group.count ? group[start + index] : 0)
      }
      for digit in 0..<4 {
        let value = Int(bits >> UInt32(18 - 6 * digit) & 0x3F)
        text.append(digit <= group.count ? alphabet[value] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
