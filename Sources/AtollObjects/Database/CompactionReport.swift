/// How far a compaction in place goes.
public struct CompactionLimits: Sendable {
  /// The most transactions that it commits.
  public var transactionCount: Int?
  /// Bytes of pages to move, after which it begins no other transaction that moves any.
  public var movedByteCount: Int?
  /// How long it goes on.
  public var duration: Duration?
  /// How long it waits in all for readers of older versions, before it leaves what they hold.
  public var patience: Duration
  /// Bytes of pages that one transaction moves, about; other writers wait so long.
  ///
  /// A transaction moves a value outside of its leaf whole, however large it is.
  public var stepByteCount: Int

  /// Makes limits; nil stands for none.
  ///
  /// By default a compaction goes on until it is done, waits a second in all for readers, and moves
  /// about 2 MiB in a transaction.
  public init(
    transactionCount: Int? = nil, movedByteCount: Int? = nil, duration: Duration? = nil,
    patience: Duration = .seconds(1), stepByteCount: Int = 2 << 20
  ) {
    self.transactionCount = transactionCount
    self.movedByteCount = movedByteCount
    self.duration = duration
    self.patience = patience
    self.stepByteCount = stepByteCount
  }
}

/// What a compaction in place did, and what it left.
public struct CompactionReport: Equatable, Sendable {
  /// Why it ended.
  public enum End: Equatable, Sendable {
    /// The file cannot get much shorter.
    case complete
    /// It could if older versions were not being read.
    case heldByReaders
    /// A limit was reached.
    case limit
  }

  /// Why the compaction ended.
  public var end: End
  /// The file's length.
  public var byteCountBefore: UInt64
  /// The file's length at the end, in bytes.
  public var byteCountAfter: UInt64
  /// Bytes of pages that were written again elsewhere.
  public var movedByteCount: Int
  /// Transactions that were committed.
  public var transactionCount: Int
  /// Bytes of pages that only older versions reach, and that wait for their readers.
  public var heldByteCount: UInt64
  /// The versions that readers hold, oldest first.
  public var pins: [DatabaseStatus.PinStatus]
}
