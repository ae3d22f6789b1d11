package import AtollObjects

/// When a unit was written, for comparison: by the clock, then by client, then by number.
package struct WriteStamp: Hashable, Comparable, Sendable {
  package var clock: HybridClock
  package var client: UInt64
  package var number: UInt64

  /// Earlier than every write: what the defaults of a new object have.
  package static let earliest = WriteStamp(
    clock: HybridClock(rawValue: 0), client: 0, number: 0)

  package static func < (a: WriteStamp, b: WriteStamp) -> Bool {
    (a.clock.rawValue, a.client, a.number) < (b.clock.rawValue, b.client, b.number)
  }
}

/// What the server knows of a unit beside its value.
struct UnitRecord: Hashable {
  var stamp: WriteStamp
  /// The version of the last change.
  var version: UInt64
  /// The client that made it.
  var writer: UInt64
  /// The version of the last change by another client than `writer`; 0 when there is none.
  var other: UInt64

  init(stamp: WriteStamp, version: UInt64, writer: UInt64, other: UInt64 = 0) {
    self.stamp = stamp
    self.version = version
    self.writer = writer
    self.other = other
  }

  /// The record after one more change.
  func written(_ stamp: WriteStamp, version: UInt64, by writer: UInt64) -> UnitRecord {
    UnitRecord(
      stamp: stamp, version: version, writer: writer,
      other: self.writer == writer ? other : self.version)
  }

  /// Whether a client that is confirmed up to `version` has to hear of the unit.
  ///
  /// `client`: its own changes are left out, as it has applied them as sent; nil: none are.
  func isNews(after version: UInt64, for client: UInt64?) -> Bool {
    writer == client ? other > version : self.version > version
  }
}

extension UnitRecord {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    let stamp = WriteStamp(
      clock: HybridClock(rawValue: try reader.readFixed()), client: try reader.readFixed(),
      number: try reader.readVarint())
    version = try reader.readVarint()
    writer = try reader.readFlag() ? try reader.readFixed() : stamp.client
    other = try reader.readVarint()
    self.stamp = stamp
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(fixed: stamp.clock.rawValue)
    writer.append(fixed: stamp.client)
    writer.append(varint: stamp.number)
    writer.append(varint: version)
    writer.append(flag: self.writer != stamp.client)
    if self.writer != stamp.client { writer.append(fixed: self.writer) }
    writer.append(varint: other)
  }
}
