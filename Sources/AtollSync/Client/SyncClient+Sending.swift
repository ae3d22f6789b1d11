internal import AtollCapture
package import AtollObjects

extension SyncClient {
  /// Returns the frames that can be sent now, in order: only what is durable; entries of the outbox
  /// by number, after the confirmation of the cursor they were recorded at (R1, R2).
  ///
  /// Call it again when they are sent: a long outbox is returned in portions.
  package func outgoing(now: UInt64) throws(SyncError) -> [[UInt8]] {
    guard let token = connection?.token else { return [] }
    do {
      let snapshot = try database.snapshot()
      guard let state = try snapshot.syncState(), state.token == token,
        state.clientID == connection?.client
      else { throw SyncError.unexpected("the file has another identity than the connection") }
      if hasToBeDurable(state, token) { try database.synchronize() }
      var frames = confirmation(state, token)
      if connection?.wantsSchema == true {
        connection?.wantsSchema = false
        let header = EntryHeader(
          number: 0, digest: 0, firstName: EntryName(client: state.clientID, number: 0))
        frames += MessageFrames.encode(
          .schema(SchemaEntry(header: header, classes: snapshot.schema.syncedClasses)))
      }
      frames += try entries(snapshot)
      if let mark = markToSend() {
        connection?.sentMark = mark
        frames += MessageFrames.encode(.mark(mark))
      }
      if let number = try verificationToSend(snapshot, state) {
        connection?.sentVerification = number
        frames += MessageFrames.encode(.verify(number))
      }
      return frames
    } catch {
      connection = nil
      throw SyncError(any: error)
    }
  }

  /// R2: whether anything of the snapshot will be sent.
  private func hasToBeDurable(_ state: SyncState, _ token: UInt64) -> Bool {
    guard let connection else { return false }
    let confirmation = Confirmation(token: token, cursor: state.cursor, answered: state.answered)
    let confirms = connection.confirmation != confirmation
    let pushes = state.nextNumber > connection.sentNumber + 1
    return confirms || pushes || connection.wantsSchema
  }

  private func confirmation(_ state: SyncState, _ token: UInt64) -> [[UInt8]] {
    let confirmation = Confirmation(token: token, cursor: state.cursor, answered: state.answered)
    guard connection?.confirmation != confirmation else { return [] }
    connection?.confirmation = confirmation
    return MessageFrames.encode(.confirm(confirmation))
  }

  private func entries(_ snapshot: Snapshot) throws(ObjectError) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var byteCount = 0
    let first = (connection?.sentNumber ?? 0) + 1
    let discarded = try Reset.discarding(snapshot)
    try snapshot.forEachOutboxEntry(from: first) { entry throws(ObjectError) in
      if discarded > 0, case .push = entry.content {
        // Entries that will be dropped are not sent, and entries that may depend on them wait.
        guard entry.number <= discarded else { return false }
        connection?.sentNumber = entry.number
        return true
      }
      let encoded = MessageFrames.encode(try message(entry, snapshot))
      byteCount += encoded.reduce(0) { $0 + $1.count }
      frames += encoded
      connection?.sentNumber = entry.number
      return byteCount < configuration.outgoingByteLimit
    }
    return frames
  }

  private func message(_ entry: OutboxEntry, _ snapshot: Snapshot) throws(ObjectError)
    -> SyncMessage
  {
    let header = EntryHeader(
      number: entry.number, digest: entry.digest, firstName: entry.firstName)
    switch entry.content {
    case .push(let transaction):
      return .push(PushEntry(header: header, transaction: transaction))
    case .sets(let version):
      // A version that a newer one has replaced is gone from the table: its members do not matter.
      let members = try SubscriptionStore.set(version: version, snapshot)?.members ?? []
      return .sets(SetsEntry(header: header, version: version, members: members))
    case .schema:
      return .schema(SchemaEntry(header: header, classes: snapshot.schema.syncedClasses))
    }
  }
}

extension Schema {
  /// The classes that a server has to know: the synced ones, and the embedded ones they hold.
  package var syncedClasses: [ClassSchema] {
    var names = Set(tables.filter(\.isSynced).map(\.name))
    var open = Array(names)
    while let name = open.popLast() {
      for property in self[name]?.properties ?? [] {
        guard let target = property.linkTarget, self[target]?.isEmbedded == true,
          names.insert(target).inserted
        else { continue }
        open.append(target)
      }
    }
    return tables.filter { names.contains($0.name) }.compactMap { self[$0.name] }
  }
}
