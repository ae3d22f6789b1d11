internal import AtollCapture
internal import AtollObjects

// Entries of a device's outbox, in the order of their numbers.

extension Tick {
  func takeEntry(_ message: SyncMessage, _ connection: Connection) throws(ServerStoreError) {
    switch message {
    case .schema(let entry):
      guard entry.header.number > 0 || !entry.classes.isEmpty else {
        return try judgeSet(of: connection)
      }
      guard entry.header.number == 0 || begin(entry.header, connection) else { return }
      try settle()
      let verdict = try schema(entry.classes)
      try judgeSet(of: connection)
      if entry.header.number > 0 {
        try answer(entry.header.number, verdict, to: .schema, connection)
      } else if case .refused(let refusal) = verdict {
        send(.error(ErrorMessage(.report, .schemaConflict, text: refusal.text)), connection)
      }
    case .sets(let entry):
      guard entry.header.number > connection.client.pushed else { return }
      try settle()
      guard
        connection.rights.areShort(
          forSubscriptionsTo: entry.members.lazy.map(\.className))
      else {
        guard begin(entry.header, connection) else { return }
        let refusal = Refusal(.tooLarge, text: UserRights.lengthText)
        return try answer(entry.header.number, .refused(refusal), to: .sets, connection)
      }
      // After what settles, which may change the user's rights and so the views.
      let set = RequestedSet(entry, connection, server)
      // A refusal would be for good.
      if set.hasRoomLater { return try turnAway(connection, server.limits.viewText) }
      guard server.hasMemory(for: set.views, of: connection) else {
        return try turnAway(connection, Self.memoryText)
      }
      guard begin(entry.header, connection) else { return }
      try answer(
        entry.header.number, try verdict(on: set, connection), to: .sets, connection)
    case .push(let entry):
      guard begin(entry.header, connection) else { return }
      try push(entry, connection)
    default: break
    }
  }

  /// Advances the client's number; false when the entry was judged before, and its answer was sent
  /// again.
  private func begin(_ header: EntryHeader, _ connection: Connection) -> Bool {
    guard header.number > connection.client.pushed else { return false }
    connection.client.pushed = header.number
    connection.client.digest = header.digest
    connection.isClientChanged = true
    return true
  }

  private func answer(
    _ number: UInt64, _ verdict: Verdict, to kind: SyncMessage.Kind, _ connection: Connection
  ) throws(ServerStoreError) {
    let answer = Answer(number: number, verdicts: [verdict])
    try keep(AnswerRecord(answer).encoded, to: number, of: connection.clientID)
    server.note(answer, to: kind)
  }

  // MARK: Transactions

  private func push(_ entry: PushEntry, _ connection: Connection) throws(ServerStoreError) {
    let header = entry.header
    if let former = try formerRecord(header.firstName, connection) {
      // An entry under the name of another user's entry would make that one count as judged before
      // it arrives.
      guard former.user.hasSameBytes(as: connection.user) else {
        return try end(
          connection,
          ErrorMessage(.stop, .otherUser, text: "an entry is named as one of another user's file"))
      }
      connection.client.refusedElements.formUnion(former.refusedElements)
    }
    let name = AnswerRecord.key(header.firstName, digest: header.digest)
    // Perhaps judged before, under another number: also of an entry that has its first one, as a
    // copy of the file may have been faster.
    if headers.values.contains(where: { $0.hasName(of: header) }) { try settle() }
    if let bytes = try store.record(name, in: .names) {
      // By runs: there may be millions of verdicts.
      let runs = try AnswerRecord(bytes).answer.runs.map { run in
        Answer.Run(verdict: run.verdict.again, count: run.count)
      }
      let answer = Answer(number: header.number, runs: runs)
      let record = AnswerRecord(answer).encoded
      try keep(record, to: header.number, of: connection.clientID)
      server.note(answer, to: .push)
      let verdicts = answer.verdicts.prefix(entry.transaction.operations.count)
      judge.noteRefused(entry.transaction, Array(verdicts), connection)
      // A few bytes may ask for an answer of megabytes again.
      return charge(connection, byteCount: record.count)
    }
    guard entry.unreadCount == 0 else { return try refuse(entry, connection) }
    if judge.mustSettle(before: entry.transaction) || hasOpenUserData { try settle() }
    headers[HeaderKey(client: connection.clientID, number: header.number)] = header
    try judge.judge(
      entry.transaction, number: header.number, connection,
      limit: HybridClock(
        milliseconds: now &+ server.options.clockToleranceMilliseconds))
    try takeFinished()
  }

  /// Refuses an entry of which the operations were not read.
  private func refuse(_ entry: PushEntry, _ connection: Connection) throws(ServerStoreError) {
    let header = entry.header
    let refusal = Refusal(
      .tooLarge,
      text:
        "a part of a transaction has at most \(PushEntry.operationLimit) operations, and this one "
        + "has \(entry.operationCount)")
    let run = Answer.Run(
      verdict: .refused(refusal), count: UInt32(clamping: entry.operationCount))
    let answer = Answer(number: header.number, runs: [run])
    server.note(answer, to: .push)
    let record = AnswerRecord(answer).encoded
    try keep(record, to: header.number, of: connection.clientID)
    try store.set(
      record, for: AnswerRecord.key(header.firstName, digest: header.digest), in: .names)
  }

  /// The record of the file that first had an entry, where that is not the one that sends it: the
  /// same under another id, or the one of which it is a copy.
  private func formerRecord(
    _ name: EntryName, _ connection: Connection
  ) throws(ServerStoreError) -> ClientRecord? {
    guard name.client != connection.clientID else { return nil }
    if let other = server.clients[name.client].flatMap({ server.connections[$0] }),
      other.phase == .confirmed
    {
      return other.client
    }
    guard let bytes = try store.record(AnswerRecord.prefix(name.client), in: .clients) else {
      return nil
    }
    return try ClientRecord(bytes)
  }

  /// Decides all open creations.
  func settle() throws(ServerStoreError) {
    try judge.settle()
    try takeFinished()
  }

  /// Whether rights of users may depend on undecided creations.
  private var hasOpenUserData: Bool {
    guard let userClass = rights.userClass else { return false }
    return judge.open.contains {
      $0.objects.contains { $0.address.className.hasSameBytes(as: userClass) }
    }
  }

  /// The verdicts on an entry, as they are kept for good: without texts of their own where the user
  /// has no quota left.
  private func keptVerdicts(
    _ verdicts: [Verdict], of client: UInt64
  ) throws(ServerStoreError) -> [Verdict] {
    guard verdicts.contains(where: { $0.refusal?.text.isEmpty == false }),
      try server.storedBytes.refusal(objectsOf: client, in: store) != nil
    else { return verdicts }
    return verdicts.map { verdict in
      verdict.refusal.map { .refused(Refusal($0.reason)) } ?? verdict
    }
  }

  private func takeFinished() throws(ServerStoreError) {
    var users: Set<String> = []
    for push in judge.takeFinished() {
      let key = HeaderKey(client: push.client, number: push.number)
      guard let header = headers.removeValue(forKey: key) else { continue }
      let verdicts = try keptVerdicts(push.verdicts, of: push.client)
      let answer = Answer(number: push.number, verdicts: verdicts)
      server.note(answer, to: .push)
      try server.storedBytes.add(
        Int64(StoredBytes.excess(ofTextsIn: answer)), push.client, in: store)
      let record = AnswerRecord(answer).encoded
      try keep(record, to: push.number, of: push.client)
      try store.set(
        record, for: AnswerRecord.key(header.firstName, digest: header.digest), in: .names)
      let connection = server.clients[push.client].flatMap { server.connections[$0] }
      for object in push.objects where object.isAccepted {
        // Nobody could delete what is sent to no device.
        if !object.isAsymmetric {
          try server.storedBytes.count(object.before, object.record, in: store)
        }
        guard let number = object.number else { continue }
        changed.insert(number)
        if !object.creations.isEmpty, !object.isAsymmetric {
          connection?.ownCreations.insert(number)
        }
        if let user = rights.user(withData: object.address) { users.insert(user) }
      }
    }
    guard !users.isEmpty else { return }
    for connection in server.connections.values where users.contains(connection.user) {
      try resolveRights(of: connection)
    }
  }

  // MARK: Rights

  /// Brings all connections up to date after a change of rules.
  func takeRights() throws(ServerStoreError) {
    guard server.hasNewRights else { return }
    server.hasNewRights = false
    // In one order, as each that changes has a place among the versions.
    for connection in server.connections.values.sorted(by: { $0.id < $1.id }) {
      try resolveRights(of: connection)
    }
  }

  /// Brings the rights of a connection up to date; objects that become readable are sent, the
  /// others leave.
  func resolveRights(of connection: Connection) throws(ServerStoreError) {
    guard connection.phase == .confirmed else { return }
    let new = try rights.resolved(for: connection.user, in: store)
    guard new != connection.rights else { return }
    // What the device has stays there: with values that are shorter it goes on.
    let classNames = connection.client.subscriptions.lazy.map(\.className)
    guard new.areShort(forSubscriptionsTo: classNames) else {
      return try turnAway(connection, UserRights.lengthText)
    }
    let views = new.views(of: connection.client.subscriptions)
    guard server.hasMemory(for: views, of: connection) else {
      return try turnAway(connection, Self.memoryText)
    }
    // A change of the view has a place in the order.
    judge.state.version += 1
    let queries = connection.client.subscriptions
    connection.setRights(new, at: state.version)
    if let refusal = SetRules.refusal(queries, in: store.schema, new) {
      return try refuseMembers(refusal, of: connection)
    }
    try subscribe(
      connection, to: queries, views: views, number: connection.client.subscriptionsNumber)
  }

  // MARK: Subscriptions and classes

  /// The text for who asks for more than the server has memory for.
  static let memoryText = "the queries of all devices take as much memory on the server as they may"

  private func verdict(
    on set: RequestedSet, _ connection: Connection
  ) throws(ServerStoreError) -> Verdict {
    if let refusal = SetRules.refusal(
      set.entry.members, in: store.schema, connection.rights,
      limit: server.limits.subscriptionCount, known: connection.preparation)
    {
      return .refused(refusal)
    }
    guard set.hasRoom else {
      return .refused(Refusal(.tooLarge, text: server.limits.viewText))
    }
    let byteCount = StoredBytes.excess(of: set.queries)
    guard try hasQuota(forSetOf: byteCount, connection.clientID, connection) else {
      return .refused(Refusal(.quotaExceeded, text: Self.setQuotaText))
    }
    try subscribe(
      connection, to: set.queries, views: set.views, number: set.entry.header.number)
    return .applied(generation: nil)
  }

  /// Puts a set in force, whose queries are these views under the rights of the connection.
  private func subscribe(
    _ connection: Connection, to queries: [ViewQuery], views: [ViewQuery], number: UInt64
  ) throws(ServerStoreError) {
    // A change of the view has a place in the order.
    judge.state.version += 1
    server.views.remove(connection)
    connection.views = views
    try server.views.add(connection, in: store)
    server.held.count(connection)
    connection.client.subscriptions = queries
    connection.client.subscriptionsNumber = number
    connection.client.viewVersion = state.version
    connection.isClientChanged = true
    try beginRun(connection, isFull: true)
  }

  /// Continues with the sets that waited for classes, or refuses them.
  private func judgeSets(thatNamed classNames: Set<String>) throws(ServerStoreError) {
    for connection in server.connections.values where connection.phase == .confirmed {
      let queries = connection.client.subscriptions
      guard queries.contains(where: { classNames.contains($0.className) }) else { continue }
      let refusal = SetRules.refusal(
        queries, in: store.schema, connection.rights, mayLackClasses: true)
      if let refusal {
        try refuseMembers(refusal, of: connection)
      } else {
        try subscribe(
          connection, to: queries, views: connection.rights.views(of: queries),
          number: connection.client.subscriptionsNumber)
      }
    }
  }

  /// Judges the set of a HELLO once the device has sent all its classes.
  private func judgeSet(of connection: Connection) throws(ServerStoreError) {
    guard connection.hasUnjudgedSet else { return }
    connection.hasUnjudgedSet = false
    let refusal = SetRules.refusal(
      connection.client.subscriptions, in: store.schema, connection.rights)
    if let refusal {
      try refuseMembers(refusal, of: connection)
    }
  }

  /// Refuses the members of the set in force whose view takes too long to test, and continues with
  /// the others.
  func refuse(_ view: ViewQuery, of connection: Connection) throws(ServerStoreError) {
    var members: [RefusedMember] = []
    for (index, query) in connection.client.subscriptions.enumerated()
    where connection.rights.views(of: [query]).contains(view) {
      members.append(
        RefusedMember(
          index: UInt32(index),
          text:
            "the query \(SetRules.shortened(query.text)) on \(query.className) takes longer for "
            + "one object than the server allows"))
    }
    guard let first = members.first else {
      return try end(
        connection, ErrorMessage(.retry, .tooBusy, text: "a view takes too long to test"))
    }
    try refuseMembers(Refusal(.tooLarge, text: first.text, members: members), of: connection)
  }

  /// Reports the members of the set in force that can no longer be answered, and continues with the
  /// others.
  private func refuseMembers(
    _ refusal: Refusal, of connection: Connection
  ) throws(ServerStoreError) {
    connection.hasUnjudgedSet = false
    send(.error(.setRefused(refusal)), connection)
    let answerable = refusal.answerable(of: connection.client.subscriptions)
    try subscribe(
      connection, to: answerable, views: connection.rights.views(of: answerable), number: 0)
  }

  private func schema(_ classes: [ClassSchema]) throws(ServerStoreError) -> Verdict {
    let addition: SchemaAddition
    do throws(SchemaConflict) {
      addition = try SchemaAddition(classes, to: store.schema)
    } catch { return .refused(Refusal(.schemaConflict, text: error.text)) }
    guard !addition.isEmpty else { return .applied(generation: nil) }
    guard rights.allowsSchemaAdditions else {
      let name =
        addition.classes.first?.name
        ?? addition.properties.first.map { "\($0.className).\($0.property.name)" } ?? ""
      return .refused(Refusal(.unknownSchema, text: "the server has no \(name)"))
    }
    do throws(ServerStoreError) {
      if !addition.classes.isEmpty { try store.add(addition.classes) }
      for (property, className) in addition.properties {
        try store.add(property, to: className)
      }
    } catch .objects(.invalidSchema(let problem)) {
      return .refused(
        Refusal(.schemaConflict, text: ObjectError.invalidSchema(problem).description))
    }
    try judgeSets(thatNamed: Set(addition.classes.map(\.name)))
    return .applied(generation: nil)
  }
}

extension EntryHeader {
  /// Whether both are of one entry, whatever they are sent as.
  fileprivate func hasName(of other: EntryHeader) -> Bool {
    firstName == other.firstName && digest == other.digest
  }
}

extension Refusal {
  /// The members of a refused set, ascending, that the server can answer.
  ///
  /// None when the set was refused as a whole.
  func answerable(of queries: [ViewQuery]) -> [ViewQuery] {
    guard !members.isEmpty else { return [] }
    let refused = Set(members.map(\.index))
    return queries.enumerated().filter { !refused.contains(UInt32($0.offset)) }.map(\.element)
  }
}

/// A set of subscriptions that a device asks for, and whether its user may have so many views.
private struct RequestedSet {
  let entry: SetsEntry
  let queries: [ViewQuery]
  let views: [ViewQuery]
  let hasRoom: Bool
  /// Whether it has none now, and has some as soon as other devices of the user are gone.
  let hasRoomLater: Bool

  init(_ entry: SetsEntry, _ connection: Connection, _ server: ServerContext) {
    self.entry = entry
    queries = ViewQuery.queries(entry.members)
    views = connection.rights.views(of: queries)
    // One that has no more views than the set in force may take its place, whatever the limit is
    // now.
    hasRoom =
      views.count <= connection.views.count || server.hasRoom(for: views, of: connection)
    hasRoomLater = !hasRoom && Set(views).count <= server.limits.viewCount
  }
}
