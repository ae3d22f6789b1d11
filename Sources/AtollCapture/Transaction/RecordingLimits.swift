/// How much of a transaction becomes one entry of the outbox; the rest becomes further entries.
///
/// A server judges an entry without serving others in between. An entry ends at the first object, or
/// element of a collection, with which it has so many operations or bytes.
package struct RecordingLimits: Sendable {
  /// More operations than this in one entry a server does not judge.
  package static let judgedOperationCount = 20_000

  package var operationCount: UInt32 = 2_000
  package var byteCount = 1 << 20

  package init() {}
}
