import AtollCapture
import AtollObjects
import AtollStorage

extension SyncClient {
  /// Applies a BATCH in one transaction, with the cursor.
  func receive(_ batch: Batch) throws(SyncError) {
    guard let connection, batch.readAt >= connection.readAt else {
      throw .unexpected("a batch that was read earlier than the one before")
    }
    self.connection?.readAt = batch.readAt
    let new: [SyncEvent]
    do {
      if batch.isLast, batch.from == nil, try Reset.find(database.snapshot())?.stage == .running {
        configuration.willEndReset()
      }
      do {
        new = try apply(batch, connection, hasCopy: false)
      } catch let loss as Loss {
        // The copy needs the file as it is, so the transaction is cancelled, and made again.
        try configuration.willLose(loss)
        try noteCopy()
        new = try apply(batch, connection, hasCopy: true)
      }
      decodedEntries.endRebase()
    } catch { throw SyncError(any: error) }
    events += new
  }

  /// `hasCopy`: whether there is a copy of the file as it is.
  private func apply(
    _ batch: Batch, _ connection: OpenConnection, hasCopy: Bool
  ) throws -> [SyncEvent] {
    // Not kept when the transaction fails: what it would have changed is as before then.
    var decoded = DecodedEntries()
    swap(&decoded, &decodedEntries)
    let new: [SyncEvent]
    // R2: nothing of it is confirmed before it is durable; see `durableSnapshot`.
    (new, decodedEntries) = try database.write(durability: .relaxed) { transaction in
      transaction.origin = .sync
      var reception = try BatchReception(
        transaction, batch, isProgressive: connection.isProgressive,
        resetMode: configuration.resetMode, hasCopy: hasCopy)
      guard reception.rebase.state.token == connection.token else {
        throw SyncError.unexpected("a batch of an earlier connection")
      }
      // Handed over: a second reference would copy the table with the first change of it.
      swap(&reception.rebase.decoded, &decoded)
      try reception.run()
      return (reception.events, reception.rebase.decoded)
    }
    return new
  }
}

/// What a batch would take away that the server had confirmed, and may not have any more.
package enum Loss: Error {
  /// All objects.
  case all
  /// Objects or values that the server got after the backup that it was restored from.
  case newer
}

/// Applies one batch in a transaction, or keeps it until the last one of its catch-up.
private struct BatchReception {
  private let transaction: Transaction
  private let batch: Batch
  private let isProgressive: Bool
  private let resetMode: ResetMode
  /// Whether a copy of the file as it is was made.
  private let hasCopy: Bool
  /// Whether nothing has to be done before all objects are removed.
  private var mayRemoveAll: Bool
  /// Whether the set was answered after the batch before.
  private var isOfOtherSet = false
  var rebase: Rebase
  private(set) var events: [SyncEvent] = []

  init(
    _ transaction: Transaction, _ batch: Batch, isProgressive: Bool, resetMode: ResetMode,
    hasCopy: Bool
  ) throws(ObjectError) {
    self.transaction = transaction
    self.batch = batch
    self.isProgressive = isProgressive
    self.resetMode = resetMode
    self.hasCopy = hasCopy
    mayRemoveAll = hasCopy
    rebase = try Rebase(transaction)
  }

  mutating func run() throws {
    let reset = try Reset.find(rebase.capture).flatMap { $0.stage == .running ? $0 : nil }
    if let reset { rebase.discardedUpTo = reset.discardedUpTo }
    // The application has a copy of a file that it has allowed to reset.
    if reset?.hasCopy == true || resetMode == .manual && reset != nil { mayRemoveAll = true }
    let mayLose = reset?.isServerOlder != true || mayRemoveAll
    // Another set of subscriptions may select nothing of what is there.
    isOfOtherSet = batch.setNumber != rebase.state.answeredSet
    if isOfOtherSet { mayRemoveAll = true }
    let schemas = try SchemaAnswers(batch.answers, rebase.capture)
    guard batch.from == rebase.state.cursor else {
      throw SyncError.unexpected("a batch from another cursor than the file's")
    }
    rebase.state.clock = max(rebase.state.clock, batch.newestClock)
    try ArrivingClasses.add(batch.classes, to: transaction)
    if let run = batch.run {
      try receive(run)
    } else {
      try rebase.take(batch.answers)
      for object in batch.objects { try rebase.apply(object.change, to: object.object) }
      try rebase.finishAnswers()
    }
    if !mayLose, rebase.hasReplacedConfirmed { throw Loss.newer }
    if let to = batch.to {
      try finish(to)
      if let reset {
        try Reset.set(reset.ended, rebase.capture)
        events.append(.resetEnded)
      }
    }
    try rebase.capture.setState(rebase.state)
    events = rebase.events + events
    try schemas.note(&events, rebase.capture)
  }

  // MARK: Catch-up

  private mutating func receive(_ run: BatchRun) throws {
    var bootstrap = rebase.state.boot.flatMap { Bootstrap(decoding: $0) }
    if run.isRestart, bootstrap != nil {
      try Bootstrap.removeBatches(in: transaction)
      try Unconfirmed.removeAll(in: transaction)
      bootstrap = nil
    }
    let isFromStart = batch.from == nil
    var current =
      bootstrap
      ?? Bootstrap(
        run: run.number, position: run.position, from: batch.from, isProgressive: isProgressive)
    if bootstrap == nil, isFromStart, isProgressive { try Unconfirmed.begin(in: transaction) }
    current.run = run.number
    current.position = run.position
    current.receivedCount += UInt64(batch.objects.count)
    current.remainingCount = run.remainingCount
    if isProgressive {
      try applyProgressively(isFromStart: isFromStart)
    } else if batch.isLast {
      try applyAll(current, isFromStart: isFromStart)
    } else {
      try current.add(batch.objects, in: transaction)
    }
    rebase.state.boot = batch.isLast ? nil : current.encoded
    if !batch.isLast { try markBootstrapping() }
  }

  /// R18: objects that did not arrive up to the last batch are removed, also those that its answers
  /// create.
  private mutating func applyProgressively(isFromStart: Bool) throws {
    if isFromStart, isOfOtherSet { try Unconfirmed.noteArrival(in: transaction) }
    try rebase.take(batch.answers)
    for object in batch.objects {
      try rebase.apply(object.change, to: object.object)
      if isFromStart { try Unconfirmed.remove(object.object, in: transaction) }
    }
    guard isFromStart else { return try rebase.finishAnswers() }
    if batch.isLast {
      try refuseToRemoveAll(Unconfirmed.areAll(in: transaction))
      try rebase.discardRest()
    }
    var made: [ObjectAddress] = []
    for object in rebase.remainingAnswered
    where try rebase.capture.generations(of: object).confirmed == nil {
      made.append(object)
    }
    try rebase.finishAnswers()
    for object in made { try Unconfirmed.add(object, in: transaction) }
    guard batch.isLast else { return }
    for object in try Unconfirmed.objects(in: transaction) {
      try rebase.apply(.leave, to: object)
    }
    try Unconfirmed.removeAll(in: transaction)
  }

  private mutating func applyAll(_ bootstrap: Bootstrap, isFromStart: Bool) throws {
    var rest: Set<ObjectAddress> = []
    if isFromStart {
      try rebase.capture.forEachConfirmed { object throws(ObjectError) in rest.insert(object) }
    }
    try rebase.take(batch.answers)
    if isFromStart { try rebase.discardRest() }
    let heldCount = rest.count
    var rebase = rebase
    // R7: an object that leaves in one batch and arrives in a later one is kept.
    var leaving: Set<ObjectAddress> = []
    func apply(_ objects: [ObjectChange], isWaiting: Bool) throws(SyncError) {
      for object in objects {
        if !rest.isEmpty { rest.remove(object.object) }
        guard object.change != .leave else {
          leaving.insert(object.object)
          continue
        }
        if !leaving.isEmpty { leaving.remove(object.object) }
        try rebase.apply(object.change, to: object.object, isWaiting: isWaiting)
      }
    }
    try bootstrap.forEachBatch(in: transaction) { objects throws(SyncError) in
      try apply(objects, isWaiting: true)
    }
    try apply(batch.objects, isWaiting: false)
    for object in leaving { try rebase.apply(.leave, to: object) }
    if isFromStart {
      try refuseToRemoveAll(heldCount > 0 && rest.count == heldCount)
      for object in rebase.remainingAnswered { rest.insert(object) }
      for object in rest { try rebase.apply(.leave, to: object) }
    }
    try rebase.finishAnswers()
    self.rebase = rebase
    if bootstrap.waitingCount > 0 { try Bootstrap.removeBatches(in: transaction) }
  }

  /// R18: a file that begins anew and of whose objects none arrives is not emptied before there is a
  /// copy.
  ///
  /// Objects that others delete, or that the subscriptions or rights take away, leave one by one, at
  /// a server that knows the file's cursor. Here the server has begun anew, and perhaps by mistake.
  private func refuseToRemoveAll(_ removesAll: Bool) throws {
    if removesAll, !mayRemoveAll { throw Loss.all }
  }

  // MARK: Ends

  private mutating func finish(_ to: Cursor) throws {
    if let old = rebase.state.cursor, old.incarnation == to.incarnation, to.version < old.version {
      throw SyncError.unexpected("a batch whose cursor goes back")
    }
    rebase.state.cursor = to
    rebase.state.proof = to
    rebase.state.seen = to
    try SyncRecords.setCoverage(batch.readTime, rebase.capture)
    try completeSet()
  }

  /// R17: the set is complete with the last batch.
  private mutating func completeSet() throws(ObjectError) {
    guard let version = try SyncRecords.answeredSetVersion(rebase.capture),
      let set = try SubscriptionStore.set(version: version, transaction), !set.state.isFinal
    else { return }
    try SubscriptionSets.markComplete(version: version, in: transaction)
    events.append(.setChanged(version: version))
  }

  private mutating func markBootstrapping() throws(ObjectError) {
    guard let version = try version(ofSet: batch.setNumber),
      try SubscriptionStore.set(version: version, transaction)?.state == .pending
    else { return }
    try SubscriptionSets.markBootstrapping(version: version, in: transaction)
    events.append(.setChanged(version: version))
  }

  private func version(ofSet number: UInt64) throws(ObjectError) -> Int64? {
    guard number > 0 else { return nil }
    if case .sets(let version)? = try rebase.capture.entry(number)?.content { return version }
    guard number == rebase.state.answeredSet else { return nil }
    return try SyncRecords.answeredSetVersion(rebase.capture)
  }
}
