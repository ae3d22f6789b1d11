package import AtollCapture
internal import AtollObjects

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

/// The server's record of a unit beside its value.
struct UnitRecord: Hashable {
  var stamp: WriteStamp
  /// The version of the last change.
  var version: UInt64
  /// The client that made it.
  var writer: UInt64
  /// The version of the last change by another client than `writer`; 0 when there is none.
  var other: UInt64
  /// The increments of a whole number newer than `stamp`, in the order of their stamps.
  private(set) var increments: [Increment] = []

  struct Increment: Hashable {
    var stamp: WriteStamp
    var delta: Int64
  }

  /// How many increments are kept separately.
  static let incrementLimit = 32

  init(stamp: WriteStamp, version: UInt64, writer: UInt64, other: UInt64 = 0) {
    self.stamp = stamp
    self.version = version
    self.writer = writer
    self.other = other
  }

  /// The record after one more change.
  ///
  /// Newer increments stay. As they are part of the value, the value is sent to the writer too.
  func written(_ stamp: WriteStamp, version: UInt64, by writer: UInt64) -> UnitRecord {
    var unit = UnitRecord(
      stamp: stamp, version: version, writer: writer,
      other: self.writer == writer ? other : self.version)
    unit.increments = increments.filter { $0.stamp > stamp }
    if !unit.increments.isEmpty { unit.other = version }
    return unit
  }

  /// The record after a change inside the value, which keeps its stamp.
  ///
  /// `isNewsToWriter`: whether the result differs from what the writer sent.
  func touched(version: UInt64, by writer: UInt64, isNewsToWriter: Bool) -> UnitRecord {
    var unit = written(stamp, version: version, by: writer)
    if isNewsToWriter { unit.other = version }
    return unit
  }

  /// The record after an increment.
  func incremented(
    _ increment: Increment, version: UInt64, by writer: UInt64
  ) -> UnitRecord {
    var unit = UnitRecord(
      stamp: stamp, version: version, writer: writer,
      other: self.writer == writer ? other : self.version)
    unit.increments = increments
    let place = increments.firstIndex { $0.stamp > increment.stamp } ?? increments.endIndex
    unit.increments.insert(increment, at: place)
    if unit.increments.count > Self.incrementLimit {
      let oldest = unit.increments.removeFirst()
      unit.increments[0].delta &+= oldest.delta
    }
    return unit
  }

  /// The sum of the increments.
  var sum: Int64 { increments.reduce(0) { $0 &+ $1.delta } }

  /// Whether the unit is to be sent to a client that is confirmed up to `version`.
  ///
  /// `client`: its own changes are left out, as it has applied them as sent; nil: none are.
  func isNews(after version: UInt64, for client: UInt64?) -> Bool {
    writer == client ? other > version : self.version > version
  }
}

extension WriteStamp {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    self.init(
      clock: HybridClock(rawValue: try reader.readFixed()), client: try reader.readFixed(),
      number: try reader.readVarint())
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(fixed: clock.rawValue)
    writer.append(fixed: client)
    writer.append(varint: number)
  }
}

extension UnitRecord {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    stamp = try WriteStamp(from: &reader)
    version = try reader.readVarint()
    let offset = reader.byteOffset
    let flags = try reader.readByte()
    guard flags < 4 else { throw .invalidContents(byteOffset: offset) }
    writer = flags & 1 == 1 ? try reader.readFixed() : stamp.client
    other = try reader.readVarint()
    guard flags & 2 == 2 else { return }
    for _ in 0..<(try reader.readCount()) {
      increments.append(
        Increment(stamp: try WriteStamp(from: &reader), delta: try reader.readSigned()))
    }
  }

  func write(to writer: inout RecordedWriter) {
    stamp.write(to: &writer)
    writer.append(varint: version)
    let hasWriter = self.writer != stamp.client
    writer.append(byte: (hasWriter ? 1 : 0) | (increments.isEmpty ? 0 : 2))
    if hasWriter { writer.append(fixed: self.writer) }
    writer.append(varint: other)
    guard !increments.isEmpty else { return }
    writer.append(varint: UInt64(increments.count))
    for increment in increments {
      increment.stamp.write(to: &writer)
      writer.append(signed: increment.delta)
    }
  }
}
