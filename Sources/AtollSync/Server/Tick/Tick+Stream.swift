internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

extension Tick {
  /// Sends to each connection that can take more.
  func stream() throws(ServerStoreError) {
    visitCursors()
    let open = server.connectionsWithNews(except: blocked, now: now)
    if state.version == server.state.version, open.contains(where: \.mayMove) {
      // R14: moves that are sent have a version that no earlier copy of the store has. Otherwise
      // their cursors would be valid after that copy was restored, and the server would not know
      // what it had sent.
      judge.state.version += 1
    }
    let budget = server.budget(server.bounds.work.stream)
    // One that is alone has all of the time.
    connectionTime = max(
      server.bounds.work.connection, server.bounds.work.stream / UInt64(max(1, open.count)))
    var isFirst = true
    for connection in inOrderOfService(open) {
      // A tick that serves nobody would not get on.
      guard isFirst || !budget.isSpent else {
        server.hasUnfinishedRound = true
        return
      }
      isFirst = false
      server.lastServed = connection.id
      let start = budget.now
      try server.work(for: connection, now: now) { () throws(ServerStoreError) in
        do throws(ServerStoreError) { try stream(to: connection) } catch .tooExpensive(let view) {
          try refuse(view, of: connection)
        }
      }
      server.rest(connection, after: budget.elapsed(since: start))
    }
    server.lastServed = nil
  }

  /// Those whose users took little time first; among these, behind the last one that was served when
  /// the time of a tick was over.
  private func inOrderOfService(_ open: [Connection]) -> [Connection] {
    let last = server.lastServed
    return open.map { connection in
      (
        rank: server.rank(of: connection, now: now),
        isLater: last.map { connection.id <= $0 } ?? false, connection: connection
      )
    }.sorted { a, b in
      if a.rank != b.rank { return a.rank < b.rank }
      if a.isLater != b.isLater { return b.isLater }
      return a.connection.id < b.connection.id
    }.map(\.connection)
  }

  private func stream(to connection: Connection) throws(ServerStoreError) {
    if connection.run == nil {
      var isTold = false
      if !connection.pending.isUnknown { isTold = try streamLive(connection) }
      if !isTold {
        // Which of the changes concern it is looked at in its own time.
        try beginRun(connection, isFull: false, after: connection.pending.start)
      }
    }
    if connection.run != nil { try streamRun(connection) }
    guard !connection.isOverdue else {
      return try end(
        connection, ErrorMessage(.retry, .tooBusy, text: "the device confirms too little"))
    }
    guard connection.run == nil else { return }
    for mark in connection.marks { send(.mark(mark), connection) }
    connection.marks = []
    try verify(connection)
  }

  // MARK: Interest

  /// Tells the connections whose views hold or held what this tick changed.
  func noteChanges() throws(ServerStoreError) {
    guard state.version != server.state.version else { return }
    // Also those that no change concerns: whether a later tick has a version of its own must not
    // tell what it was that changed.
    server.resting = server.resting.filter { id in
      server.connections[id].map { !server.isAwake($0) } ?? false
    }
    for id in blocked.union(server.resting) {
      guard let connection = server.connections[id], connection.phase == .confirmed else {
        continue
      }
      connection.isBehind = true
      server.busy.insert(id)
    }
    var keys: [UInt32: [UInt64]] = [:]
    for number in changed { keys[number.classNumber, default: []].append(number.key) }
    try store.writeDeferred()
    let budget = server.budget(server.bounds.work.changes)
    for (classNumber, keys) in keys.sorted(by: { $0.key < $1.key }) {
      guard let className = store.schema.table(id: classNumber)?.name else { continue }
      let (changes, unknown) = try server.views.changes(
        of: className, keys.sorted(), in: store, within: budget)
      for change in changes { tell(change, classNumber) }
      for view in unknown {
        forEachLive(of: view) { $0.pending.setUnknown(after: server.state.version) }
      }
    }
  }

  private func tell(_ change: ViewChange, _ classNumber: UInt32) {
    let (former, limit) = (server.state.version, server.pendingLimit)
    forEachLive(of: change.view) { connection in
      for (keys, isInView) in [(change.inside, true), (change.left, false)] {
        for key in keys {
          guard !connection.pending.isUnknown else { return }
          connection.pending.insert(
            ObjectNumber(classNumber: classNumber, key: key), isInView: isInView,
            at: state.version, after: former, limit: limit)
        }
      }
    }
  }

  /// Those with a catch-up find out by themselves what has changed since it began.
  private func forEachLive(of view: LiveView, _ body: (Connection) -> Void) {
    for id in view.connections {
      guard let connection = server.connections[id], connection.run == nil else { continue }
      body(connection)
      server.busy.insert(id)
    }
  }

  /// Has the cursors moved that stay far behind.
  private func visitCursors() {
    var left = Self.cursorLimit
    let limit = CursorQueue.limit(connectionCount: server.connections.count)
    while left > 0, let id = server.cursors.removeFirst(at: state.version, limit: limit) {
      left -= 1
      guard let connection = server.connections[id] else { continue }
      let version = connection.from?.version ?? 0
      guard connection.run == nil, version + limit <= state.version else {
        server.cursors.append(id, at: connection.run == nil ? version : state.version)
        continue
      }
      connection.isCursorDue = true
      server.busy.insert(id)
      server.cursors.append(id, at: state.version)
    }
  }

  /// How many cursors one tick looks at.
  private static let cursorLimit = 256

  // MARK: Live

  /// Sends what changed since the last batch.
  ///
  /// - Returns: False, and nothing is sent, when that is much: a catch-up divides it.
  private func streamLive(_ connection: Connection) throws(ServerStoreError) -> Bool {
    let pending = connection.pending
    let numbers = Set(pending.numbers).union(connection.ownCreations).sorted()
    var planned: [PlannedChange] = []
    var byteCount = 0
    for number in numbers {
      let next = try plannedChange(
        of: number, isInView: pending.isInView(number), for: connection, withEcho: false,
        tag: .version(state.version))
      planned.append(next)
      byteCount += next.change?.approximateByteCount ?? 0
      // What the device made itself is not among what a catch-up finds.
      guard byteCount < Self.liveByteCount || !connection.ownCreations.isEmpty else { return false }
    }
    for next in planned { try note(next, of: connection) }
    let objects = planned.compactMap(\.change)
    connection.pending.removeAll()
    connection.isBehind = false
    connection.ownCreations = []
    if !numbers.isEmpty { connection.verification?.restart() }
    let answers = try answers(connection)
    // Before a mark is answered, the device gets the time of its data.
    guard
      !objects.isEmpty || !answers.isEmpty || connection.isCursorDue || !connection.marks.isEmpty
    else { return true }
    send(
      .batch(try batch(objects, answers, to: state.head, run: nil, connection)), connection)
    connection.from = state.head
    connection.isCursorDue = false
    return true
  }

  /// More bytes are sent by a catch-up, in batches that do not get large.
  private static let liveByteCount = 8 << 20

  /// The answers that were not sent on this connection.
  ///
  /// All at once: what the objects of a batch hold of the device's own writes is known to it by its
  /// answers (R9).
  func answers(_ connection: Connection) throws(ServerStoreError) -> [Answer] {
    guard connection.told < connection.client.pushed else { return [] }
    var answers: [Answer] = []
    try store.forEach(
      in: .answers, from: AnswerRecord.key(connection.clientID, connection.told + 1),
      prefix: AnswerRecord.prefix(connection.clientID)
    ) { _, bytes throws(ServerStoreError) in
      answers.append(try AnswerRecord(bytes).answer)
      return true
    }
    connection.told = connection.client.pushed
    server.noteAnswered(connection)
    return answers
  }

  /// How much later than the newest write the reported server time may be.
  private static let clockLeadMilliseconds: UInt64 = 24 * 60 * 60 * 1_000

  /// The clock of a batch.
  ///
  /// The server's time if that is later than the newest write: the time of the write would reveal
  /// hidden writes of others. At most a day later, so that the clocks of devices do not follow a
  /// server whose own is wrong by years.
  private var newestClock: HybridClock {
    let now = HybridClock(milliseconds: now)
    return now.milliseconds > state.clock.milliseconds &+ Self.clockLeadMilliseconds
      ? state.clock : max(state.clock, now)
  }

  func batch(
    _ objects: [ObjectChange], _ answers: [Answer], to: Cursor?, run: BatchRun?,
    _ connection: Connection
  ) throws(ServerStoreError) -> Batch {
    Batch(
      from: connection.from, to: to, readAt: state.version, readTime: now,
      newestClock: newestClock,
      setNumber: connection.client.subscriptionsNumber, run: run,
      classes: classes(of: objects, connection), objects: objects, answers: answers)
  }

  /// The classes that the objects need and that were not sent on this connection.
  ///
  /// They have the properties that the user may read: the names of the others are no one else's
  /// business. Of a class that the user may not read at all that is the key, by which links name
  /// its objects.
  private func classes(of objects: [ObjectChange], _ connection: Connection) -> [ClassSchema] {
    let schema = store.schema
    var classes: [ClassSchema] = []
    var names = Set(objects.map(\.object.className))
    for object in objects {
      for unit in object.units { unit.addLinkedClasses(to: &names) }
    }
    var waiting = names.sorted()
    while let name = waiting.popLast() {
      guard let table = schema.table(name) else { continue }
      let rights = connection.rights[name]
      let told = table.columns.filter { column in
        table.isEmbedded || column.isPrimaryKey
          || rights.map { $0.properties[column.name] >= .read } ?? false
      }
      let numbers = Set(told.map(\.id))
      guard connection.sentClasses[table.id].map({ !$0.isSuperset(of: numbers) }) ?? true else {
        continue
      }
      connection.sentClasses[table.id, default: []].formUnion(numbers)
      var added = table.schema(in: schema)
      added.properties.removeAll { property in
        !told.contains { $0.name.hasSameBytes(as: property.name) }
      }
      classes.append(added)
      waiting += added.properties.compactMap(\.linkTarget)
    }
    return classes
  }
}
