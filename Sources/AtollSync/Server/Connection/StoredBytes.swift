internal import AtollCapture
internal import AtollObjects

/// How many bytes the objects of each user take in the store, with long sets and with texts of
/// refusals.
///
/// An object counts for the user of the client that made it, whoever writes in it: so what all take
/// together is at most what all may have. What is counted is near to what is stored, and not equal.
/// Records of changes and of deleted objects do not count.
final class StoredBytes {
  /// How many bytes the objects of one user may take.
  var limit: UInt64
  /// By user, as far as they were asked for.
  private var counts: [ExactText: UInt64] = [:]
  /// Users whose count differs from what is in the store.
  private var changed: Set<ExactText> = []
  /// The users of clients; nil of those of which nothing is known.
  private var users: [UInt64: ExactText?] = [:]

  private static let prefix = Array("bytes ".utf8)
  /// What is known of more is read again when it is needed.
  private static let keptCount = 100_000

  init(limit: UInt64) { self.limit = limit }

  /// Why the objects that a client has made may not become larger; nil when they may.
  ///
  /// Without a text: the answer of each entry is kept for good.
  func refusal(
    objectsOf client: UInt64, in store: any ServerTransaction
  ) throws(ServerStoreError) -> Refusal? {
    guard let user = try user(of: client, in: store), try count(of: user, in: store) >= limit else {
      return nil
    }
    return Refusal(.quotaExceeded)
  }

  /// Counts what a transaction of a client has made of an object.
  func count(
    _ before: ObjectRecord, _ after: ObjectRecord, in store: any ServerTransaction
  ) throws(ServerStoreError) {
    let isSameLife = before.generation == after.generation
    if isSameLife, before.storedByteCount == after.storedByteCount { return }
    if before.generation != nil {
      try add(-Int64(clamping: before.storedByteCount), before.existence.writer, in: store)
    }
    if after.generation != nil {
      try add(Int64(clamping: after.storedByteCount), after.existence.writer, in: store)
    }
  }

  /// How many bytes the set of a client takes beyond what any may have: each file of a user has one,
  /// for good.
  static func excess(of set: [ViewQuery]) -> Int {
    excess(set.reduce(0) { $0 + $1.byteCount })
  }

  static func excess(of set: [SetMember]) -> Int {
    excess(set.reduce(0) { $0 + $1.byteCount })
  }

  /// How many bytes the texts of refusals in an answer have beyond those in most: it is kept for good.
  static func excess(ofTextsIn answer: Answer) -> Int {
    let byteCount = answer.runs.reduce(0) { $0 + ($1.verdict.refusal?.text.utf8.count ?? 0) }
    return max(0, byteCount - freeTextByteCount)
  }

  private static let freeTextByteCount = 256

  private static func excess(_ byteCount: Int) -> Int { max(0, byteCount - freeSetByteCount) }

  private static let freeSetByteCount = 4 << 10

  /// Notes whose a client is, so that it is not read from the store.
  func note(_ client: UInt64, of user: String) { users[client] = ExactText(user) }

  /// Writes the counts that have changed.
  func save(in store: any ServerTransaction) throws(ServerStoreError) {
    // In one order: what a tick writes follows from what it was given.
    let records = changed.map { (key: Self.key($0), count: counts[$0] ?? 0) }
    for (key, count) in records.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      var writer = RecordedWriter()
      writer.append(varint: count)
      try store.set(count > 0 ? writer.bytes : nil, for: key, in: .state)
    }
    changed = []
    if counts.count > Self.keptCount { counts = [:] }
    if users.count > Self.keptCount { users = [:] }
  }

  /// Adds to what counts for the user of a client.
  func add(
    _ difference: Int64, _ client: UInt64, in store: any ServerTransaction
  ) throws(ServerStoreError) {
    guard difference != 0, let user = try user(of: client, in: store) else { return }
    let count = Int64(clamping: try count(of: user, in: store))
    counts[user] = UInt64(max(0, count + difference))
    changed.insert(user)
  }

  func count(
    of user: ExactText, in store: any ServerTransaction
  ) throws(ServerStoreError) -> UInt64 {
    if let known = counts[user] { return known }
    var count: UInt64 = 0
    if let bytes = try store.record(Self.key(user), in: .state) {
      var reader = RecordedReader(bytes)
      do throws(ValueCodingError) { count = try reader.readVarint() } catch {
        throw .damaged(.state)
      }
    }
    counts[user] = count
    return count
  }

  private func user(
    of client: UInt64, in store: any ServerTransaction
  ) throws(ServerStoreError) -> ExactText? {
    if let known = users[client] { return known }
    let bytes = try store.record(AnswerRecord.prefix(client), in: .clients)
    let user = try bytes.map { bytes throws(ServerStoreError) in
      ExactText(try ClientRecord(bytes).user)
    }
    users[client] = .some(user)
    return user
  }

  private static func key(_ user: ExactText) -> [UInt8] { prefix + Array(user.text.utf8) }
}
