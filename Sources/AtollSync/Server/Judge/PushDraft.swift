internal import AtollObjects

/// A transaction of a client while it is judged.
///
/// A large one has many objects, which are changed in place: a second reference to `objects` would
/// make each change copy them all. Operations get the data of their transaction from `origin`.
struct PushDraft {
  /// Where the operations of a transaction come from.
  struct Origin {
    let client: UInt64
    /// The number and the clock that are compared with those of other writes.
    let stamp: WriteStamp
    let version: UInt64
    let seenVersion: UInt64
  }

  let client: UInt64
  let number: UInt64
  /// With the clock as stored by the server.
  let transaction: RecordedTransaction
  /// The version that it becomes when anything of it is accepted.
  let version: UInt64
  /// The newest version that the client had seen when it recorded the transaction.
  let seenVersion: UInt64
  /// What the user may do.
  let rights: UserRights
  /// The subscriptions under which it is judged, narrowed to what the user may read.
  let views: [ViewQuery]
  let membership: UInt64
  let moves: ConfirmedMoves
  /// Whether the client has no confirmed cursor, so that the view decides what it holds.
  let hasNoCursor: Bool
  /// Operations on objects that violated the rights at the end.
  var refused: [Int: Refusal] = [:]
  var verdicts: [Verdict] = []
  /// The verdicts on earlier transactions whose creations this one names, once each was read.
  var answers: [UInt64: [Verdict]] = [:]
  var objects: [ObjectDraft] = []
  var places: [ObjectAddress: Int] = [:]

  /// The refusal text for an operation that no rule allows.
  func forbidden(_ className: String, _ what: String = "this change") -> Refusal {
    guard let role = rights[className]?.role else { return Refusal(.forbidden) }
    return Refusal(.forbidden, text: "the role '\(role)' does not allow \(what) in \(className)")
  }

  var origin: Origin {
    Origin(
      client: client,
      stamp: WriteStamp(clock: transaction.clock, client: client, number: number),
      version: version, seenVersion: seenVersion)
  }
}
