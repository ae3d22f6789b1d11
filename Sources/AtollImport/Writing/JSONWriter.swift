/// Writes values as JSON text, one object a line.
///
/// Data is base64. Doubles have the fewest digits that read back as the same double; infinities and
/// NaN, which JSON has no notation for, are the strings "inf", "-inf" and "nan". Text is UTF-8,
/// with escapes only where RFC 8259 requires them.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Empties the buffer and keeps its capacity.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
  }

  package mutating func object(_ names: [String], _ values: [OutputValue]) {
    precondition(names.count == values.count, "a value for each name")
    bytes.append(UInt8(ascii: "{"))
    for index in names.indices { entry(names[index], values[index], isFirst: index == 0) }
    bytes.append(UInt8(ascii: "}"))
  }

  package mutating func value(_ value: OutputValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .int(let value): raw(String(value))
    case .float(let value): number(value)
    case .double(let value): number(value)
    case .string(let text): string(text)
    case .data(let data): raw("\"" + Base64.encode(data) + "\"")
    case .list(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        self.value(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .map(let entries):
      bytes.append(UInt8(ascii: "{"))
      for (index, entry) in entries.enumerated() {
        self.entry(entry.name, entry.value, isFirst: index == 0)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func entry(_ name: String, _ value: OutputValue, isFirst: Bool) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    string(name)
    bytes.append(UInt8(ascii: ":"))
    self.value(value)
  }

  private mutating func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ value: Number
  ) {
    if value.isNaN {
      raw("\"nan\"")
    } else if value.isInfinite {
      raw(value < 0 ? "\"-inf\"" : "\"inf\"")
    } else {
      raw(value.description)
    }
  }

  private mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: raw("\\n")
      case 0x0D: raw("\\r")
      case 0x09: raw("\\t")
      case 0..<0x20: raw((byte < 16 ? "\\u000" : "\\u00") + String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func raw(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }
}

/// One value as JSON text.
package func json(_ value: OutputValue) -> String {
  var writer = JSONWriter()
  writer.value(value)
  return String(decoding: writer.bytes, as: UTF8.self)
}
