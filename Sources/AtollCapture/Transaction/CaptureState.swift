package import AtollObjects

/// How a transaction came to its writes: what an app writes is recorded for the server.
package enum WriteOrigin: Sendable {
  case app
  /// What follows from other writes, on every device by itself.
  case derived
  /// What the server said.
  case sync
}

/// What sync keeps of one transaction while it runs: where its writes come from, which collection
/// is written one by one, and the trees of the device once they are needed.
package final class CaptureState: TransactionParticipant {
  // The transaction has its participant.
  unowned let transaction: Transaction
  /// The schema of which the server has been told, or will be by an entry of the outbox.
  private var recordedSchema: Schema
  private var knownCapture: Capture?
  private var addressedWriters: [ExactText: AddressedWriter] = [:]
  /// The list to which elements are written one by one.
  var openList: OpenList? {
    didSet { transaction.hasDeferredWrites = openList != nil || openParts != nil }
  }
  /// The set or map to which members or entries are written one by one; there is never a list
  /// beside it.
  var openParts: OpenParts? {
    didSet { transaction.hasDeferredWrites = openList != nil || openParts != nil }
  }
  /// As `Transaction.partsByteLimit`.
  var partsByteLimit = Int.max

  /// How much of the transaction becomes one entry.
  let limits: RecordingLimits

  init(
    _ transaction: Transaction, origin: WriteOrigin = .app,
    limits: RecordingLimits = RecordingLimits()
  ) {
    self.transaction = transaction
    self.origin = origin
    self.limits = limits
    recordedSchema = transaction.schema
  }

  /// As `Transaction.origin`.
  var origin: WriteOrigin {
    willSet { if newValue != origin { closeRecording() } }
    didSet {
      transaction.isReplaying = origin == .sync
      transaction.attachWitnesses()
    }
  }

  /// Records what was written so far; an error ends the commit.
  private func closeRecording() {
    guard origin != .sync else { return recordedSchema = transaction.schema }
    guard transaction.isSchemaChanged || hasNotes else { return }
    do throws(ObjectError) {
      try transaction.writeDeferred()
      try transaction.settleDeletions()
      try willCommit()
    } catch { transaction.fail(error) }
  }

  private var hasNotes: Bool {
    transaction.schema.tables.contains { table in
      transaction.existingWriter(id: table.id)?.recorder?.isEmpty == false
    }
  }

  var capture: Capture {
    get throws(ObjectError) {
      if let knownCapture { return knownCapture }
      let capture = try Capture(transaction, random: transaction.database.random)
      knownCapture = capture
      return capture
    }
  }

  /// The writer of one class by address; it is kept until the schema changes.
  func addressedWriter(_ className: String) throws(ObjectError) -> AddressedWriter {
    if let writer = addressedWriters[ExactText(className)] { return writer }
    let writer = AddressedWriter(try transaction.writer(className), self)
    addressedWriters[ExactText(className)] = writer
    return writer
  }

  // MARK: Taking part

  /// A recorder, if changes of the class are to be recorded.
  package func witness(of writer: TableWriter) -> (any ChangeWitness)? {
    let isWanted =
      origin != .sync
      && (writer.schema.isSynced
        || writer.schema.isEmbedded && transaction.schema.tables.contains(where: \.isSynced))
    return isWanted ? writer.witness ?? Recorder(self) : nil
  }

  package func didChangeSchema() { addressedWriters = [:] }

  /// Writes the collection that is open, so that it can be read as a property.
  package func writeDeferred() throws(ObjectError) {
    if let list = openList {
      openList = nil
      try transaction.change { () throws(ObjectError) in try list.close(self) }
    }
    if let parts = openParts {
      openParts = nil
      try parts.close(self)
    }
  }

  package func willCommit() throws(ObjectError) {
    try recordSchema()
    try transaction.recordOperations()
  }

  package func keptKey(_ primaryKey: Value, _ writer: TableWriter) throws(ObjectError) -> UInt64? {
    try transaction.keptKey(primaryKey, writer)
  }

  /// Forgets the incarnations of embedded objects.
  package func willRemove(_ keys: [UInt64], of table: TableSchema) throws(ObjectError) {
    guard table.isEmbedded, transaction.schema.tables.contains(where: \.isSynced) else { return }
    let capture = try capture
    guard capture.incarnations.count > 0 else { return }
    for key in keys {
      try capture.setIncarnation(nil, of: ObjectLink(table: table.id, key: key))
    }
  }

  // MARK: Schema

  /// As `Transaction.recordSchema`.
  func recordSchema() throws(ObjectError) {
    let schema = transaction.schema
    guard origin != .sync, schema.recordedTables != recordedSchema.recordedTables else { return }
    try capture.append(.schema)
    recordedSchema = schema
  }
}

extension Transaction {
  /// What sync keeps of the transaction.
  ///
  /// In a database that was opened without recording it is made here, for who writes as a server
  /// does: what was changed before is not recorded.
  var captureState: CaptureState {
    if let state = participant as? CaptureState { return state }
    let state = CaptureState(self)
    participant = state
    return state
  }

  /// How this transaction comes to its writes; what an app writes is recorded.
  ///
  /// What was written before a change of it is recorded as of then.
  package var origin: WriteOrigin {
    get { captureState.origin }
    set { captureState.origin = newValue }
  }

  /// More bytes no set or map gets to which members or entries are written one by one.
  ///
  /// Only when it is closed is it written, and what does not fit then takes all of them along.
  package var partsByteLimit: Int {
    get { captureState.partsByteLimit }
    set { captureState.partsByteLimit = newValue }
  }

  /// What is kept for sync, as this transaction sees and changes it.
  package var capture: Capture { get throws(ObjectError) { try captureState.capture } }

  /// Makes an entry of the classes and properties of which the server has not been told.
  ///
  /// To be called before any entry that may name them: a server takes the outbox in order.
  package func recordSchema() throws(ObjectError) { try captureState.recordSchema() }

  /// The writer of one class by address, for batches: it resolves the class and its columns once.
  package func addressedWriter(_ className: String) throws(ObjectError) -> AddressedWriter {
    try checkUse()
    return try captureState.addressedWriter(className)
  }
}

extension TableWriter {
  /// The recorder of the class's changes; nil unless they are recorded.
  var recorder: Recorder? { witness as? Recorder }
}

extension Schema {
  /// The classes that a server has to know: the synced ones, and what they may embed.
  fileprivate var recordedTables: [TableSchema] {
    guard tables.contains(where: \.isSynced) else { return [] }
    return tables.filter { $0.isSynced || $0.isEmbedded && !$0.isHidden }
  }
}
