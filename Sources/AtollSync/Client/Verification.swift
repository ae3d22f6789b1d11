internal import AtollCapture
package import AtollObjects
import AtollQuery
import AtollStorage

/// The comparison of a file with the server's record of its contents.
///
/// Requested by the application, in any process, and once a day by the client itself. Kept in the
/// record `verification` of the tree `sync`: Format.md, "Trees of a device".
package struct Verification: Hashable, Sendable {
  /// The newest requested comparison; 0: none.
  package private(set) var asked: UInt64 = 0
  /// The newest completed comparison.
  package private(set) var done: UInt64 = 0
  /// In how many subscriptions the two differed then; if there are any, the file downloads
  /// everything again.
  package private(set) var differenceCount: UInt64 = 0
  /// When it was done, in milliseconds since 1970.
  var time: UInt64 = 0

  private static let name = "verification"
  /// A day, in milliseconds.
  private static let interval: UInt64 = 86_400_000

  package init() {}

  package static func find(_ snapshot: Snapshot) throws(ObjectError) -> Verification? {
    try snapshot.syncRecord(name).flatMap { Verification(decoding: $0) }
  }

  static func find(_ capture: Capture) throws(ObjectError) -> Verification? {
    try capture.record(name).flatMap { Verification(decoding: $0) }
  }

  private func save(_ capture: Capture) throws(ObjectError) {
    var writer = RecordedWriter()
    for number in [asked, done, differenceCount, time] { writer.append(varint: number) }
    try capture.setRecord(Self.name, writer.bytes)
  }

  private init?(decoding bytes: [UInt8]) {
    var reader = RecordedReader(bytes)
    do throws(ValueCodingError) {
      asked = try reader.readVarint()
      done = try reader.readVarint()
      differenceCount = try reader.readVarint()
      time = try reader.readVarint()
      try reader.finish()
    } catch { return nil }
  }

  // MARK: Asking

  /// Requests a comparison, by the process that is connected.
  ///
  /// - Returns: Its number: it is done when `done` has reached it.
  package static func ask(_ database: Database) throws -> UInt64 {
    try database.write(durability: .relaxed) { transaction in
      transaction.origin = .sync
      let capture = try transaction.capture
      var verification = try find(capture) ?? Verification()
      verification.asked += 1
      try verification.save(capture)
      return verification.asked
    }
  }

  /// Requests a comparison when the last one is a day old; a new file is compared after a day.
  static func askDaily(now: UInt64, _ capture: Capture) throws(ObjectError) {
    guard var verification = try find(capture) else {
      var new = Verification()
      new.time = now
      return try new.save(capture)
    }
    // After the clock was set back, the comparison must not wait for years.
    let age = now > verification.time ? now - verification.time : verification.time - now
    guard verification.asked == verification.done, age > interval else { return }
    verification.asked += 1
    try verification.save(capture)
  }

  /// Records the result of a comparison.
  static func note(
    _ number: UInt64, differenceCount: Int, now: UInt64, _ capture: Capture
  ) throws(ObjectError) {
    var verification = try find(capture) ?? Verification()
    verification.done = max(verification.done, number)
    verification.differenceCount = UInt64(differenceCount)
    verification.time = now
    try verification.save(capture)
  }
}

extension SyncClient {
  /// The comparison to request, if the outbox is empty.
  func verificationToSend(_ snapshot: Snapshot, _ state: SyncState) throws(ObjectError) -> UInt64? {
    guard let verification = try Verification.find(snapshot),
      verification.asked > verification.done, verification.asked != connection?.sentVerification,
      state.cursor != nil, state.boot == nil, state != connection?.incomparableState,
      try snapshot.firstOutboxEntry() == nil
    else { return nil }
    return verification.asked
  }

  /// DIGESTS: compares, and starts to download the file again if it differs.
  ///
  /// - Throws: `.contentsDiffer`.
  func receive(_ digests: ViewDigests, now: UInt64) throws(SyncError) {
    guard let theirs = digests.digests else {
      // Too much changed while the server computed them.
      connection?.sentVerification = 0
      return
    }
    let difference: Int?
    do {
      difference = try database.write(durability: .relaxed) { transaction in
        transaction.origin = .sync
        return try compare(digests, theirs, transaction, now: now)
      }
    } catch { throw SyncError(any: error) }
    guard let difference else { return }
    events.append(.verified(differenceCount: difference))
    if difference > 0 { throw .contentsDiffer(subscriptionCount: difference) }
  }

  /// - Returns: In how many subscriptions the file differs; nil when the two cannot be compared.
  private func compare(
    _ digests: ViewDigests, _ theirs: [ViewDigest], _ transaction: Transaction, now: UInt64
  ) throws -> Int? {
    let capture = try transaction.capture
    var state = try capture.state()
    let waiting = try capture.firstEntry(from: state.answered + 1)
    let version = try SyncRecords.answeredSetVersion(capture)
    let members = try version.flatMap { try SubscriptionStore.set(version: $0, transaction) }?
      .members
    guard digests.cursor == state.cursor, state.boot == nil, waiting == nil,
      digests.setNumber == state.answeredSet, (members ?? []).count == theirs.count
    else {
      // There were writes meanwhile: the comparison is requested again after them.
      connection?.sentVerification = 0
      connection?.incomparableState = state
      return nil
    }
    var difference = 0
    for (member, digest) in zip(members ?? [], theirs)
    where try Self.digest(of: member, transaction, capture) != digest {
      difference += 1
    }
    try Verification.note(
      digests.number, differenceCount: difference, now: now, capture)
    if difference > 0 {
      // As if new: the last batch of the catch-up removes objects that did not arrive (R18). The
      // outbox is empty, so nothing can be lost.
      state.cursor = nil
      try Bootstrap.removeBatches(in: transaction)
      try Unconfirmed.removeAll(in: transaction)
      try capture.setState(state)
    }
    return difference
  }

  private static func digest(
    of member: SetMember, _ transaction: Transaction, _ capture: Capture
  ) throws -> ViewDigest {
    var digest = ViewDigest()
    guard let table = transaction.schema.table(member.className),
      let primaryKey = table.primaryKey?.name
    else { return digest }
    let objects = try transaction.table(member.className)
    var query = try Query(member.query, on: member.className, in: transaction.schema)
    // As on the server, which has targets of links that the device has not.
    query.countsWaitingLinks = true
    for key in try query.results(in: transaction).keys {
      guard let value = try objects.object(key)?[primaryKey] else { continue }
      let address = ObjectAddress(className: member.className, primaryKey: value)
      guard let generation = try capture.generations(of: address).confirmed else { continue }
      digest.add(address, generation)
    }
    return digest
  }
}
