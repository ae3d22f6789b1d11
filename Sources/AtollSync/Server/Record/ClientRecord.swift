internal import AtollCapture
internal import AtollObjects

/// The record of one client, apart from its answers and its members.
struct ClientRecord: ServerRecord, Hashable {
  static let map = StoreMap.clients

  var user: String
  /// The tokens that the newest copy of the client's file may name; nil: that of a new file.
  var tokens: [UInt64?]
  /// The newest number that was judged, and its digest.
  var pushed: UInt64 = 0
  var digest: UInt64 = 0
  /// The newest number whose answer the client has confirmed.
  var answered: UInt64 = 0
  /// The newest cursor that the client ever confirmed.
  var proof: Cursor?
  /// The cursor that the client has confirmed; nil while it synchronises as new.
  var confirmed: Cursor?
  /// The subscription set in force, and the number of the entry that brought it.
  var subscriptions: [ViewQuery] = []
  var subscriptionsNumber: UInt64 = 0
  /// The version at which subscriptions or rights last changed.
  var viewVersion: UInt64 = 0
  /// The version at which the properties last changed that the user may read.
  var readableVersion: UInt64 = 0
  /// Of the rights that the views were made with (`UserRights`).
  var rightsDigest: UInt64 = 0
  var readableDigest: UInt64 = 0
  /// The first part of the keys of the client's members.
  var membership: UInt64
  var moves = ConfirmedMoves()
  /// The catch-up that was begun last.
  var run = Run()
  var refusedElements = RefusedElements()

  struct Run: Hashable {
    /// Counts the runs of the store; 0: none.
    var number: UInt64 = 0
    /// Its name in messages: random, so that it is never used twice, also by a restored store.
    var name: UInt64 = 0
    /// The version at which it began.
    var start: UInt64 = 0
    /// Whether it visits all objects in view and all members, and not only what changed.
    var isFull = false
    /// How many batches of it were sent.
    ///
    /// Messages name a position by this count and not by the object: the numbers of objects would
    /// reveal objects that a device may not read.
    var batchCount: UInt64 = 0
  }

  init(user: String, membership: UInt64) {
    self.user = user
    self.membership = membership
    tokens = [nil]
  }
}

extension ClientRecord {
  /// Records the rights of the client from a version on.
  mutating func setRights(_ rights: UserRights, at version: UInt64) {
    let (digest, readable) = (rights.digest, rights.readableDigest)
    if digest != rightsDigest { viewVersion = version }
    if readable != readableDigest { readableVersion = version }
    rightsDigest = digest
    readableDigest = readable
  }

  /// Whether the view is another than when the catch-up began.
  ///
  /// Such a catch-up cannot continue: the part before its position was sent for another view.
  var isViewChanged: Bool { max(viewVersion, readableVersion) > run.start }
}

extension ClientRecord {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    user = try reader.readString()
    tokens = []
    for _ in 0..<(try reader.readCount()) { tokens.append(try reader.readOptionalFixed()) }
    pushed = try reader.readVarint()
    digest = try reader.readFixed()
    answered = try reader.readVarint()
    proof = try reader.readOptionalCursor()
    confirmed = try reader.readOptionalCursor()
    for _ in 0..<(try reader.readCount()) {
      subscriptions.append(
        ViewQuery(className: try reader.readName(), text: try reader.readString()))
    }
    subscriptionsNumber = try reader.readVarint()
    viewVersion = try reader.readVarint()
    readableVersion = try reader.readVarint()
    rightsDigest = try reader.readFixed()
    readableDigest = try reader.readFixed()
    membership = try reader.readVarint()
    moves = try ConfirmedMoves(from: &reader)
    run.number = try reader.readVarint()
    run.name = try reader.readFixed()
    run.start = try reader.readVarint()
    run.isFull = try reader.readFlag()
    run.batchCount = try reader.readVarint()
    // A record of an earlier build ends here.
    if !reader.isAtEnd { refusedElements = try RefusedElements(from: &reader) }
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(string: user)
    writer.append(varint: UInt64(tokens.count))
    for token in tokens { writer.append(optionalFixed: token) }
    writer.append(varint: pushed)
    writer.append(fixed: digest)
    writer.append(varint: answered)
    writer.append(proof)
    writer.append(confirmed)
    writer.append(varint: UInt64(subscriptions.count))
    for subscription in subscriptions {
      writer.append(name: subscription.className)
      writer.append(string: subscription.text)
    }
    writer.append(varint: subscriptionsNumber)
    writer.append(varint: viewVersion)
    writer.append(varint: readableVersion)
    writer.append(fixed: rightsDigest)
    writer.append(fixed: readableDigest)
    writer.append(varint: membership)
    moves.write(to: &writer)
    writer.append(varint: run.number)
    writer.append(fixed: run.name)
    writer.append(varint: run.start)
    writer.append(flag: run.isFull)
    writer.append(varint: run.batchCount)
    if !refusedElements.isEmpty { refusedElements.write(to: &writer) }
  }
}
