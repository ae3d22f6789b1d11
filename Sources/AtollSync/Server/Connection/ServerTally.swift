/// What an observer is told once the transaction is durable: of one that fails, nothing happened.
struct ServerTally {
  private struct Judged: Hashable {
    let kind: SyncMessage.Kind
    let outcome: JudgedOutcome
  }

  private var judged: [Judged: UInt64] = [:]
  private var errors: [ErrorMessage.Code: Int] = [:]
  /// When the pushes that were answered had arrived.
  private var answeredPushes: [UInt64] = []

  private var isEmpty: Bool { judged.isEmpty && errors.isEmpty && answeredPushes.isEmpty }

  mutating func add(_ answer: Answer, to kind: SyncMessage.Kind) {
    for run in answer.runs {
      let key = Judged(kind: kind, outcome: JudgedOutcome(run.verdict))
      judged[key, default: 0] += UInt64(run.count)
    }
  }

  mutating func add(_ error: ErrorMessage.Code) { errors[error, default: 0] += 1 }

  mutating func addAnswer(toPushFrom arrival: UInt64) { answeredPushes.append(arrival) }

  /// Tells all of it, and begins again; the memory is used again.
  mutating func tell(_ observer: any ServerObserver, uptime: () -> UInt64) {
    guard !isEmpty else { return }
    for (key, count) in judged { observer.judged(key.kind, key.outcome, count: count) }
    for (code, count) in errors { for _ in 0..<count { observer.refused(code) } }
    let now = answeredPushes.isEmpty ? 0 : uptime()
    for arrival in answeredPushes {
      observer.answered(afterNanoseconds: now > arrival ? now - arrival : 0)
    }
    judged.removeAll(keepingCapacity: true)
    errors.removeAll(keepingCapacity: true)
    answeredPushes.removeAll(keepingCapacity: true)
  }
}
