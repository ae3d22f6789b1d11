import AtollCapture
import AtollObjects

/// Small records beside the file's `SyncState`, and what makes entries of the outbox.
enum SyncRecords {
  /// The version of the last subscription set that was answered and not refused.
  private static let answeredSet = "answeredSet"

  static func answeredSetVersion(_ capture: Capture) throws(ObjectError) -> Int64? {
    try capture.record(answeredSet).flatMap(signed)
  }

  static func answeredSetVersion(_ snapshot: Snapshot) throws(ObjectError) -> Int64? {
    try snapshot.syncRecord(answeredSet).flatMap(signed)
  }

  private static func signed(_ bytes: [UInt8]) -> Int64? {
    var reader = RecordedReader(bytes)
    return try? reader.readSigned()
  }

  static func setAnsweredSetVersion(_ version: Int64, _ capture: Capture) throws(ObjectError) {
    var writer = RecordedWriter()
    writer.append(signed: version)
    try capture.setRecord(answeredSet, writer.bytes)
  }

  /// The server refuses the set after all.
  static func removeAnsweredSetVersion(_ capture: Capture) throws(ObjectError) {
    try capture.setRecord(answeredSet, nil)
  }

  /// The time of the server, in milliseconds since 1970, up to which the file has what its newest
  /// complete set asks for.
  private static let coverage = "coverage"

  static func coverage(_ snapshot: Snapshot) throws(ObjectError) -> UInt64? {
    try snapshot.syncRecord(coverage).flatMap { bytes in
      var reader = RecordedReader(bytes)
      return try? reader.readVarint()
    }
  }

  static func setCoverage(_ milliseconds: UInt64, _ capture: Capture) throws(ObjectError) {
    var writer = RecordedWriter()
    writer.append(varint: milliseconds)
    try capture.setRecord(coverage, writer.bytes)
  }

  /// Whether the device has ever received a batch of the server.
  static func hasCursor(_ source: any TreeSource) throws(ObjectError) -> Bool {
    if let transaction = source as? Transaction {
      return try transaction.capture.existingState()?.seen != nil
    }
    guard let snapshot = source as? Snapshot else { return false }
    return try snapshot.syncState()?.seen != nil
  }

  /// Gives a version of the subscription set its place in the outbox, behind the classes that were
  /// made in the same transaction: a server refuses a set of classes that it does not know.
  static func appendSets(version: Int64, in transaction: Transaction) throws(ObjectError) {
    try transaction.recordSchema()
    try transaction.capture.append(.sets(version: version))
  }
}
