// Signed and unsigned integers of the same order: the highest bit is flipped.

extension UInt64 {
  /// The signed integer that orders among signed ones as this one does among unsigned ones.
  @inlinable
  @inline(__always)
  package var orderedSigned: Int64 { Int64(bitPattern: self ^ 1 << 63) }
}

extension Int64 {
  /// The unsigned integer that orders among unsigned ones as this one does among signed ones.
  @inlinable
  @inline(__always)
  package var orderedUnsigned: UInt64 { UInt64(bitPattern: self) ^ 1 << 63 }
}
