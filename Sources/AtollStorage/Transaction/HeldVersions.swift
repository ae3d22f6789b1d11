/// The versions before the newest one that may still be read, when a transaction begins.
///
/// Their pages are not overwritten, and the file is not cut before the end of any of them.
struct HeldVersions {
  /// Their numbers, ascending.
  let transactions: [UInt64]
  /// Blocks of the longest: 0 when there is none, `.max` when its length is not known.
  let blockCount: UInt64

  /// Those that `pins` tell of, and the newest durable version.
  ///
  /// `pins`: of readers, also of the newest version. `durable`: the newest version that is known to
  /// be on the disk; a power cut may bring it back, so it is held like one that is read.
  init(pins: [Pin], newest: UInt64, durable: UInt64) {
    let older = pins.map(\.version).filter { $0.transaction < newest }
    var transactions = Set(older.map(\.transaction))
    var blockCount = older.map(\.blockCount).max() ?? 0
    if durable < newest {
      transactions.insert(durable)
      blockCount = .max
    }
    self.transactions = transactions.sorted()
    self.blockCount = blockCount
  }
}
