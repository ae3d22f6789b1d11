internal import AtollCapture
internal import AtollObjects

// Catch-up, from a cursor or from nothing: one way for a bootstrap, a reconnect and a change of
// view.

extension Tick {
  /// How many objects are tested against a view at once.
  private static let sliceLimit = 512
  /// How many objects a catch-up gathers before it removes duplicates.
  private static let repeatLimit = 1 << 20

  /// A catch-up begins.
  ///
  /// `isFull`: it visits all objects in view or held, and not only the changed ones.
  func beginRun(_ connection: Connection, isFull: Bool) throws(ServerStoreError) {
    try forgetPositions(of: connection)
    judge.state.runNumber += 1
    connection.client.run = ClientRecord.Run(
      number: state.runNumber, name: server.random(), start: state.version, isFull: isFull)
    connection.isClientChanged = true
    connection.run = ActiveRun(voidCount: connection.client.moves.voids.count)
    connection.verification?.restart()
  }

  /// Sends the next batch of a catch-up.
  func streamRun(_ connection: Connection) throws(ServerStoreError) {
    guard var run = connection.run else { return }
    let list: [ObjectNumber]
    if let known = run.objects {
      list = known
    } else {
      (list, run.stale) = try objects(of: run, connection)
      run.objects = list
    }
    try settle(&run, connection)
    let tag = MemberRecord.Tag.run(connection.client.run.number)
    var objects: [ObjectChange] = []
    var byteCount = 0
    var visited: Set<ObjectNumber> = []
    let limit = run.visitedCount + server.options.visitLimit
    // A full batch ends before the next object with a change, so it does not reveal hidden objects
    // that follow.
    var isFull = false
    while run.visitedCount < min(list.count, limit), !isFull {
      let end = min(run.visitedCount + Self.sliceLimit, list.count, limit)
      let slice = Array(list[run.visitedCount..<end])
      let inView = try inView(slice, connection)
      for number in slice {
        let planned = try plannedChange(
          of: number, isInView: inView.contains(number), for: connection, withEcho: true, tag: tag)
        if planned.change != nil, byteCount >= server.options.batchByteCount {
          isFull = true
          break
        }
        try note(planned, of: connection)
        visited.insert(number)
        run.visitedCount += 1
        run.position = number
        guard let change = planned.change else { continue }
        objects.append(change)
        byteCount += change.approximateByteCount
      }
    }
    let isLast = run.visitedCount == list.count && run.stale.isEmpty
    if isLast {
      // Its moves are distinguished from those of earlier parts: a device that resumes may lack
      // them.
      judge.state.runNumber += 1
      objects += try changesSinceStart(connection, .run(state.runNumber), except: visited)
    }
    connection.run = run
    guard isLast || !objects.isEmpty else {
      server.hasUnfinishedRound = true
      return
    }
    let answers = isLast || connection.isProgressive ? try answers(connection) : []
    connection.client.run.batchCount += 1
    connection.isClientChanged = true
    let position = RunPosition.bytes(connection.client.run.batchCount)
    if !isLast, let reached = run.position {
      try store.set(
        reached.bytes, for: RunPosition.key(connection.clientID, position), in: .positions)
    }
    // Of a catch-up from a cursor only its own objects may be counted, and these are not known
    // before.
    let remaining = connection.client.run.isFull ? UInt64(list.count - run.visitedCount) : nil
    let batchRun = BatchRun(
      number: connection.client.run.name, position: position, isRestart: connection.isRestart,
      remainingCount: remaining)
    connection.isRestart = false
    send(
      .batch(
        try batch(objects, answers, to: isLast ? state.head : nil, run: batchRun, connection)),
      connection)
    if isLast { end(run, connection) }
  }

  /// The client's catch-up has arrived, or another one begins: it cannot be resumed any more.
  func forgetPositions(of connection: Connection) throws(ServerStoreError) {
    let prefix = AnswerRecord.prefix(connection.clientID)
    var keys: [[UInt8]] = []
    try store.forEach(in: .positions, from: prefix, prefix: prefix) { key, _ in
      keys.append(key)
      return true
    }
    for key in keys { try store.set(nil, for: key, in: .positions) }
    connection.client.run.batchCount = 0
  }

  /// The last batch was sent.
  private func end(_ run: ActiveRun, _ connection: Connection) {
    connection.client.moves.end(run: state.runNumber, version: state.version)
    connection.client.moves.forgetVoids(run.voidCount)
    connection.isClientChanged = true
    connection.run = nil
    connection.from = state.head
    connection.checkedVersion = state.version
    connection.ownCreations = []
  }

  /// Settles some of the records that the catch-up does not visit.
  private func settle(_ run: inout ActiveRun, _ connection: Connection) throws(ServerStoreError) {
    guard !run.stale.isEmpty else { return }
    let members = Membership(
      store: store, number: connection.client.membership, moves: connection.client.moves)
    for number in run.stale.suffix(server.options.visitLimit) { try members.settle(number) }
    run.stale.removeLast(min(run.stale.count, server.options.visitLimit))
  }

  /// The objects that a catch-up visits, and those whose records it only settles.
  private func objects(of run: ActiveRun, _ connection: Connection) throws(ServerStoreError)
    -> (visited: [ObjectNumber], stale: [ObjectNumber])
  {
    var stale: [ObjectNumber] = []
    let client = connection.client
    var numbers: [ObjectNumber] = []
    if client.run.isFull {
      var repeatLimit = Self.repeatLimit
      for query in connection.views {
        guard let table = store.schema.table(query.className) else { continue }
        numbers += try store.keys(matching: query, among: nil, in: .now).map {
          ObjectNumber(classNumber: table.id, key: $0)
        }
        // Thousands of subscriptions may match the same objects.
        if numbers.count > repeatLimit {
          numbers = Array(Set(numbers))
          repeatLimit = max(repeatLimit, 2 * numbers.count)
        }
      }
      let members = Membership(store: store, number: client.membership, moves: client.moves)
      let held: [ObjectNumber]
      (held, stale) = try members.heldObjects()
      numbers += held
    } else {
      numbers = try changed(after: connection.from?.version ?? 0)
    }
    numbers.sort()
    var distinct: [ObjectNumber] = []
    distinct.reserveCapacity(numbers.count)
    for number in numbers where number != distinct.last {
      if let position = run.position, number <= position { continue }
      distinct.append(number)
    }
    return (distinct, stale)
  }

  /// The objects that changed after a version.
  private func changed(after version: UInt64) throws(ServerStoreError) -> [ObjectNumber] {
    var start: [UInt8] = []
    start.appendNumber(version &+ 1)
    var numbers: [ObjectNumber] = []
    try store.forEach(in: .versions, from: start, prefix: []) { (key, _) throws(ServerStoreError) in
      guard let number = ObjectNumber(key.dropFirst(8)) else { throw .damaged(.versions) }
      numbers.append(number)
      return true
    }
    return numbers
  }

  /// The changes since the catch-up began, for its last batch.
  private func changesSinceStart(
    _ connection: Connection, _ tag: MemberRecord.Tag, except visited: Set<ObjectNumber>
  ) throws(ServerStoreError) -> [ObjectChange] {
    var numbers = Set(try changed(after: connection.client.run.start))
    numbers.formUnion(connection.ownCreations)
    numbers.subtract(visited)
    var changes: [ObjectChange] = []
    let sorted = numbers.sorted()
    let inView = try inView(sorted, connection)
    for number in sorted {
      // Objects sent before in this catch-up are sent again only if a readable value changed.
      if inView.contains(number), try isSentAlready(number, in: connection) { continue }
      let change = try change(
        of: number, isInView: inView.contains(number), for: connection, withEcho: true, tag: tag)
      if let change { changes.append(change) }
    }
    return changes
  }

  /// Whether a client holds an object of which nothing that it may read has changed since its
  /// catch-up began.
  private func isSentAlready(
    _ number: ObjectNumber, in connection: Connection
  ) throws(ServerStoreError) -> Bool {
    let client = connection.client
    let member = try Membership(
      store: store, number: client.membership, moves: client.moves)[number]
    guard member.isHeld, !member.isMerged(after: client.run.start) else { return false }
    return try !hasNews(of: number, after: client.run.start, for: connection)
  }

  private func inView(_ numbers: [ObjectNumber], _ connection: Connection)
    throws(ServerStoreError) -> Set<ObjectNumber>
  {
    try server.views.inView(connection.views, among: numbers, in: store, isKept: false)
  }
}
