internal import AtollCapture

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
    /// Whether it sends objects again (`RecordedTransaction.isRetold`).
    let isRetold: Bool
    let inside: InsideWork
  }

  /// What the changes inside of values have cost.
  final class InsideWork {
    /// How many bytes of values were looked at, once for each change.
    var byteCount = 0
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
  let refusedElements: RefusedElements
  /// How long the views may still take to tell what a device without a cursor holds, in nanoseconds.
  var viewTime: UInt64
  /// Operations on objects that violated the rights at the end.
  var refused: [Int: Refusal] = [:]
  var verdicts: [Verdict] = []
  /// The verdicts on earlier transactions whose creations this one names, once each was read.
  var answers: [UInt64: KnownVerdicts] = [:]
  var objects: [ObjectDraft] = []
  var places: [ObjectAddress: Int] = [:]

  /// The refusal text for an operation that no rule allows.
  func forbidden(_ className: String, _ what: String) -> Refusal {
    guard let role = rights[className]?.role else { return Refusal(.forbidden) }
    return Refusal(.forbidden, text: "the role '\(role)' does not allow \(what) in \(className)")
  }

  let inside = InsideWork()

  var origin: Origin {
    Origin(
      client: client,
      stamp: WriteStamp(clock: transaction.clock, client: client, number: number),
      version: version, seenVersion: seenVersion, isRetold: transaction.isRetold,
      inside: inside)
  }
}

/// The verdicts of an answer by the place of the operation.
///
/// As long as its runs: the transaction that made a list may have an operation for each element.
struct KnownVerdicts {
  private var runs: [(end: Int, verdict: Verdict)] = []

  init(_ answer: Answer) {
    var end = 0
    for run in answer.runs {
      end += Int(run.count)
      runs.append((end, run.verdict))
    }
  }

  /// Nil when there was no such operation.
  subscript(index: Int) -> Verdict? {
    guard index >= 0 else { return nil }
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end <= index { low = middle + 1 } else { high = middle }
    }
    return low < runs.count ? runs[low].verdict : nil
  }
}
