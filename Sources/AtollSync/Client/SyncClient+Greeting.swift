import AtollCapture
import AtollObjects
import AtollStorage

extension SyncClient {
  /// HELLO names what is durable.
  func hello(_ state: SyncState, _ snapshot: Snapshot) throws(ObjectError) -> Hello {
    var sets: AnsweredSets?
    if let version = try SyncRecords.answeredSetVersion(snapshot) {
      let members = try SubscriptionStore.set(version: version, snapshot)?.members ?? []
      sets = AnsweredSets(number: state.answeredSet, version: version, members: members)
    }
    let bootstrap = state.boot.flatMap { Bootstrap(decoding: $0) }
    return Hello(
      client: state.clientID, token: state.token, proof: state.proof, cursor: state.cursor,
      answered: state.answered, sets: sets, bootstrap: bootstrap?.helloPosition,
      isProgressive: bootstrap?.isProgressive ?? configuration.isProgressive)
  }

  /// WELCOME: stores the token, and completes the check of R3 with the server's data of this id.
  func receive(_ welcome: Welcome, now: UInt64) throws(SyncError) {
    guard var connection, connection.token == nil else { throw .unexpected("a second welcome") }
    let isSameFile: Bool
    var asksAgain = false
    do throws(any Error) {
      isSameFile = try database.write(durability: .relaxed) { transaction in
        transaction.origin = .sync
        let capture = try transaction.capture
        var state = try capture.state()
        guard state.clientID == connection.client, try matches(welcome, state, capture) else {
          return false
        }
        guard state.token == connection.formerToken, state.cursor == connection.cursor,
          state.boot == connection.bootstrap
        else { throw SyncError.unexpected("the file has changed since it named its cursor") }
        state.token = welcome.token
        if welcome.isFromStart {
          // R14, R18: the contents of the file stay until the last batch.
          if welcome.isRunLost {
            // R17: the server's history is the file's, so no write can be lost.
            _ = try Reset.forget(capture)
          } else {
            try Reset.begin(configuration.resetMode, capture, isServerOlder: true)
          }
          state.cursor = nil
          state.boot = nil
          try Bootstrap.removeBatches(in: transaction)
          try Unconfirmed.removeAll(in: transaction)
        } else {
          _ = try Reset.forget(capture)
        }
        try Verification.askDaily(now: now, capture)
        try capture.setState(state)
        asksAgain = try RefusedSchema.askAgain(capture)
        return true
      }
    } catch { throw try resetRefused(error) }
    guard isSameFile else { try takeNewIdentity() }
    connection.token = welcome.token
    connection.sentNumber = welcome.pushed
    // Pending transactions may need the classes, and the entry that requests them again comes
    // later.
    connection.wantsSchema = welcome.wantsSchema || asksAgain
    connection.asksAgain = asksAgain
    self.connection = connection
    events.append(.welcomed)
  }

  /// ERROR for the set that was answered last: it fails as if this were the answer to its SETS,
  /// except for the members that the server can still answer.
  ///
  /// The schema, the rules or the limits of the server have changed since. HELLO no longer names
  /// the set.
  func refuseAnsweredSet(_ error: ErrorMessage) throws(SyncError) {
    let version: Int64?
    do {
      version = try database.write(durability: .relaxed) { transaction in
        transaction.origin = .sync
        let capture = try transaction.capture
        guard let version = try SyncRecords.answeredSetVersion(capture) else { return nil }
        try SyncRecords.removeAnsweredSetVersion(capture)
        try SubscriptionSets.markError(
          version: version, text: error.text, members: error.members, in: transaction)
        return version
      }
    } catch { throw SyncError(any: error) }
    if let version { events.append(.setChanged(version: version)) }
  }

  /// Whether the entries that the server has accepted under this id are those of this file (R3).
  private func matches(
    _ welcome: Welcome, _ state: SyncState, _ capture: Capture
  ) throws(ObjectError) -> Bool {
    guard welcome.pushed >= state.answered, welcome.pushed < state.nextNumber else { return false }
    guard welcome.pushed > state.answered else { return true }
    return try capture.entry(welcome.pushed)?.digest == welcome.digest
  }

  /// Takes a new id and ends the connection: another copy of the file continued under the old one
  /// (R3).
  ///
  /// - Parameter isServerOlder: Whether the file has had what this server never sent.
  /// - Throws: Always `.newIdentity`, or why there is none.
  func takeNewIdentity(isServerOlder: Bool = false) throws(SyncError) -> Never {
    do {
      try database.write { transaction in
        transaction.origin = .sync
        let capture = try transaction.capture
        // A file without data of the server has nothing to reset.
        if try capture.state().seen != nil {
          try Reset.begin(configuration.resetMode, capture, isServerOlder: isServerOlder)
        }
        try NewIdentity.take(transaction, client: database.random())
      }
    } catch { throw try resetRefused(error) }
    events.append(.newIdentity)
    throw .newIdentity
  }

  /// Records in the file if a reset waits for the application.
  private func resetRefused(_ error: any Error) throws(SyncError) -> SyncError {
    let error = SyncError(any: error)
    switch error {
    case .resetRequired, .resetsRepeated: try requireReset()
    default: break
    }
    return error
  }
}

/// R3: the outbox is renumbered under a new id.
///
/// Each entry keeps its first name and its digest, under which the server knows what it has judged.
/// The file synchronises as if new, but keeps the newest cursor that it has seen (R8).
enum NewIdentity {
  static func take(_ transaction: Transaction, client: UInt64) throws(ObjectError) {
    let capture = try transaction.capture
    var state = try capture.state()
    var numbers: [UInt64] = []
    try capture.forEachEntry { entry throws(ObjectError) in
      numbers.append(entry.number)
      return true
    }
    var generations: [Generation: Generation] = [:]
    var next: UInt64 = 1
    let discarded = try Reset.find(capture)?.discardedUpTo ?? 0
    var objects: Set<ObjectAddress> = []
    var refused = try RefusedSchema.find(capture)
    for number in numbers {
      guard var entry = try capture.entry(number) else { continue }
      try renumber(&entry, next, &generations, &objects, capture)
      if let request = refused?.request, request.number == number, request.digest == entry.digest {
        refused?.request.number = next
        try RefusedSchema.set(refused, capture)
        refused = nil
      }
      next += 1
    }
    // Once for each object, when all new names are known: a new name may equal an old one.
    for object in objects {
      var lives = try capture.generations(of: object)
      guard let head = lives.head, let new = generations[head] else { continue }
      lives.head = new
      try capture.setGenerations(lives, of: object)
    }
    state.clientID = client
    state.token = nil
    state.cursor = nil
    state.proof = nil
    state.boot = nil
    state.answered = 0
    state.answeredSet = 0
    state.nextNumber = next
    try capture.setState(state)
    try Reset.renumber(discarded: UInt64(numbers.count { $0 <= discarded }), capture)
    try Bootstrap.removeBatches(in: transaction)
    try Unconfirmed.removeAll(in: transaction)
  }

  private static func renumber(
    _ entry: inout OutboxEntry, _ number: UInt64, _ generations: inout [Generation: Generation],
    _ all: inout Set<ObjectAddress>, _ capture: Capture
  ) throws(ObjectError) {
    guard case .push(var recorded) = entry.content else {
      try capture.remove(entry)
      entry.number = number
      return try capture.replace(entry)
    }
    let objects = Set(recorded.operations.map(\.object))
    all.formUnion(objects)
    var pending: [ObjectAddress: PendingOperations] = [:]
    for object in objects {
      pending[object] = try capture.pending(of: object).first { $0.number == entry.number }
    }
    for index in recorded.operations.indices {
      if recorded.operations[index].action == .create {
        let index = UInt32(index)
        generations[.pending(number: entry.number, index: index)] =
          .pending(number: number, index: index)
      }
      if !recorded.operations[index].rename(generations) {
        recorded.operations[index].forgetCreation()
      }
    }
    try capture.remove(entry)
    entry.number = number
    entry.content = .push(recorded)
    try capture.replace(entry)
    for (object, var run) in pending {
      run.number = number
      try capture.setPending(run, of: object, number: number)
    }
  }
}
