internal import AtollCapture
internal import AtollObjects

extension Tick {
  private static let tokenLimit = 16

  /// HELLO: identifies the file, decides whether it may continue, and plans its catch-up.
  func hello(_ hello: Hello, _ connection: Connection) throws(ServerStoreError) {
    var isNew = false
    var client: ClientRecord
    if let bytes = try store.record(AnswerRecord.prefix(hello.client), in: .clients) {
      client = try ClientRecord(bytes)
    } else {
      // The record of a client stays for good: this server never welcomed it.
      guard hello.token == nil else { return try end(connection, .olderServer) }
      isNew = true
      client = ClientRecord(user: connection.user, membership: newMembership())
    }
    guard client.user.hasSameBytes(as: connection.user) else {
      return try end(
        connection,
        ErrorMessage(.stop, .otherUser, text: "the file belongs to another user"))
    }
    // Only now: an id is no secret, and other users that name it may not end the connection of its
    // file.
    if let other = server.clients[hello.client], let old = server.connections[other] {
      try end(
        old,
        ErrorMessage(.retry, .replaced, text: "another connection with the same id took over"))
      // With the other connection's state in memory.
      if let bytes = try store.record(AnswerRecord.prefix(hello.client), in: .clients) {
        client = try ClientRecord(bytes)
      }
    }
    guard isSameFile(hello, client) else {
      return try end(connection, isOlder(than: hello, client) ? .olderServer : .copy)
    }
    let own = try rights.resolved(for: connection.user, in: store)
    let asked = hello.sets?.members ?? []
    guard own.areShort(forSubscriptionsTo: asked.lazy.map(\.className)),
      own.areShort(forSubscriptionsTo: client.subscriptions.lazy.map(\.className))
    else { return try turnAway(connection, UserRights.lengthText) }
    server.storedBytes.note(hello.client, of: connection.user)
    connection.countedSetByteCount = StoredBytes.excess(of: client.subscriptions)
    connection.countedViewVersion = client.viewVersion
    guard try hasQuota(forSetOf: StoredBytes.excess(of: asked), hello.client, connection) else {
      return try end(connection, .overLimit(.stop, Self.setQuotaText))
    }
    if isNew {
      guard try countFile(of: connection.user) else {
        return try end(
          connection,
          .overLimit(.stop, "the user has more than \(server.limits.fileCount) files"))
      }
    }
    charge(connection, for: client.subscriptions, in: hello)

    let token = server.random()
    // The confirmed one, which the file has for as long as no WELCOME arrives, and those that were
    // given since: a HELLO that was under way when its connection died may arrive after that of the
    // next one. The one that is named is among the newest: it stays while one WELCOME after the
    // other is lost.
    let known = client.tokens
    let others = known.dropFirst().filter { $0 != hello.token }
    let named = known.first == .some(hello.token) ? [] : [hello.token]
    client.tokens =
      Array(known.prefix(1)) + (others + named + [token]).suffix(Self.tokenLimit - 1)
    let wantsSchema = rights.allowsSchemaAdditions && client.pushed == 0
    var refusal = refusal(
      of: hello.sets, client, own, mayLackClasses: wantsSchema, known: connection.preparation)
    // A new id has received nothing under other rights.
    if isNew { client.setRights(own, at: 0) }
    // A new id has no state to preserve, and its set comes only with its first HELLO.
    if isNew {
      subscribe(&client, hello, refusal)
      try countSet(of: client, hello.client, connection)
    }
    try save(client, hello.client)
    // From here on, changes stay with the connection until the device confirms.
    if client.subscriptionsNumber < hello.sets?.number ?? 0 {
      let former = client.subscriptions
      subscribe(&client, hello, refusal)
      if !isNew, client.subscriptions != former {
        // A change of the view has a place in the order.
        judge.state.version += 1
        client.viewVersion = state.version
      }
    }
    if client.rightsDigest != own.digest {
      // A change of the view has a place in the order.
      judge.state.version += 1
      client.setRights(own, at: state.version)
      let known = SetRules.refusal(
        client.subscriptions, in: store.schema, own, mayLackClasses: wantsSchema)
      if let known {
        refusal = known
        client.subscriptions = known.answerable(of: client.subscriptions)
        client.subscriptionsNumber = 0
      }
    }
    connection.rights = own
    connection.hasUnjudgedSet = wantsSchema
    connection.clientID = hello.client
    connection.token = token
    connection.isProgressive = hello.isProgressive
    server.clients[hello.client] = connection.id
    connection.phase = .welcomed
    connection.reader.messageByteLimit = server.options.messageByteLimit
    let start = try begin(hello, connection, client, isNew: isNew)
    send(
      .welcome(
        Welcome(
          token: token, isFromStart: start != .atCursor && hello.cursor != nil,
          isRunLost: start == .runLost, pushed: client.pushed, digest: client.digest,
          wantsSchema: wantsSchema)),
      connection)
    // After the WELCOME, because it may make the device take a new id, which this does not concern.
    if let refusal { send(.error(.setRefused(refusal)), connection) }
    connection.views = own.views(of: connection.client.subscriptions)
  }

  /// Counts the set of a client whose record is written, where it may be another one.
  func countSet(
    of client: ClientRecord, _ id: UInt64, _ connection: Connection
  ) throws(ServerStoreError) {
    let byteCount = StoredBytes.excess(of: client.subscriptions)
    try server.storedBytes.add(
      Int64(byteCount - connection.countedSetByteCount), id, in: store)
    connection.countedSetByteCount = byteCount
    connection.countedViewVersion = client.viewVersion
  }

  /// Whether a client may have a set of this size stored: one that is no larger than what it has, or
  /// any while its user has quota.
  func hasQuota(
    forSetOf byteCount: Int, _ client: UInt64, _ connection: Connection
  ) throws(ServerStoreError) -> Bool {
    if byteCount <= connection.countedSetByteCount { return true }
    return try server.storedBytes.refusal(objectsOf: client, in: store) == nil
  }

  static let setQuotaText =
    "what the user has stored leaves no room for so many, or so long, subscriptions"

  /// Applies the set of a HELLO, without the refused members.
  private func subscribe(_ client: inout ClientRecord, _ hello: Hello, _ refusal: Refusal?) {
    let queries = ViewQuery.queries(hello.sets?.members ?? [])
    client.subscriptions = refusal?.answerable(of: queries) ?? queries
    client.subscriptionsNumber = refusal == nil ? hello.sets?.number ?? 0 : 0
  }

  /// Why the set of a HELLO cannot be the one in force; nil when it can, or is it.
  ///
  /// The set may have been answered by an earlier state of the server, with another schema. A
  /// client that has its set from SETS is not judged again at each connection.
  private func refusal(
    of sets: AnsweredSets?, _ client: ClientRecord, _ rights: UserRights, mayLackClasses: Bool,
    known: SetPreparation?
  ) -> Refusal? {
    guard let sets, mustJudge(sets, client, rights) else { return nil }
    let refusal = SetRules.refusal(
      sets.members, in: store.schema, rights, limit: server.limits.subscriptionCount,
      mayLackClasses: mayLackClasses, known: known)
    if let refusal { return refusal }
    // A set in force stays in force when limits are lowered.
    let queries = ViewQuery.queries(sets.members)
    guard queries == client.subscriptions || queries.count <= server.limits.viewCount else {
      return Refusal(.tooLarge, text: server.limits.viewText)
    }
    return nil
  }

  /// Whether the set of a HELLO is not older than the one in force, and not that one itself.
  func mustJudge(_ sets: AnsweredSets, _ client: ClientRecord, _ rights: UserRights) -> Bool {
    guard sets.number >= client.subscriptionsNumber else { return false }
    return client.rightsDigest != rights.digest || sets.number != client.subscriptionsNumber
      || !SetLimits.allow(sets.members)
      || client.subscriptions != ViewQuery.queries(sets.members)
  }

  /// Where a client goes on.
  private enum Start {
    case atCursor
    /// As if new: its cursor is not of this history.
    case fromStart
    /// As if new: its cursor is of this history, but its contents since then are not known.
    case runLost
  }

  /// Decides which state of the client is kept, and how it catches up.
  private func begin(
    _ hello: Hello, _ connection: Connection, _ known: ClientRecord, isNew: Bool
  ) throws(ServerStoreError) -> Start {
    var client = known
    let isValid = state.seen(hello.cursor).isValid
    var position: ObjectNumber?
    if let bootstrap = hello.bootstrap, bootstrap.run == client.run.name, client.run.number > 0,
      !client.isViewChanged,
      bootstrap.from == (isValid ? hello.cursor : nil), bootstrap.position.count == 8,
      let bytes = try store.record(
        RunPosition.key(hello.client, bootstrap.position), in: .positions)
    {
      position = ObjectNumber(bytes[...])
    }
    // Batches of a catch-up that cannot be resumed were committed one by one.
    let isFromStart =
      !isValid || hello.isProgressive && hello.bootstrap != nil && position == nil
    client.answered = max(client.answered, hello.answered)
    if isFromStart {
      client.confirmed = nil
      if position == nil, !isNew {
        connection.formerMembership = client.membership
        client.membership = newMembership()
        client.moves = ConfirmedMoves()
      }
    } else if let cursor = hello.cursor {
      client.confirmed = cursor
      client.proof = cursor
      client.moves.confirm(cursor.version)
    }
    connection.from = isFromStart ? nil : hello.cursor
    client.moves.dropUnconfirmed(
      head: state.version, run: state.runNumber,
      resumed: position.map { (client.run.number, $0) })
    connection.client = client
    connection.told = client.answered
    connection.isRestart = position == nil
    if let position {
      judge.state.runNumber += 1
      connection.client.run.number = state.runNumber
      connection.isClientChanged = true
      connection.run = ActiveRun(resumedAt: position)
    } else {
      try beginRun(
        connection,
        isFull: connection.from.map { client.viewVersion > $0.version } ?? true)
    }
    return isFromStart ? isValid ? .runLost : .fromStart : .atCursor
  }

  /// Whether the file is the one that last continued under this id, as far as the server knows.
  ///
  /// It names a token of the last connection, and takes back no confirmation. The device compares
  /// the digest of what it pushed.
  private func isSameFile(_ hello: Hello, _ client: ClientRecord) -> Bool {
    guard client.tokens.contains(hello.token), hello.answered >= client.answered,
      hello.answered <= client.pushed
    else { return false }
    guard let proof = client.proof else { return true }
    return hello.proof.map { $0.version >= proof.version } ?? false
  }

  /// Whether a file that is not the one that last continued under its id has had what this server
  /// never sent: a cursor, or an answer.
  ///
  /// A file that is in its first catch-up has no cursor, and may have answers.
  private func isOlder(than hello: Hello, _ client: ClientRecord) -> Bool {
    hello.answered > client.pushed
      || [hello.cursor, hello.proof, hello.bootstrap?.from].contains { cursor in
        cursor.map { !state.seen($0).isValid } ?? false
      }
  }

  private func newMembership() -> UInt64 {
    judge.state.membershipNumber += 1
    return state.membershipNumber
  }

  // MARK: Confirmations

  /// CONFIRM: what the device has durably; the first one of a connection lets it begin.
  func confirm(_ confirmation: Confirmation, _ connection: Connection) throws(ServerStoreError) {
    guard connection.phase != .new, confirmation.token == connection.token else {
      return try end(connection, .unexpected(.confirm))
    }
    let cursor = confirmation.cursor
    guard confirmation.answered >= connection.client.answered,
      confirmation.answered <= connection.client.pushed,
      cursor.map({ state.seen($0).isValid }) ?? true
    else { return try end(connection, .unexpected(.confirm)) }
    let isFirst = connection.phase == .welcomed
    if isFirst {
      // What HELLO did not name counts as not arrived: a file that got it since, from an earlier
      // connection, would keep what leaves.
      guard cursor == connection.from else { return try end(connection, .unexpected(.confirm)) }
      // Disconnected devices cost nothing, so their sets are judged when they connect. A set in
      // force stays if it is the only one.
      guard
        server.views.count(with: [], of: connection) == 0
          || server.hasRoom(for: connection.views, of: connection)
      else {
        return try turnAway(connection, server.limits.viewText)
      }
      guard server.hasMemory(for: connection.views, of: connection) else {
        return try turnAway(connection, Self.memoryText)
      }
      connection.phase = .confirmed
      connection.client.tokens = [connection.token]
      if let former = connection.formerMembership { try forget(membership: former) }
      connection.formerMembership = nil
      try server.views.add(connection, in: store)
      server.held.count(connection)
      server.cursors.append(connection.id, at: state.version)
      server.cursors.compact(server.connections.count) { [server] in
        server.connections[$0] != nil
      }
      try resolveRights(of: connection)
      guard connection.phase == .confirmed else { return }
    }
    connection.isClientChanged = true
    try forgetAnswers(upTo: confirmation.answered, connection)
    if isFirst { try countAnswers(connection) }
    if let cursor {
      // Not when its last batch was sent: that may be lost.
      if connection.run == nil, cursor == connection.from, connection.client.run.batchCount > 0 {
        try forgetPositions(of: connection)
      }
      connection.client.confirmed = cursor
      connection.client.proof = cursor
      connection.client.moves.confirm(cursor.version)
    }
  }
}

extension ErrorMessage {
  /// The file is a copy of one that continued.
  static let copy = ErrorMessage(
    .newIdentity, .copiedFile, text: "another copy of this file continued under its id")

  /// The file has states of a server that this one never had.
  static let olderServer = ErrorMessage(
    .newIdentity, .olderServer, text: "the server is older than this file")

  /// The set of a HELLO has no entry of the outbox that an answer could name.
  static func setRefused(_ refusal: Refusal) -> ErrorMessage {
    ErrorMessage(.report, .setRefused, text: refusal.text, members: refusal.members)
  }
}
