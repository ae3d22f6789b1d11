package import AtollStorage

extension Coordinator {
  /// Pins a transaction of an unknown length.
  package func pin(
    transaction: UInt64, likely: ReaderSlot = ReaderSlot(index: 0)
  ) throws(StorageError) -> ReaderSlot {
    try pin(.unbounded(transaction), likely: likely)
  }
}

extension VersionExtent {
  /// A version that may be as long as any file.
  package static func unbounded(_ transaction: UInt64) -> VersionExtent {
    VersionExtent(transaction, blockCount: .max)
  }
}
