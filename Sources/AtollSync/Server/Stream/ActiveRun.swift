internal import AtollObjects

/// A catch-up that is being sent: the objects that may concern the client, in order.
///
/// It holds no snapshot. What changes meanwhile is sent with the last batch.
struct ActiveRun {
  /// The objects behind this one are to be visited; nil: all.
  var position: ObjectNumber?
  /// The objects to visit, ascending; nil before it is known which.
  var objects: [ObjectNumber]?
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
