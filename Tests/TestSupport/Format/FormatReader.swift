/// An error in the bytes of a file, by Format.md.
package struct FormatError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A run of bytes that Format.md names, with what they mean here.
package struct FormatField: Equatable, Sendable {
  package var byteOffset: Int
  package var byteCount: Int
  package var name: String
  package var meaning: String
}

/// Reads bytes from front to back by Format.md's tables, and keeps what each of them was.
///
/// Written for the golden files, apart from the library's decoders: plain arithmetic on an array,
/// no shared code, so that a mistake is made twice or found. Every byte that is read becomes part
/// of a field, which is what the hex dumps of Format.md are made of.
package struct FormatReader {
  package let bytes: [UInt8]
  package private(set) var byteOffset: Int
  package private(set) var end: Int
  package private(set) var fields: [FormatField] = []

  package init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    byteOffset = start
    self.end = end ?? bytes.count
  }

  package var isAtEnd: Bool { byteOffset == end }

  /// Takes bytes as they are.
  package mutating func raw(
    _ byteCount: Int, _ name: String, _ meaning: ([UInt8]) -> String = { _ in "" }
  ) throws -> [UInt8] {
    guard byteCount >= 0, byteCount <= end - byteOffset else {
      throw FormatError("\(name): \(byteCount) bytes at \(byteOffset), where \(end) is the end")
    }
    let taken = Array(bytes[byteOffset..<byteOffset + byteCount])
    if byteCount > 0 {
      fields.append(
        FormatField(
          byteOffset: byteOffset, byteCount: byteCount, name: name, meaning: meaning(taken)))
    }
    byteOffset += byteCount
    return taken
  }

  /// Takes a little-endian number of 1 to 8 bytes.
  package mutating func number(
    _ byteCount: Int, _ name: String, _ meaning: (UInt64) -> String = { "\($0)" }
  ) throws -> UInt64 {
    let taken = try raw(byteCount, name) { meaning(Self.littleEndian($0)) }
    return Self.littleEndian(taken)
  }

  /// Takes a number that must fit an array's index.
  package mutating func count(_ byteCount: Int, _ name: String) throws -> Int {
    let value = try number(byteCount, name)
    guard value < 1 << 40 else { throw FormatError("\(name) is \(value)") }
    return Int(value)
  }

  /// Takes an unsigned LEB128 number.
  package mutating func varint(
    _ name: String, _ meaning: (UInt64) -> String = { "\($0)" }
  ) throws -> UInt64 {
    var byteCount = 1
    while byteOffset + byteCount <= end, bytes[byteOffset + byteCount - 1] >= 0x80 {
      byteCount += 1
    }
    let taken = try raw(byteCount, name) { meaning(Self.leb128($0)) }
    return Self.leb128(taken)
  }

  /// Takes bytes that must be zero.
  package mutating func zeros(_ byteCount: Int, _ name: String = "reserved") throws {
    let start = byteOffset
    let taken = try raw(byteCount, name)
    guard taken.allSatisfy({ $0 == 0 }) else {
      throw FormatError("\(name) at \(start) is not zero")
    }
  }

  /// Takes zeros up to a multiple of 16 bytes from `start`.
  package mutating func padding(from start: Int = 0) throws {
    try zeros((16 - (byteOffset - start) % 16) % 16, "padding")
  }

  /// Reads a part with a reader of its own, whose fields become part of this one's.
  package mutating func part<Result>(
    _ byteCount: Int, _ body: (inout FormatReader) throws -> Result
  ) throws -> Result {
    guard byteCount >= 0, byteCount <= end - byteOffset else {
      throw FormatError("\(byteCount) bytes at \(byteOffset), where \(end) is the end")
    }
    var reader = FormatReader(bytes, from: byteOffset, to: byteOffset + byteCount)
    let result = try body(&reader)
    guard reader.isAtEnd else {
      throw FormatError("\(reader.end - reader.byteOffset) bytes of a part are left")
    }
    fields += reader.fields
    byteOffset += byteCount
    return result
  }

  package static func littleEndian(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  package static func bigEndian(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func leb128(_ bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 7 | UInt64($1 & 0x7F) }
  }
}

/// `0x` and sixteen digits.
package func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return "0x" + String(repeating: "0", count: 16 - digits.count) + digits
}

/// The printable characters of some bytes, a dot for each other.
package func printable(_ bytes: [UInt8]) -> String {
  let isText = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  if isText, let text = String(validating: bytes, as: UTF8.self) { return "\"\(text)\"" }
  return String(
    decoding: bytes.map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
}
