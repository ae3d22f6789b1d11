/// Is told what a server does, as for the metrics of those who run it.
///
/// Called on the server's thread, some times for each message, so that a call should cost little.
package protocol ServerObserver: Sendable {
  /// A message of a device is complete; nil: what came is none.
  func received(_ kind: SyncMessage.Kind?, byteCount: Int)

  /// A tick has taken a message, so long after it was complete.
  func took(_ kind: SyncMessage.Kind, afterNanoseconds duration: UInt64)

  /// Operations of a transaction were judged, or a set or a schema, of which each counts as one;
  /// that is durable.
  func judged(_ kind: SyncMessage.Kind, _ outcome: JudgedOutcome, count: UInt64)

  /// The answer to a PUSH is durable and about to be sent, so long after that was complete.
  func answered(afterNanoseconds duration: UInt64)

  /// An ERROR is about to be sent.
  func refused(_ code: ErrorMessage.Code)

  /// The messages that wait for a tick, and the bytes of these and of those that are not complete.
  func holds(messageCount: Int, byteCount: Int)
}

/// How something was judged, as far as it is counted.
package enum JudgedOutcome: Hashable, Sendable {
  case applied
  /// It was judged before, under another name.
  case known
  case outdated
  case refused(Refusal.Reason)

  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .applied: .applied
      case .known: .known
      case .outdated: .outdated
      case .refused(let refusal): .refused(refusal.reason)
      }
  }
}
