internal import AtollCapture
internal import AtollObjects

// Enforces the limits of a user.

extension Tick {
  private static let filesPrefix = Array("files ".utf8)
  /// How often a device is notified that its pushes wait.
  private static let tellingMilliseconds: UInt64 = 60_000
  /// How often allowances are cleaned up, as ticks and users may be many.
  private static let sweepMilliseconds: UInt64 = 1_000

  /// Counts a file that is new to the server.
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

  /// Whether a message of a connection is accepted now; otherwise it waits for a later tick.
  func isAllowed(_ message: SyncMessage, byteCount: Int, _ connection: Connection) -> Bool {
    if message.fillsDisk, isDiskLow {
      tell(
        connection,
        ErrorMessage(
          .report, .tooBusy,
          text: "the server's disk is nearly full; what is written waits and is not lost"))
      return false
    }
    guard let operationCount = operationCount(of: message, connection) else { return true }
    let limits = server.limits
    var allowance = server.allowances[connection.user] ?? SendingAllowance(limits, now: now)
    allowance.refill(limits, now: now)
    defer { server.allowances[connection.user] = allowance }
    guard !allowance.isExhausted else {
      tell(connection, .tooFast(limits))
      return false
    }
    // Longer sets are refused before anything of them is read.
    let queryByteCount = message.hasQueries ? min(byteCount, SetLimits.byteCount) : 0
    allowance.take(
      operationCount: operationCount,
      byteCount: byteCount + queryByteCount * (Self.queryWeight - 1))
    return true
  }

  /// To read and file a byte of a query takes as long as to store so many bytes of values.
  private static let queryWeight = 16

  /// The cost of a message in changes; nil: it is always accepted.
  ///
  /// Each member of a set is a query that is parsed, run and compared with what the device has.
  private func operationCount(of message: SyncMessage, _ connection: Connection) -> Int? {
    switch message {
    case .push(let entry): 1 + entry.operationCount
    case .schema: 1
    case .sets(let entry): max(1, entry.members.count)
    case .verify: max(1, connection.client.subscriptions.count)
    case .hello(let hello): hello.sets?.members.count ?? 0
    default: nil
    }
  }

  /// Charges the user's allowance for the members of a set that its HELLO does not name.
  func charge(_ connection: Connection, for set: [ViewQuery], in hello: Hello) {
    let count = set.count - (hello.sets?.members.count ?? 0)
    if count > 0 { charge(connection, operationCount: count) }
  }

  /// Charges the user's allowance for what a message has caused beyond its own bytes.
  func charge(_ connection: Connection, operationCount: Int = 0, byteCount: Int = 0) {
    let limits = server.limits
    server.allowances[connection.user, default: SendingAllowance(limits, now: now)]
      .take(operationCount: operationCount, byteCount: byteCount)
  }

  /// Drops the users with a full allowance, also those who do not come back.
  func dropFullAllowances() {
    let last = server.allowancesSweptAt
    // A clock that was set back does not stop it.
    guard now < last || now - last >= Self.sweepMilliseconds else { return }
    server.allowancesSweptAt = now
    server.shares.sweep(now: now)
    let limits = server.limits
    for (user, known) in server.allowances {
      var allowance = known
      allowance.refill(limits, now: now)
      server.allowances[user] = allowance.isFull(limits) ? nil : allowance
    }
  }

  /// Whether so little is free on the disk that only what devices read is served.
  private var isDiskLow: Bool {
    if let disk = server.disk, disk.askedAt <= now, now - disk.askedAt < Self.sweepMilliseconds {
      return disk.isLow
    }
    let isLow =
      server.options.freeByteCount().map { $0 < UInt64(server.bounds.reserveByteCount) } ?? false
    server.disk = (isLow, now)
    return isLow
  }

  /// Tells a device, now and then, why what it sends waits.
  private func tell(_ connection: Connection, _ error: ErrorMessage) {
    if let last = connection.toldOfLimitAt, now &- last < Self.tellingMilliseconds { return }
    connection.toldOfLimitAt = now
    send(.error(error), connection)
  }
}

extension ErrorMessage {
  fileprivate static func tooFast(_ limits: UserLimits) -> ErrorMessage {
    .overLimit(
      .report,
      "the user has sent more than \(limits.operationsPerMinute) changes and subscriptions "
        + "or \(limits.bytesPerMinute) bytes in a minute; the rest waits and is not lost")
  }
}

extension SyncMessage {
  /// Whether most of it is text of queries.
  fileprivate var hasQueries: Bool {
    switch self {
    case .sets: true
    case .hello(let hello): hello.sets.map { !$0.members.isEmpty } ?? false
    default: false
    }
  }

  /// Whether the server would keep what is in a message; a small set is kept by any server.
  fileprivate var fillsDisk: Bool {
    switch self {
    case .push, .schema: true
    case .sets(let entry): StoredBytes.excess(of: entry.members) > 0
    case .hello(let hello): StoredBytes.excess(of: hello.sets?.members ?? []) > 0
    default: false
    }
  }
}

extension UserLimits {
  /// The text for a user who requests more views.
  var viewText: String {
    "the connected devices of a user may have at most \(viewCount) different queries together"
  }
}
