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

/// An element of a list, also one that was removed.
struct ElementRecord: ServerRecord, Hashable {
  static let map = StoreMap.elements

  var unit: UnitRecord
  var isRemoved: Bool

  init(unit: UnitRecord, isRemoved: Bool) {
    self.unit = unit
    self.isRemoved = isRemoved
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    isRemoved = try reader.readFlag()
    unit = try UnitRecord(from: &reader)
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(flag: isRemoved)
    unit.write(to: &writer)
  }
}

/// The key of an element's record: the object, the column of the list, the element.
struct ElementKey: Hashable {
  var number: ObjectNumber
  var column: UInt32
  var id: ElementID

  init(_ number: ObjectNumber, column: UInt32, _ id: ElementID) {
    self.number = number
    self.column = column
    self.id = id
  }

  /// The common first bytes of all elements of a list.
  static func prefix(_ number: ObjectNumber, column: UInt32) -> [UInt8] {
    var bytes = number.bytes
    bytes.appendNumber(column)
    return bytes
  }

  var bytes: [UInt8] {
    var bytes = Self.prefix(number, column: column)
    bytes.appendNumber(id.client)
    bytes.appendNumber(id.number)
    bytes.appendNumber(id.index)
    return bytes
  }

  init?(_ bytes: [UInt8]) {
    guard bytes.count == ObjectNumber.byteCount + 24, let number = ObjectNumber(bytes[...]) else {
      return nil
    }
    self.number = number
    column = bytes[12..<16].reduce(0) { $0 << 8 | UInt32($1) }
    id = ElementID(
      client: bytes[16..<24].reduce(0) { $0 << 8 | UInt64($1) },
      number: bytes[24..<32].reduce(0) { $0 << 8 | UInt64($1) },
      index: bytes[32..<36].reduce(0) { $0 << 8 | UInt32($1) })
  }
}
