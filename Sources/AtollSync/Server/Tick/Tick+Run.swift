internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

// Catch-up, from a cursor or from nothing: one way for a bootstrap, a reconnect and a change of
// view.

extension Tick {
  /// A catch-up begins.
  ///
  /// `isFull`: it visits all objects in view or held, and not only those that changed since the
  /// device's cursor, or since `checkedVersion`.
  func beginRun(
    _ connection: Connection, isFull: Bool, after checkedVersion: UInt64 = 0
  ) throws(ServerStoreError) {
    try forgetPositions(of: connection)
    judge.state.runNumber += 1
    connection.client.run = ClientRecord.Run(
      number: state.runNumber, name: server.random(), start: state.version, isFull: isFull)
    connection.isClientChanged = true
    connection.run = ActiveRun(
      voidCount: connection.client.moves.voids.count, checkedVersion: checkedVersion)
    connection.pending.removeAll()
    server.busy.insert(connection.id)
    connection.verification?.restart()
  }

  /// Sends the next batch of a catch-up.
  func streamRun(_ connection: Connection) throws(ServerStoreError) {
    guard var run = connection.run else { return }
    // It is put back below: what is changed is not shared, and so not copied. An error that is caught
    // begins another catch-up.
    connection.run = nil
    let budget = server.budget(connectionTime)
    var list: [ObjectNumber]
    if let known = run.objects {
      list = known
    } else if let found = try objects(of: &run, connection, within: budget) {
      (list, run.stale) = found
      run.objects = list
    } else {
      connection.run = run
      server.hasUnfinishedRound = true
      return
    }
    try settle(&run, connection)
    // Before any is visited: what changed before that is not sent again at the end.
    try noteChanges(since: &run, connection)
    if run.visitedCount == list.count, run.stale.isEmpty {
      let behind = run.changesBehind
      if behind.count > run.lateLimit(server.bounds.work.lateCount) {
        run.lapCount += 1
        run.countedCount = run.countedCount ?? list.count
        run.objects = nil
        list += behind.sorted()
        run.objects = list
      }
    }
    let tag = MemberRecord.Tag.run(connection.client.run.number)
    var objects: [ObjectChange] = []
    var byteCount = 0
    var visited: Set<ObjectNumber> = []
    let limit = run.visitedCount + server.options.visitLimit
    // A full batch ends before the next object with a change, so it does not reveal hidden objects
    // that follow.
    var isFull = false
    while run.visitedCount < min(list.count, limit), !isFull,
      visited.isEmpty || !budget.isSpent
    {
      let slice: [ObjectNumber]
      let inView: Set<ObjectNumber>
      do throws(ServerStoreError) {
        let rest = list[run.visitedCount..<min(list.count, limit)]
        guard let next = try nextSlice(of: rest, &run, connection, within: budget) else { break }
        (slice, inView) = next
      } catch .tooExpensive(let view) {
        // What was noted as sent is sent; the next tick comes to this object first.
        guard !visited.isEmpty else { throw .tooExpensive(view) }
        break
      }
      for number in slice {
        // To send an object may take longer than to test it.
        guard visited.isEmpty || !budget.isSpent else {
          run.sliceLimit = max(1, min(run.sliceLimit, visited.count))
          break
        }
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
        if run.changes[number] != nil {
          run.changes[number] = 0
          run.visits[number] = state.version
        }
        guard let change = planned.change else { continue }
        objects.append(change)
        byteCount += change.approximateByteCount
      }
    }
    var isLast =
      run.visitedCount == list.count && run.stale.isEmpty
      && run.changesBehind.count <= run.lateLimit(server.bounds.work.lateCount)
    if isLast {
      // Its moves are distinguished from those of earlier parts: a device that resumes may lack
      // them.
      let number = state.runNumber + 1
      var late: [ObjectChange]?
      do throws(ServerStoreError) {
        late = try changesSinceStart(&run, connection, .run(number), except: visited)
      } catch .tooExpensive(let view) {
        guard !objects.isEmpty else { throw .tooExpensive(view) }
      }
      if let late {
        judge.state.runNumber = number
        objects += late
      } else {
        isLast = false
      }
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
    let countedCount = run.countedCount ?? list.count
    let remaining =
      connection.client.run.isFull ? UInt64(max(0, countedCount - run.visitedCount)) : nil
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
    connection.isCursorDue = false
    connection.isBehind = false
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

  /// The objects that a catch-up visits, and those whose records it only settles; nil when the time
  /// of the connection is over before they are found.
  private func objects(
    of run: inout ActiveRun, _ connection: Connection, within budget: QueryBudget
  ) throws(ServerStoreError) -> (visited: [ObjectNumber], stale: [ObjectNumber])? {
    var stale: [ObjectNumber] = []
    let client = connection.client
    var numbers: [ObjectNumber] = []
    if client.run.isFull {
      guard try run.search.advance(connection.views, in: store, within: budget) else {
        return nil
      }
      let members = Membership(store: store, number: client.membership, moves: client.moves)
      guard try run.held.advance(members, within: budget) else { return nil }
      numbers = run.search.numbers + run.held.objects
      stale = run.held.stale
      run.search = ViewSearch()
      run.held = HeldSearch()
    } else {
      // What was looked at before had nothing to send.
      let start = max(connection.from?.version ?? 0, run.checkedVersion)
      numbers = try changed(after: start).map(\.number)
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

  /// The objects that changed after a version, each with the version of its last change.
  private func changed(
    after version: UInt64
  ) throws(ServerStoreError) -> [(number: ObjectNumber, version: UInt64)] {
    var start: [UInt8] = []
    start.appendNumber(version &+ 1)
    var changed: [(number: ObjectNumber, version: UInt64)] = []
    try store.forEach(in: .versions, from: start, prefix: []) { (key, _) throws(ServerStoreError) in
      guard key.count > 8, let number = ObjectNumber(key.dropFirst(8)) else {
        throw .damaged(.versions)
      }
      changed.append((number, key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }))
      return true
    }
    return changed
  }

  /// Notes what changed since the catch-up began.
  ///
  /// What was noted before is not read again: there may be many, and a tick for each part of them.
  private func noteChanges(
    since run: inout ActiveRun, _ connection: Connection
  ) throws(ServerStoreError) {
    for (number, version) in try changed(
      after: max(connection.client.run.start, run.changesVersion))
    {
      run.changes[number] = version
    }
    run.changesVersion = state.version
  }

  /// The changes since the catch-up began, for its last batch; nil when the time of the connection
  /// is over before it is known which of them are in view.
  private func changesSinceStart(
    _ run: inout ActiveRun, _ connection: Connection, _ tag: MemberRecord.Tag,
    except visited: Set<ObjectNumber>
  ) throws(ServerStoreError) -> [ObjectChange]? {
    var versions = run.changes.filter { $0.value > 0 }
    for number in connection.ownCreations where run.changes[number] == nil {
      versions[number] = connection.client.run.start
    }
    for number in visited { versions[number] = nil }
    // In time of its own: to find what is left of many changes may take as long as a part of them.
    let budget = server.budget(connectionTime)
    let sorted = versions.keys.sorted()
    var unknown = sorted.filter { number in
      run.late[number].map { $0.version < versions[number] ?? 0 } ?? true
    }[...]
    while !unknown.isEmpty {
      guard let (slice, inView) = try nextSlice(of: unknown, &run, connection, within: budget)
      else { return nil }
      for number in slice { run.late[number] = (inView.contains(number), state.version) }
      unknown = unknown.dropFirst(slice.count)
      if !unknown.isEmpty, budget.isSpent { return nil }
    }
    let inView = Set(sorted.filter { run.late[$0]?.isInView ?? false })
    var changes: [ObjectChange] = []
    for number in sorted {
      // Objects sent before in this catch-up are sent again only if a readable value changed.
      let visit = run.visits[number] ?? connection.client.run.start
      if inView.contains(number), try isSent(number, since: visit, to: connection) { continue }
      let change = try change(
        of: number, isInView: inView.contains(number), for: connection, withEcho: true, tag: tag)
      if let change { changes.append(change) }
    }
    return changes
  }

  /// Whether a client holds an object of which nothing that it may read has changed since a version.
  private func isSent(
    _ number: ObjectNumber, since version: UInt64, to connection: Connection
  ) throws(ServerStoreError) -> Bool {
    let client = connection.client
    let member = try Membership(
      store: store, number: client.membership, moves: client.moves)[number]
    guard member.isHeld, !member.isMerged(after: version) else { return false }
    return try !hasNews(of: number, after: version, for: connection)
  }

  /// The next of some objects, as many as are tested at once, and those of them that are in view; nil
  /// when the budget was spent before all were tested.
  ///
  /// - Throws: `.tooExpensive` when one object takes too long.
  private func nextSlice(
    of numbers: ArraySlice<ObjectNumber>, _ run: inout ActiveRun, _ connection: Connection,
    within budget: QueryBudget
  ) throws(ServerStoreError) -> (slice: [ObjectNumber], inView: Set<ObjectNumber>)? {
    while true {
      let slice = Array(numbers.prefix(run.sliceLimit))
      if let inView = try inView(slice, connection, within: budget) {
        run.adaptSlice(isFinished: true)
        return (slice, inView)
      }
      run.adaptSlice(isFinished: false)
      if budget.isSpent, slice.count > 1 { return nil }
    }
  }

  /// Those of some objects that are in view; nil when the budget was spent before all were tested.
  ///
  /// One object is tested whatever is left of the budget: a catch-up would not get on.
  ///
  /// - Throws: `.tooExpensive` when one object takes too long.
  private func inView(
    _ numbers: [ObjectNumber], _ connection: Connection, within budget: QueryBudget
  ) throws(ServerStoreError) -> Set<ObjectNumber>? {
    guard numbers.count > 1 else {
      let budget = server.budget(server.bounds.work.judgement)
      var inView: Set<ObjectNumber> = []
      for number in numbers
      where try server.views.contains(number, in: connection.views, store, within: budget) {
        inView.insert(number)
      }
      return inView
    }
    return try server.views.inView(
      connection.views, among: numbers, in: store, within: budget)
  }
}
