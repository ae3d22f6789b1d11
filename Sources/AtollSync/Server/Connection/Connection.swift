internal import AtollCapture

/// A connection of a server, as long as it lasts.
package struct ConnectionID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.rawValue < b.rawValue }
}

/// The state of one connection in the server's memory.
final class Connection {
  enum Phase {
    /// Nothing was heard.
    case new
    /// HELLO was answered; its changes stay in memory until the device confirms.
    case welcomed
    /// The device has stored its token: it may push, and batches are sent.
    case confirmed
    case closed
  }

  let id: ConnectionID
  let user: String
  /// From where it came, as far as hosts are told apart; empty: not known.
  let host: String
  var reader: MessageReader
  var phase = Phase.new
  /// What the user may do.
  var rights = UserRights.nothing
  /// The subscriptions, narrowed to what the user may read.
  var views: [ViewQuery] = []
  /// Whether the views are counted in the view index.
  var isSubscribed = false
  /// How many bytes the texts of the views have that are counted in the view index.
  var viewByteCount = 0
  /// The last answer that a confirmation names which may still wait to be taken.
  var announcedAnswer: UInt64 = 0
  /// How many bytes the answers take that are kept for the device.
  var answerByteCount = 0
  /// How many of them those take that come after `countedAnswer`.
  var unconfirmedByteCount = 0
  /// The last answer that does not count: it is confirmed, or that is announced.
  var countedAnswer: UInt64 = 0
  /// How many bytes the transport holds of a frame that is not complete.
  var transportByteCount = 0
  /// How many bytes have come of what is not complete.
  var unfinishedByteCount: Int { reader.openByteCount + transportByteCount }
  /// How many bytes of messages are counted as held.
  var heldByteCount = 0
  /// How much memory is counted for the queries.
  var queryMemoryByteCount = 0
  /// Messages that were received and wait for the next tick.
  var waitingCount = 0
  /// How many bytes they came in.
  var waitingByteCount = 0
  /// How many bytes of memory they take, about.
  var waitingMemoryByteCount = 0

  /// The client, once HELLO named it.
  var clientID: UInt64 = 0
  var client = ClientRecord(user: "", membership: 0)
  /// Whether the set in HELLO may have classes that a SCHEMA of the device adds.
  var hasUnjudgedSet = false
  /// What is known of the queries of the next message, while they are being read.
  var preparation: SetPreparation?
  var preparedByteCount: Int { preparation?.byteCount ?? 0 }
  /// Whether the next message was charged to the user's allowance already.
  var isNextCharged = false
  /// Whether `client` differs from what is in the store.
  var isClientChanged = false
  /// The token of this connection.
  var token: UInt64 = 0
  /// How many bytes of the client's set in the store are counted for its user, and the version of the
  /// view when they were.
  var countedSetByteCount = 0
  var countedViewVersion: UInt64 = 0
  /// The client's membership before it synchronised as new; it is swept once that is confirmed.
  var formerMembership: UInt64?

  /// The newest number whose answer was sent on this connection.
  var told: UInt64 = 0
  /// The pushes that were judged and not answered yet, with when they had arrived, ascending; only
  /// where somebody is told.
  private var unansweredPushes: [(number: UInt64, arrivedAt: UInt64)] = []
  /// Where the next batch begins.
  var from: Cursor?
  /// The changes that concern it since, of a connection without a catch-up.
  var pending = PendingChanges()
  /// Whether something changed, of whatever view, while it could take nothing.
  var isBehind = false
  /// Until when, in nanoseconds of the clock that nobody sets, it is not served, as a part of its work that cannot be divided took long.
  var restsUntil: UInt64 = 0
  /// Whether a batch is due that moves the device's cursor, also one without contents.
  var isCursorDue = false
  /// The catch-up that is being sent.
  var run: ActiveRun?
  /// Whether the next batch is the first of a catch-up that does not resume.
  var isRestart = false
  /// Whether the device commits the batches of a catch-up one by one.
  var isProgressive = false
  /// Objects that the next batch must consider: the client's own creations.
  var ownCreations: Set<ObjectNumber> = []
  /// The classes that were sent on this connection, with the numbers of the properties in them.
  var sentClasses: [UInt32: Set<UInt32>] = [:]
  /// Whether the device has left too much unconfirmed.
  var isOverdue = false
  /// When the device was last notified that its pushes wait.
  var toldOfLimitAt: UInt64?
  /// The messages that mean nothing.
  var meaningless = MeaninglessMessages()
  /// MARKs that are not answered.
  var marks: [UInt64] = []
  /// The newest VERIFY, if it is not answered.
  var verification: ActiveVerification?

  init(id: ConnectionID, user: String, host: String, reader: MessageReader) {
    self.id = id
    self.user = user
    self.host = host
    self.reader = reader
  }

  /// Applies new rights; the caller makes `views`.
  func setRights(_ new: UserRights, at version: UInt64) {
    rights = new
    client.setRights(new, at: version)
    isClientChanged = true
  }

  /// How many pushes may wait to be answered and be timed; a device that does not read has more.
  private static let timedPushLimit = 4_096

  /// Notes when a push arrived that is about to be judged.
  func time(_ push: PushEntry, arrivedAt: UInt64) {
    let number = push.header.number
    guard number > client.pushed, unansweredPushes.count < Self.timedPushLimit else { return }
    unansweredPushes.append((number, arrivedAt))
  }

  /// Removes the pushes up to `told`.
  ///
  /// - Returns: When they had arrived.
  func takeAnsweredPushes() -> some Sequence<UInt64> {
    let count = unansweredPushes.prefix { $0.number <= told }.count
    defer { unansweredPushes.removeFirst(count) }
    return unansweredPushes.prefix(count).map(\.arrivedAt)
  }

  /// Whether something is to be sent to the device.
  var hasNews: Bool {
    guard phase == .confirmed else { return false }
    return told < client.pushed || !marks.isEmpty || verification != nil || isCursorDue || mayMove
  }

  /// Whether objects may enter or leave what the device holds with the next batch.
  var mayMove: Bool {
    run != nil || isBehind || !pending.isEmpty || !ownCreations.isEmpty
  }
}
