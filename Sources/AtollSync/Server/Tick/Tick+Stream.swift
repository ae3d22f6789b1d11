internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

extension Tick {
  /// How far a device's cursor may stay behind before a batch without contents moves it.
  private static let silentVersionLimit: UInt64 = 1_000

  /// Sends to each connection that is ready.
  func stream(_ ready: (ConnectionID) -> Bool) throws(ServerStoreError) {
    let newest = server.changes.newest
    let open = server.connections.values.filter { $0.hasNews(at: newest) && ready($0.id) }
    if state.version == server.state.version, open.contains(where: { $0.mayMove(at: newest) }) {
      // R14: moves that are sent have a version that no earlier copy of the store has. Otherwise
      // their cursors would be valid after that copy was restored, and the server would not know
      // what it had sent.
      judge.state.version += 1
    }
    let budget = server.budget(server.options.work.stream)
    // One that is alone has all of the time.
    connectionTime = max(
      server.options.work.connection, server.options.work.stream / UInt64(max(1, open.count)))
    var isFirst = true
    for connection in inOrderOfService(open) {
      // A tick that serves nobody would not get on.
      guard isFirst || !budget.isSpent else {
        server.hasUnfinishedRound = true
        return
      }
      isFirst = false
      server.lastServed = connection.id
      try server.work(for: connection, now: now) { () throws(ServerStoreError) in
        do throws(ServerStoreError) { try stream(to: connection) } catch .tooExpensive(let view) {
          try refuse(view, of: connection)
        }
      }
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
    if connection.run == nil, connection.checkedVersion < server.changes.start {
      try beginRun(connection, isFull: false)
    }
    if connection.run == nil, try !streamLive(connection) {
      // Which of the changes concern it is looked at in its own time.
      try beginRun(connection, isFull: false)
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

  /// Records which views the changes of this tick concern.
  func noteChanges() throws(ServerStoreError) {
    guard state.version != server.state.version else { return }
    server.views.forget()
    var entry = ChangeLog.Entry(version: state.version, objects: changed)
    var keys: [UInt32: [UInt64]] = [:]
    for number in changed { keys[number.classNumber, default: []].append(number.key) }
    let budget = server.budget(server.options.work.changes)
    for (classNumber, keys) in keys {
      guard let className = store.schema.table(id: classNumber)?.name else { continue }
      let sorted = keys.sorted()
      let views = server.views.views(of: className)
      var candidates = try store.candidates(
        among: views, of: className, holding: sorted, in: .now)
      candidates.formUnion(
        try store.candidates(among: views, of: className, holding: sorted, in: .before))
      for query in server.views.inOrderOfCost(candidates) {
        guard let found = try objects(among: sorted, thatMoveIn: query, within: budget) else {
          entry.unknown.insert(query)
          continue
        }
        // Most changes of a class concern few of its views.
        guard !found.isEmpty else { continue }
        entry.candidates[query] = Set(
          found.lazy.map { ObjectNumber(classNumber: classNumber, key: $0) })
      }
    }
    server.changes.append(entry)
  }

  /// The objects that are or were in a view; nil when the time for it is over.
  private func objects(
    among keys: [UInt64], thatMoveIn query: ViewQuery, within budget: QueryBudget
  ) throws(ServerStoreError) -> Set<UInt64>? {
    guard !budget.isSpent else { return nil }
    let start = budget.now
    defer { server.views.note(budget.elapsed(since: start), of: query) }
    do throws(ServerStoreError) {
      guard
        var found = try server.views.matches(query, among: keys, in: store, within: budget)
      else { return nil }
      let before = try store.keys(
        matching: query, among: keys, from: 0, in: .before, within: budget)
      guard before.next == nil else { return nil }
      found.formUnion(before.keys)
      return found
    } catch .tooExpensive { return nil }
  }

  // MARK: Live

  /// Sends what changed since the last batch.
  ///
  /// - Returns: False, and nothing is sent, when it is not known which changes concern the device.
  private func streamLive(_ connection: Connection) throws(ServerStoreError) -> Bool {
    guard
      var candidates = server.changes.candidates(
        connection.views, after: connection.checkedVersion)
    else { return false }
    candidates.formUnion(connection.ownCreations)
    let numbers = candidates.sorted()
    guard
      let inView = try server.views.inView(
        connection.views, among: numbers, in: store, isKept: true,
        within: server.budget(connectionTime))
    else { return false }
    var objects: [ObjectChange] = []
    for number in numbers {
      let change = try change(
        of: number, isInView: inView.contains(number), for: connection, withEcho: false,
        tag: .version(state.version))
      if let change { objects.append(change) }
    }
    connection.checkedVersion = state.version
    connection.ownCreations = []
    if !objects.isEmpty { connection.verification?.restart() }
    let answers = try answers(connection)
    let lag = state.version - (connection.from?.version ?? 0)
    // Before a mark is answered, the device gets the time of its data.
    guard
      !objects.isEmpty || !answers.isEmpty || lag >= Self.silentVersionLimit
        || !connection.marks.isEmpty
    else { return true }
    send(
      .batch(try batch(objects, answers, to: state.head, run: nil, connection)), connection)
    connection.from = state.head
    return true
  }

  /// The answers that were not sent on this connection.
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
