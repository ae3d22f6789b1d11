internal import AtollObjects

/// The position of a catch-up after a batch, as in messages; the store finds the object by it.
enum RunPosition {
  /// As a device gives it back: 8 bytes, big-endian.
  static func bytes(_ batchCount: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(batchCount)
    return bytes
  }

  static func key(_ client: UInt64, _ position: [UInt8]) -> [UInt8] {
    AnswerRecord.prefix(client) + position
  }
}

/// A catch-up that is being sent: the objects that may concern the client, in order.
///
/// It pins no snapshot. Later changes are sent with the last batch.
struct ActiveRun {
  /// The objects after this one are to be visited; nil: all.
  var position: ObjectNumber?
  /// The objects to visit, ascending; nil before it is known which.
  var objects: [ObjectNumber]?
  /// Objects that are not visited, but whose records are to be settled.
  var stale: [ObjectNumber] = []
  /// How many of them were visited.
  var visitedCount = 0
  /// How many voids of the client's moves there were when the run began.
  let voidCount: Int

  init(voidCount: Int) {
    self.voidCount = voidCount
  }

  init(resumedAt position: ObjectNumber) {
    self.position = position
    voidCount = 0
  }
}
