internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

extension Tick {
  /// Reads and files some of the queries that a message names, when they are many.
  ///
  /// - Returns: Whether the message may be taken: all that can be known of its queries ahead is known.
  func prepare(
    _ next: WaitingMessages.Message, _ connection: Connection
  ) throws(ServerStoreError) -> Bool {
    guard isReadInParts(next, connection) else { return true }
    let message = next.message
    return try server.work(for: connection, now: now) { () throws(ServerStoreError) in
      let rights = try rights(of: message, connection)
      if let begun = connection.preparation, !begun.isOf(store.schema, rights) {
        server.endPreparation(of: connection)
      }
      if connection.preparation == nil {
        connection.preparation = try preparation(for: message, connection, rights)
      }
      guard var preparation = connection.preparation else { return true }
      defer {
        connection.preparation = preparation
        server.held.count(connection)
      }
      guard !preparation.isFinished else { return true }
      let budget = server.budget(server.bounds.work.connection)
      let start = budget.now
      defer { server.delayLongMessages(after: budget.elapsed(since: start)) }
      try preparation.advance(server.views, in: store, within: budget) {
        SetRules.problem($0, in: store.schema, rights)
      }
      return preparation.isFinished
    }
  }

  /// Whether a message names so many queries, or so long ones, that they are read in parts.
  ///
  /// A part is at least one query, which may take long.
  func isReadInParts(_ next: WaitingMessages.Message, _ connection: Connection) -> Bool {
    switch next.message {
    case .sets, .hello: next.byteCount > server.bounds.work.setByteCount
    case .confirm:
      connection.phase == .welcomed
        && connection.views.reduce(0) { $0 + $1.byteCount } > server.bounds.work.setByteCount
    default: false
    }
  }

  /// The rights by which the queries of a message are judged.
  private func rights(
    of message: SyncMessage, _ connection: Connection
  ) throws(ServerStoreError) -> UserRights {
    guard case .hello = message else { return connection.rights }
    return try rights.resolved(for: connection.user, in: store)
  }

  /// What is to be found out before a message is taken; nil: nothing.
  private func preparation(
    for message: SyncMessage, _ connection: Connection, _ rights: UserRights
  ) throws(ServerStoreError) -> SetPreparation? {
    let queries: [ViewQuery]
    var isJudged = true
    switch message {
    case .sets(let entry):
      guard entry.header.number > connection.client.pushed, mayBeAllowed(entry.members) else {
        return nil
      }
      queries = ViewQuery.queries(entry.members)
      guard rights.areShort(forSubscriptionsTo: queries.lazy.map(\.className)) else { return nil }
      let views = connection.rights.views(of: queries)
      // Then it is turned away or refused as it is.
      guard views.count <= connection.views.count || server.hasRoom(for: views, of: connection),
        server.hasMemory(for: views, of: connection)
      else { return nil }
    case .hello(let hello):
      guard let sets = hello.sets, mayBeAllowed(sets.members) else { return nil }
      queries = ViewQuery.queries(sets.members)
      if let bytes = try store.record(AnswerRecord.prefix(hello.client), in: .clients) {
        guard mustJudge(sets, try ClientRecord(bytes), rights) else { return nil }
      }
      guard queries.count <= server.limits.viewCount,
        rights.areShort(forSubscriptionsTo: queries.lazy.map(\.className))
      else { return nil }
    default:
      guard server.hasRoom(for: connection.views, of: connection),
        server.hasMemory(for: connection.views, of: connection)
      else { return nil }
      (queries, isJudged) = (connection.views, false)
    }
    return SetPreparation(queries, isJudged: isJudged, in: store.schema, rights)
  }

  /// Whether a set is not refused by its size alone.
  private func mayBeAllowed(_ members: [SetMember]) -> Bool {
    members.count <= server.limits.subscriptionCount && SetLimits.allow(members)
  }
}
