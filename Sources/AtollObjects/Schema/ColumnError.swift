/// What a caller of columns and clusters has to be ready to handle.
package enum ColumnError: Error, Equatable, Sendable {
  // The value cannot go there; the column is unharmed.
  case typeMismatch(ColumnLayout)
  case nullInRequiredColumn
  case valueTooLarge(byteCount: Int)

  // The bytes are not what a writer of this format produces.
  case corrupted(Corruption)

  /// Which rule of the format the bytes break.
  package enum Corruption: Error, Equatable, Sendable {
    case truncated(byteCount: Int, needed: Int)
    case reservedBytesInUse
    case unknownEncoding(UInt8)
    case unknownWidth(UInt8)
    case unknownVector(role: UInt8, kind: UInt8)
    case unsortedDirectory
    case unsortedKeys
    case count(expected: Int, found: Int)
    case entryOutOfBounds(entry: Int, entryCount: Int)
    case lengthsDoNotAddUp
    case decompression
    case notUTF8
    case externalWithoutStore
    case value
  }
}
