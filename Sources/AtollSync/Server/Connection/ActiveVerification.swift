import AtollObjects

/// The digests of a client's objects computed so far: a part in each tick.
struct ActiveVerification {
  let number: UInt64
  /// How often batches sent meanwhile have invalidated it.
  private var restartCount = 0
  /// Of the members of the set that are done.
  var digests: [ViewDigest] = []
  /// Of the member at hand.
  var current = ViewDigest()
  /// The search of the view of the current member.
  var search = ViewSearch()
  /// The objects of the current member still to be added, the last one first; nil before they are
  /// known.
  var keys: [UInt64]?

  private static let restartLimit = 8

  init(number: UInt64) { self.number = number }

  /// The client holds something else now.
  mutating func restart() {
    restartCount += 1
    digests = []
    current = ViewDigest()
    search = ViewSearch()
    keys = nil
  }

  /// Whether the client should rather request it again later.
  var isGivenUp: Bool { restartCount > Self.restartLimit }
}
