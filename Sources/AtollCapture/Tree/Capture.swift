package import AtollObjects
import AtollStorage

/// What a transaction reads and changes of the device's sync state: identity, outbox, images.
///
/// All of it lies in named trees, so it is committed with the data. The trees' bytes: Format.md,
/// "Trees of a device".
package final class Capture {
  private unowned let transaction: Transaction
  private let random: @Sendable () -> UInt64
  let outbox: CaptureTree<NamedTree>
  let images: CaptureTree<NamedTree>
  let touched: CaptureTree<NamedTree>
  let generations: CaptureTree<NamedTree>
  /// Of lists that no build since has changed: each list's elements in one value.
  let elements: CaptureTree<NamedTree>
  let places: ElementTree
  let incarnations: NamedTree
  let sync: CaptureTree<NamedTree>
  private var knownState: SyncState?
  /// The elements that the transaction gave ids.
  private var elementCount: UInt32 = 0

  init(_ transaction: Transaction, random: @escaping @Sendable () -> UInt64)
    throws(ObjectError)
  {
    self.transaction = transaction
    self.random = random
    outbox = CaptureTree(try transaction.namedTree(CaptureKey.outbox))
    images = CaptureTree(try transaction.namedTree(CaptureKey.images))
    touched = CaptureTree(try transaction.namedTree(CaptureKey.touched))
    generations = CaptureTree(try transaction.namedTree(CaptureKey.generations))
    elements = CaptureTree(try transaction.namedTree(CaptureKey.elements))
    places = ElementTree(tree: try transaction.namedTree(CaptureKey.places))
    incarnations = try transaction.namedTree(CaptureKey.incarnations)
    sync = CaptureTree(try transaction.namedTree(CaptureKey.sync))
  }

  // MARK: Identity

  static let stateKey = Array("state".utf8)

  /// The file's state; nil before it was first asked for with `state()`.
  package func existingState() throws(ObjectError) -> SyncState? {
    if let knownState { return knownState }
    guard let bytes = try sync.get(Self.stateKey) else { return nil }
    knownState = try Self.decode { () throws(ValueCodingError) in try SyncState(decoding: bytes) }
    return knownState
  }

  /// The file's state, with a client id that is made now when there is none.
  package func state() throws(ObjectError) -> SyncState {
    if let state = try existingState() { return state }
    let state = SyncState(clientID: random())
    try setState(state)
    return state
  }

  package func setState(_ state: SyncState) throws(ObjectError) {
    knownState = state
    try sync.set(state.encoded, for: Self.stateKey)
  }

  /// Another small record of the client, by name.
  package func record(_ name: String) throws(ObjectError) -> [UInt8]? {
    try sync.get(Self.recordKey(name))
  }

  package func setRecord(_ name: String, _ bytes: [UInt8]?) throws(ObjectError) {
    try sync.set(bytes, for: Self.recordKey(name))
  }

  static func recordKey(_ name: String) -> [UInt8] { Array("record \(name)".utf8) }

  /// Makes an id that no element and no embedded object has in any copy of any file.
  ///
  /// So it has a random number of the database that is open, which no file keeps; within that, the
  /// version that the transaction becomes.
  func makeElementID() -> ElementID {
    defer { elementCount += 1 }
    return ElementID(
      client: transaction.database.openingNumber, number: transaction.version, index: elementCount)
  }

  /// Marks the positions that the device makes, so that what it inserts side by side stays together,
  /// also when it is closed in between.
  ///
  /// A copy of the file marks others, and so does the file itself after it was compacted.
  var elementMark: UInt32 {
    get throws(ObjectError) {
      let golden: UInt64 = 0x9E37_79B9_7F4A_7C15
      let mixed = try state().clientID ^ transaction.database.fileNumber &* golden
      return UInt32(truncatingIfNeeded: mixed ^ mixed >> 32)
    }
  }

  // MARK: Outbox

  /// Appends an entry with the next number and gives that.
  ///
  /// The content of a set or a schema does not tell it from what another copy of the file records
  /// under the number: a random part of the digest does (R3).
  @discardableResult
  package func append(_ content: OutboxEntry.Content) throws(ObjectError) -> UInt64 {
    var writer = RecordedWriter()
    writer.append(content)
    var state = try state()
    state.lastDigest ^= random()
    let number = try append(content: writer.bytes, to: &state)
    try setState(state)
    return number
  }

  /// The same for a content in bytes; the caller stores the state.
  func append(content: [UInt8], to state: inout SyncState) throws(ObjectError) -> UInt64 {
    let number = state.nextNumber
    let digest = Self.digest(
      after: state.lastDigest, EntryName(client: state.clientID, number: number), content)
    var writer = RecordedWriter()
    writer.append(varint: number)
    writer.append(fixed: state.clientID)
    writer.append(varint: number)
    writer.append(fixed: digest)
    writer.append(raw: content)
    try outbox.set(writer.bytes, for: CaptureKey.number(number))
    state.nextNumber += 1
    state.lastDigest = digest
    return number
  }

  package func entry(_ number: UInt64) throws(ObjectError) -> OutboxEntry? {
    try outbox.get(CaptureKey.number(number)).map(Self.entry)
  }

  /// An entry, and how many bytes it has in the file.
  package func sizedEntry(_ number: UInt64) throws(ObjectError)
    -> (entry: OutboxEntry, byteCount: Int)?
  {
    guard let bytes = try outbox.get(CaptureKey.number(number)) else { return nil }
    return (try Self.entry(bytes), bytes.count)
  }

  /// Visits the entries from `number` on, in order, until `body` says false.
  package func forEachEntry(
    from number: UInt64 = 0, _ body: (OutboxEntry) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    try outbox.visit(from: CaptureKey.number(number)) { _, bytes throws(ObjectError) in
      try body(Self.entry(bytes))
    }
  }

  /// Finds the first outbox entry from `number` on; nil when there is none.
  package func firstEntry(from number: UInt64 = 0) throws(ObjectError) -> OutboxEntry? {
    var first: OutboxEntry?
    try forEachEntry(from: number) { entry throws(ObjectError) in
      first = entry
      return false
    }
    return first
  }

  /// Removes an answered entry, and what tells that its operations are pending.
  ///
  /// The images stay: what becomes of them, the caller knows.
  package func remove(_ entry: OutboxEntry) throws(ObjectError) {
    if case .push(let content) = entry.content {
      for object in Set(content.operations.map(\.object)) {
        try touched.set(nil, for: Self.touchedKey(object, entry.number))
      }
    }
    try outbox.set(nil, for: CaptureKey.number(entry.number))
  }

  /// Writes an entry whose operations name other generations than before; all else is as it was.
  package func replace(_ entry: OutboxEntry) throws(ObjectError) {
    var writer = RecordedWriter()
    writer.append(entry)
    try outbox.set(writer.bytes, for: CaptureKey.number(entry.number))
  }

  static func entry(_ bytes: [UInt8]) throws(ObjectError) -> OutboxEntry {
    try decode { () throws(ValueCodingError) in
      var reader = RecordedReader(bytes)
      let entry = try reader.readEntry()
      try reader.finish()
      return entry
    }
  }

  static func touchedKey(_ object: ObjectAddress, _ number: UInt64) -> [UInt8] {
    CaptureKey.object(object) + CaptureKey.number(number)
  }

  /// The chained digest: FNV-1a of 64 bits over the digest before, the entry's name and its
  /// content.
  package static func digest(after last: UInt64, _ name: EntryName, _ content: [UInt8]) -> UInt64 {
    var head: [UInt8] = []
    head.appendBigEndian(last)
    head.appendBigEndian(name.client)
    head.appendBigEndian(name.number)
    var digest = FNV1a()
    digest.add(head)
    digest.add(content)
    return digest.hash
  }

  /// Bytes of the file that cannot be decoded are damage.
  static func decode<Result>(_ body: () throws(ValueCodingError) -> Result) throws(ObjectError)
    -> Result
  {
    do throws(ValueCodingError) { return try body() } catch { throw ObjectError.damagedRecord }
  }
}
