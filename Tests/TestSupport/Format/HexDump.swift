/// The worked dumps of Format.md: bytes on the left, what they are on the right.
package enum HexDump {
  private static let bytesPerLine = 16
  /// Longer fields are cut after this many bytes, but for the count of what follows.
  private static let fieldByteLimit = 48
  private static let meaningLimit = 48

  /// Renders fields that follow each other; `bytes` are what their offsets count in.
  package static func render(_ fields: [FormatField], of bytes: [UInt8]) -> [String] {
    fields.flatMap { field in
      let contents = Array(bytes[field.byteOffset..<field.byteOffset + field.byteCount])
      if contents.count > 16, contents.allSatisfy({ $0 == 0 }) {
        let text = "(\(contents.count) zero bytes)"
        return [line(field.byteOffset, text, field.name, field.meaning)]
      }
      let shown = contents.prefix(fieldByteLimit)
      var lines: [String] = []
      for start in stride(from: 0, to: shown.count, by: bytesPerLine) {
        let row = shown[start..<min(start + bytesPerLine, shown.count)]
        let isFirst = start == 0
        lines.append(
          line(
            field.byteOffset + start, row.map(digits).joined(separator: " "),
            isFirst ? field.name : "", isFirst ? field.meaning : ""))
      }
      if contents.count > shown.count {
        lines.append(
          line(
            field.byteOffset + shown.count, "(\(contents.count - shown.count) more bytes)", "", ""))
      }
      return lines
    }
  }

  /// The bytes of the rows of a dump, with the offset of each row.
  package static func parse(_ lines: [String]) -> [(byteOffset: Int, bytes: [UInt8])] {
    lines.compactMap { line in
      let words = line.split(separator: " ", maxSplits: 1)
      guard let first = words.first, let offset = Int(first, radix: 16), words.count == 2 else {
        return nil
      }
      // The bytes end at the first gap of two spaces, or with the line.
      let columns = words[1].drop { $0 == " " }
      var bytes: [UInt8] = []
      var rest = columns[...]
      while let byte = UInt8(rest.prefix(2), radix: 16), rest.prefix(2).count == 2 {
        bytes.append(byte)
        rest = rest.dropFirst(2)
        guard rest.first == " ", rest.dropFirst().first != " " else { break }
        rest = rest.dropFirst()
      }
      return bytes.isEmpty ? nil : (offset, bytes)
    }
  }

  private static func line(_ offset: Int, _ bytes: String, _ name: String, _ meaning: String)
    -> String
  {
    let width = bytesPerLine * 3 - 1
    var text = String(offset, radix: 16)
    text = String(repeating: "0", count: max(0, 4 - text.count)) + text
    guard !name.isEmpty else { return text + "  " + bytes }
    text += "  " + bytes + String(repeating: " ", count: max(0, width - bytes.count)) + "  " + name
    guard !meaning.isEmpty else { return text }
    let isLong = meaning.count > meaningLimit
    return text + ": " + (isLong ? meaning.prefix(meaningLimit - 1) + "…" : meaning)
  }

  private static func digits(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
