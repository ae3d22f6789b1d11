internal import AtollObjects

// What a user may take of the server.

extension Tick {
  private static let filesPrefix = Array("files ".utf8)
  /// How often a device hears that what it sends waits.
  private static let tellingMilliseconds: UInt64 = 60_000
  /// How often allowances are looked through: ticks may be many, and so may users.
  private static let sweepMilliseconds: UInt64 = 1_000

  /// Counts a file that the server has not known.
  ///
  /// - Returns: False when its user has too many.
  func countFile(of user: String) throws(ServerStoreError) -> Bool {
    let key = Self.filesPrefix + Array(user.utf8)
    var count: UInt64 = 0
    if let bytes = try store.record(key, in: .state) {
      var reader = RecordedReader(bytes)
      do throws(ValueCodingError) { count = try reader.readVarint() } catch {
        throw .damaged(.state)
      }
    }
    guard count < UInt64(server.limits.fileCount) else { return false }
    var writer = RecordedWriter()
    writer.append(varint: count + 1)
    try store.set(writer.bytes, for: key, in: .state)
    return true
  }

  /// Whether a message of a connection is taken now; one that is not waits for a later tick.
  func isAllowed(_ message: SyncMessage, byteCount: Int, _ connection: Connection) -> Bool {
    guard let operationCount = operationCount(of: message, connection) else { return true }
    let limits = server.limits
    var allowance = server.allowances[connection.user] ?? SendingAllowance(limits, now: now)
    allowance.refill(limits, now: now)
    defer { server.allowances[connection.user] = allowance }
    guard !allowance.isExhausted else {
      tell(connection, limits)
      return false
    }
    allowance.take(operationCount: operationCount, byteCount: byteCount)
    return true
  }

  /// What a message is worth in changes; nil: it is taken in any case.
  ///
  /// Each member of a set is a query that is parsed, run and compared with what the device has.
  private func operationCount(of message: SyncMessage, _ connection: Connection) -> Int? {
    switch message {
    case .push(let entry): 1 + entry.transaction.operations.count
    case .schema: 1
    case .sets(let entry): max(1, entry.members.count)
    case .verify: max(1, connection.client.subscriptions.count)
    case .hello(let hello): hello.sets?.members.count ?? 0
    default: nil
    }
  }

  /// Takes the members of a set from the user's allowance that its HELLO does not name.
  func charge(_ connection: Connection, for set: [ViewQuery], in hello: Hello) {
    let count = set.count - (hello.sets?.members.count ?? 0)
    guard count > 0 else { return }
    let limits = server.limits
    server.allowances[connection.user, default: SendingAllowance(limits, now: now)]
      .take(operationCount: count, byteCount: 0)
  }

  /// Forgets the users who may send all that there is to send, also those who do not come back.
  func dropFullAllowances() {
    let last = server.allowancesSweptAt
    // A clock that was put back does not stop it.
    guard now < last || now - last >= Self.sweepMilliseconds else { return }
    server.allowancesSweptAt = now
    let limits = server.limits
    for (user, known) in server.allowances {
      var allowance = known
      allowance.refill(limits, now: now)
      server.allowances[user] = allowance.isFull(limits) ? nil : allowance
    }
  }

  private func tell(_ connection: Connection, _ limits: UserLimits) {
    if let last = connection.toldOfLimitAt, now &- last < Self.tellingMilliseconds { return }
    connection.toldOfLimitAt = now
    send(
      .error(
        .overLimit(
          .report,
          "the user has sent more than \(limits.operationsPerMinute) changes and subscriptions "
            + "or \(limits.bytesPerMinute) bytes in a minute; the rest waits and is not lost")),
      connection)
  }
}

extension UserLimits {
  /// What those hear who ask for more views.
  var viewText: String {
    "the connected devices of a user may have at most \(viewCount) different queries together"
  }
}
