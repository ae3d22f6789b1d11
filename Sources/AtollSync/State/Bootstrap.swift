import AtollCapture
import AtollObjects
import AtollStorage

/// The running catch-up, as the file keeps it: its position and the waiting batches.
///
/// Batches that are not committed one by one lie in the tree `bootstrap`, in the order in which
/// they came, and are applied with the last one. Key: number of the batch and of the piece, 4 bytes
/// each, most significant first.
struct Bootstrap: Hashable {
  static let treeName = "bootstrap"
  private static let pieceByteCount = 128 << 10

  var run: UInt64
  var position: [UInt8]
  var from: Cursor?
  /// Whether its batches are committed one by one, as all of them have to be or none.
  let isProgressive: Bool
  /// How many batches wait in the tree.
  var waitingCount: UInt32 = 0
  /// How many objects have come, with the batches that wait and with those that were committed.
  var receivedCount: UInt64 = 0
  /// About how many objects are to come; nil: not known.
  var remainingCount: UInt64?

  init(run: UInt64, position: [UInt8], from: Cursor?, isProgressive: Bool) {
    self.run = run
    self.position = position
    self.from = from
    self.isProgressive = isProgressive
  }

  var helloPosition: BootstrapPosition {
    BootstrapPosition(run: run, position: position, from: from)
  }

  /// The share of the objects that has come, from 0 to 1; nil when it is not known.
  var progress: Double? {
    guard let remainingCount, receivedCount > 0 else { return nil }
    return Double(receivedCount) / (Double(receivedCount) + Double(remainingCount))
  }

  // MARK: Record

  var encoded: [UInt8] {
    var writer = RecordedWriter()
    writer.append(varint: run)
    writer.append(bytes: position)
    writer.append(from)
    writer.append(flag: isProgressive)
    writer.append(varint: UInt64(waitingCount))
    writer.append(varint: receivedCount)
    writer.append(remainingCount) { $0.append(varint: $1) }
    return writer.bytes
  }

  init?(decoding bytes: [UInt8]) {
    var reader = RecordedReader(bytes)
    do throws(ValueCodingError) {
      run = try reader.readVarint()
      position = try reader.readBytes()
      from = try reader.readOptionalCursor()
      isProgressive = try reader.readFlag()
      waitingCount = try reader.readUInt32()
      receivedCount = try reader.readVarint()
      remainingCount = try reader.readOptional { reader throws(ValueCodingError) in
        try reader.readVarint()
      }
      try reader.finish()
    } catch { return nil }
  }

  // MARK: Batches that wait

  /// Adds the objects of one more batch.
  mutating func add(_ objects: [ObjectChange], in transaction: Transaction) throws(ObjectError) {
    var writer = RecordedWriter()
    writer.append(objects) { $0.append($1) }
    let tree = try transaction.namedTree(Self.treeName)
    let bytes = writer.bytes
    var start = 0
    var piece: UInt32 = 0
    repeat {
      let end = min(start + Self.pieceByteCount, bytes.count)
      try tree.set(Array(bytes[start..<end]), for: Self.key(waitingCount, piece))
      piece += 1
      start = end
    } while start < bytes.count
    waitingCount += 1
  }

  /// Gives the objects of the batches that wait, in order, batch after batch.
  func forEachBatch(
    in transaction: Transaction, _ body: ([ObjectChange]) throws(SyncError) -> Void
  ) throws(SyncError) {
    for batch in 0..<waitingCount {
      var reader: RecordedReader
      do throws(ObjectError) {
        reader = RecordedReader(try Self.bytes(batch, in: transaction))
      } catch { throw .file(error) }
      let objects: [ObjectChange]
      do throws(ValueCodingError) {
        objects = try reader.readArray { reader throws(ValueCodingError) in
          try reader.readObjectChange()
        }
      } catch { throw .file(.storage(.corrupted(block: 0, .structure(.malformedEntries)))) }
      try body(objects)
    }
  }

  private static func bytes(
    _ batch: UInt32, in transaction: Transaction
  ) throws(ObjectError) -> [UInt8] {
    var bytes: [UInt8] = []
    try transaction.namedTree(treeName).forEach(prefix: Array(key(batch, 0).prefix(4))) {
      _, piece throws(ObjectError) in
      bytes += piece
    }
    return bytes
  }

  static func removeBatches(in transaction: Transaction) throws(ObjectError) {
    let tree = try transaction.namedTree(treeName)
    if tree.count > 0 { try tree.removeAll() }
  }

  private static func key(_ batch: UInt32, _ piece: UInt32) -> [UInt8] {
    [batch, piece].flatMap { number in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
  }
}
