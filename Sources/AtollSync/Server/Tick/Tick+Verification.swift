internal import AtollObjects
internal import AtollQuery

extension Tick {
  /// Continues the digests that a device has requested; all its objects were sent.
  ///
  /// The digests depend only on what was sent to it.
  func verify(_ connection: Connection) throws(ServerStoreError) {
    guard var verification = connection.verification, let cursor = connection.from else { return }
    let members = connection.client.subscriptions
    var left = server.options.visitLimit
    let budget = server.budget(connectionTime)
    while !verification.isGivenUp, verification.digests.count < members.count {
      guard left > 0, !budget.isSpent || left == server.options.visitLimit else {
        connection.verification = verification
        server.hasUnfinishedRound = true
        return
      }
      let member = members[verification.digests.count]
      let table = store.schema.table(member.className)
      var keys: [UInt64]
      if let known = verification.keys {
        keys = known
      } else {
        // A class that the user may not read has no view.
        let views = Array(connection.rights.views(of: [member]).prefix(1))
        left -= 1
        guard try verification.search.advance(views, in: store, within: budget) else { continue }
        keys = verification.search.numbers.map(\.key)
        verification.keys = keys
      }
      while left > 0, !budget.isSpent || left == server.options.visitLimit, let table,
        let key = keys.popLast()
      {
        left -= 1
        let number = ObjectNumber(classNumber: table.id, key: key)
        guard let bytes = try store.record(number.bytes, in: .objects),
          let generation = try ObjectRecord(bytes).generation,
          let address = try store.address(of: number)
        else { continue }
        verification.current.add(address, generation)
      }
      verification.keys = keys
      guard keys.isEmpty else { continue }
      verification.digests.append(verification.current)
      verification.current = ViewDigest()
      verification.search = ViewSearch()
      verification.keys = nil
    }
    connection.verification = nil
    send(
      .digests(
        ViewDigests(
          number: verification.number, cursor: cursor,
          setNumber: connection.client.subscriptionsNumber,
          digests: verification.isGivenUp ? nil : verification.digests)), connection)
  }
}
