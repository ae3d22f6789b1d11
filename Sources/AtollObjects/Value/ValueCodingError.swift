/// Why bytes are not the encoding of a value, or a value has none.
///
/// Offsets count from the start of the bytes given to the decoder.
package enum ValueCodingError: Error, Equatable, Sendable {
  // The bytes are damaged, or a newer version wrote them.
  case truncated(byteOffset: Int)
  case unknownTag(UInt8, byteOffset: Int)
  /// Bytes of a known type that no encoder writes: a boolean of 2, a length in more bytes than
  /// it needs, nanoseconds beyond a second, map keys out of order.
  case invalidContents(byteOffset: Int)
  case invalidUTF8(byteOffset: Int)
  case trailingBytes(byteOffset: Int)

  // The value, or the bytes, go beyond what is supported.
  case nestingTooDeep(limit: Int)
  /// Links and collections cannot be index keys.
  case notIndexable
}
