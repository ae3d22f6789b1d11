import AtollCapture
import AtollObjects

/// One rebase: answers and values of the server become part of a transaction (section "A device" of
/// `Algebra.swift`).
///
/// The cost depends on what the answers and the batch touch, not on the outbox or the database.
/// Answers come first, then objects in order, then the objects that only answers concern.
struct Rebase {
  let transaction: Transaction
  let capture: Capture
  var state: SyncState
  /// Events for the app, reported when the transaction is committed.
  private(set) var events: [SyncEvent] = []
  /// The inbox entries that the current answers have added.
  private var newInboxEntries: [InboxEntry.ID] = []

  /// Answered operations by object, until the object was rebased; in order.
  private var answered: [ObjectAddress: [AnsweredOperation]] = [:]
  /// The objects in the order of the first answer.
  private var answeredOrder: [ObjectAddress] = []
  private var shapes: [ExactText: ClassShape] = [:]
  /// Decoded entries of the outbox, from this rebase or earlier ones.
  var decoded = DecodedEntries()
  /// Whether updates of missing objects are ignored.
  private(set) var isLenient = false
  /// Whether anything that was confirmed is gone, or has another value: of what a batch has in full,
  /// or that leaves, and no answer tells of.
  var hasReplacedConfirmed = false
  /// The newest number whose transaction is dropped without an answer (`Reset`); 0: none.
  var discardedUpTo: UInt64 = 0

  struct AnsweredOperation {
    var operation: PendingOperation
    /// Whether it took effect as sent, and its values do not come in batches anyway.
    var isApplied: Bool
  }

  init(_ transaction: Transaction) throws(ObjectError) {
    self.transaction = transaction
    capture = try transaction.capture
    state = try capture.state()
  }

  /// The objects that answers concern and that were not rebased yet.
  var remainingAnswered: [ObjectAddress] { answeredOrder.filter { answered[$0] != nil } }

  // MARK: Answers

  /// Removes the answered entries from the outbox; answers that were applied before are skipped.
  mutating func take(_ answers: [Answer]) throws(SyncError) {
    var generations: [Generation: Generation] = [:]
    var renamed: [ObjectAddress] = []
    var count = 0
    for answer in answers where answer.number > state.answered {
      try discard(before: answer.number)
      guard let entry = try nextEntry() else {
        throw .unexpected("an answer to number \(answer.number), which was not sent")
      }
      if answer.number < entry.number {
        // The entry was damaged, and a repair of the file has dropped it.
        state.answered = answer.number
        continue
      }
      guard entry.number == answer.number else {
        throw .unexpected("an answer to number \(answer.number) before \(entry.number)")
      }
      count += 1
      state.answered = entry.number
      do throws(ObjectError) {
        switch entry.content {
        case .sets(let version): try take(answer, set: version, number: entry.number)
        case .schema:
          if case .refused(let refusal)? = answer.runs.first?.verdict {
            events.append(.schemaRefused(refusal))
          }
        case .push: break
        }
      } catch { throw .file(error) }
      if case .push(let recorded) = entry.content {
        try take(answer, entry, recorded, &generations, &renamed)
      }
      do throws(ObjectError) { try capture.remove(entry) } catch { throw .file(error) }
      decoded.remove(entry.number)
    }
    guard count > 0 else { return }
    if !newInboxEntries.isEmpty { events.append(.inboxGrew(newInboxEntries)) }
    newInboxEntries = []
    events.append(.answered(upTo: state.answered))
    do throws(ObjectError) { try rename(generations, in: renamed) } catch { throw .file(error) }
  }

  // MARK: Given up

  /// Drops the remaining outbox entries that a reset does not send again.
  mutating func discardRest() throws(SyncError) {
    guard discardedUpTo > 0 else { return }
    try discard(before: discardedUpTo + 1)
  }

  /// Removes transactions from the outbox as if none of their operations had taken effect.
  ///
  /// The application has chosen this: the inbox does not report it.
  private mutating func discard(before limit: UInt64) throws(SyncError) {
    guard discardedUpTo > 0 else { return }
    var entries: [OutboxEntry] = []
    do throws(ObjectError) {
      try capture.forEachEntry(from: state.answered + 1) {
        [discardedUpTo] entry throws(ObjectError) in
        guard entry.number < limit, entry.number <= discardedUpTo else { return false }
        if case .push = entry.content { entries.append(entry) }
        return true
      }
      for entry in entries {
        guard case .push(let recorded) = entry.content else { continue }
        for (index, operation) in recorded.operations.enumerated() {
          note(
            PendingOperation(number: entry.number, index: UInt32(index), operation),
            isApplied: false)
        }
        try capture.remove(entry)
        decoded.remove(entry.number)
      }
    } catch { throw .file(error) }
  }

  /// Keeps an operation that is no longer pending until its object is rebased.
  ///
  /// One of an asymmetric class is never on the device.
  private mutating func note(_ operation: PendingOperation, isApplied: Bool) {
    let object = operation.operation.object
    guard transaction.schema.table(object.className)?.isAsymmetric != true else { return }
    if answered[object] == nil { answeredOrder.append(object) }
    answered[object, default: []].append(
      AnsweredOperation(operation: operation, isApplied: isApplied))
  }

  private func nextEntry() throws(SyncError) -> OutboxEntry? {
    do throws(ObjectError) { return try capture.firstEntry(from: state.answered + 1) } catch {
      throw .file(error)
    }
  }

  private mutating func take(
    _ answer: Answer, set version: Int64, number: UInt64
  ) throws(ObjectError) {
    if case .refused(let refusal)? = answer.runs.first?.verdict {
      let text = refusal.text.isEmpty ? refusal.reason.sentence : refusal.text
      try SubscriptionSets.markError(
        version: version, text: text, members: refusal.members, in: transaction)
      events.append(.setChanged(version: version))
      return
    }
    state.answeredSet = number
    try SyncRecords.setAnsweredSetVersion(version, capture)
  }

  private mutating func take(
    _ answer: Answer, _ entry: OutboxEntry, _ recorded: RecordedTransaction,
    _ generations: inout [Generation: Generation], _ renamed: inout [ObjectAddress]
  ) throws(SyncError) {
    guard answer.verdictCount == UInt64(recorded.operations.count) else {
      throw .unexpected(
        "\(answer.verdictCount) verdicts for \(recorded.operations.count) operations")
    }
    for (index, (verdict, operation)) in zip(answer.verdicts, recorded.operations).enumerated() {
      var pending = PendingOperation(number: entry.number, index: UInt32(index), operation)
      _ = pending.operation.rename(generations)
      var isApplied = false
      switch verdict {
      case .applied(let generation), .known(let generation):
        if case .applied = verdict { isApplied = true }
        if operation.action == .create, let generation {
          pending.answered = generation
          generations[pending.name] = .confirmed(generation)
          renamed.append(operation.object)
        }
      case .outdated, .refused: break
      }
      do throws(ObjectError) {
        if let id = try Inbox.insert(
          pending, name: entry.firstName, clock: recorded.clock, verdict: verdict, in: transaction)
        {
          newInboxEntries.append(id)
        }
      } catch { throw .file(error) }
      note(pending, isApplied: isApplied)
    }
  }

  /// R8: pending operations name the generation in the answer.
  private mutating func rename(
    _ generations: [Generation: Generation], in objects: [ObjectAddress]
  ) throws(ObjectError) {
    var numbers: Set<UInt64> = []
    for object in objects {
      for pending in try capture.pending(of: object) { numbers.insert(pending.number) }
    }
    for number in numbers.sorted() {
      guard var entry = try capture.entry(number), case .push(var recorded) = entry.content else {
        continue
      }
      var isChanged = false
      for index in recorded.operations.indices {
        if recorded.operations[index].rename(generations) { isChanged = true }
      }
      guard isChanged else { continue }
      entry.content = .push(recorded)
      try capture.replace(entry)
      decoded.remove(number)
    }
  }

  // MARK: Objects

  /// Rebases the objects that only answers concern.
  mutating func finishAnswers() throws(SyncError) {
    for object in remainingAnswered { try apply(nil, to: object) }
  }

  /// Rebases one object with its change in the batch and its answers.
  ///
  /// `isWaiting`: the change is from a batch that waited for the last one, which has the rest of an
  /// object that is no longer there.
  mutating func apply(
    _ change: ObjectChange.Change?, to object: ObjectAddress, isWaiting: Bool = false
  ) throws(SyncError) {
    isLenient = isWaiting
    if change != nil, transaction.schema.table(object.className)?.isSynced != true {
      throw .unexpected("an object of the class '\(object.className)', which is not synced")
    }
    do {
      let sent = answered.removeValue(forKey: object) ?? []
      let pending = try capture.pending(of: object)
      let generations = try capture.generations(of: object)
      guard sent.isEmpty, pending.isEmpty, let change else {
        return try rebase(object, change, sent, pending, generations)
      }
      try replace(object, change, generations)
    } catch { throw SyncError(any: error) }
  }

  mutating func shape(_ className: String) throws(ObjectError) -> ClassShape {
    if let shape = shapes[ExactText(className)] { return shape }
    guard let schema = transaction.schema[className] else {
      throw .noSuchClass(className, nearest: nil)
    }
    let shape = ClassShape(schema)
    shapes[ExactText(className)] = shape
    return shape
  }

  /// The operations of one object that `pending` points to, in order.
  mutating func operations(_ pending: [PendingOperations]) throws(ObjectError)
    -> [PendingOperation]
  {
    var result: [PendingOperation] = []
    for run in pending {
      let operations = try operations(ofEntry: run.number)
      for index in Int(run.first)..<min(Int(run.first) + Int(run.count), operations.count) {
        result.append(
          PendingOperation(number: run.number, index: UInt32(index), operations[index]))
      }
    }
    return result
  }

  private mutating func operations(ofEntry number: UInt64) throws(ObjectError) -> [Operation] {
    if let operations = decoded[number] { return operations }
    guard let (entry, byteCount) = try capture.sizedEntry(number),
      case .push(let recorded) = entry.content
    else { return [] }
    decoded.insert(recorded.operations, byteCount: byteCount, for: number)
    return recorded.operations
  }
}
