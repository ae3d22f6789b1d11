internal import AtollCapture
internal import AtollObjects

/// The server's record of an object beside its values; kept when the object is deleted.
///
/// A property that is not listed has the record of the creation. For a list, the record of its
/// property is that of the newest change of an element.
struct ObjectRecord: ServerRecord, Hashable {
  static let map = StoreMap.objects

  /// The life that the object has; nil when it is deleted.
  var generation: Cursor?
  /// The version of the last change of anything.
  var version: UInt64 = 0
  /// Of the existence; its stamp has no meaning.
  var existence = UnitRecord(stamp: .earliest, version: 0, writer: 0)
  /// The newest deletion: its version and the client that made it.
  var deletion: Deletion?
  /// How many bytes the values of the object take, about; 0 when it is deleted.
  ///
  /// They count for the user of the client that made it.
  private(set) var byteCount: UInt64 = 0
  /// How many bytes is kept of entries and members that are gone, which no device gets.
  private(set) var keptByteCount: UInt64 = 0
  /// What counts for the user.
  var storedByteCount: UInt64 { byteCount &+ keptByteCount }
  /// Of the properties that are not in `properties`.
  var creation = UnitRecord(stamp: .earliest, version: 0, writer: 0)
  /// By the number of the column, ascending.
  private(set) var properties: [(column: UInt32, unit: UnitRecord)] = []

  struct Deletion: Hashable {
    var version: UInt64
    var client: UInt64
  }

  init() {}

  /// Whether there ever was such an object.
  var isKnown: Bool { version > 0 }

  /// The record of a property.
  subscript(column: UInt32) -> UnitRecord {
    get {
      let index = firstIndex(notBelow: column)
      guard index < properties.count, properties[index].column == column else { return creation }
      return properties[index].unit
    }
    set {
      let index = firstIndex(notBelow: column)
      if index < properties.count, properties[index].column == column {
        properties[index].unit = newValue
      } else {
        properties.insert((column, newValue), at: index)
      }
    }
  }

  private func firstIndex(notBelow column: UInt32) -> Int {
    var low = 0
    var high = properties.count
    while low < high {
      let middle = (low + high) / 2
      if properties[middle].column < column { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether the life that the object has is the one that a client began.
  func isMade(by client: UInt64, as generation: Cursor?) -> Bool {
    generation != nil && generation == self.generation && existence.writer == client
  }

  /// Begins another life.
  mutating func create(_ generation: Cursor, by client: UInt64) {
    let version = generation.version
    self.generation = generation
    existence = existence.written(.earliest, version: version, by: client)
    creation = UnitRecord(stamp: .earliest, version: version, writer: client)
    properties = []
    byteCount = Self.leastByteCount
    keptByteCount = 0
    self.version = version
  }

  /// What an object takes without values.
  private static let leastByteCount: UInt64 = 64

  /// Counts what a write has added or, where it is negative, freed.
  mutating func count(_ difference: Int) {
    guard generation != nil else { return }
    let sum = Int64(clamping: byteCount) + Int64(difference)
    byteCount = UInt64(max(Int64(Self.leastByteCount), sum))
  }

  /// The same for what is kept of what is gone.
  mutating func countKept(_ difference: Int) {
    guard generation != nil else { return }
    keptByteCount = UInt64(max(0, Int64(clamping: keptByteCount) + Int64(difference)))
  }

  /// Ends the life of the object.
  mutating func delete(version: UInt64, by client: UInt64) {
    generation = nil
    existence = existence.written(.earliest, version: version, by: client)
    deletion = Deletion(version: version, client: client)
    properties = []
    byteCount = 0
    keptByteCount = 0
    self.version = version
  }

  /// Records a write of a property, or of an element of it.
  mutating func write(
    column: UInt32, _ stamp: WriteStamp, version: UInt64, by client: UInt64
  ) {
    self[column] = self[column].written(stamp, version: version, by: client)
    self.version = version
  }

  /// Records a change inside a property, or inside an element or entry of it.
  mutating func touch(
    column: UInt32, version: UInt64, by client: UInt64, isNewsToWriter: Bool
  ) {
    self[column] = self[column].touched(
      version: version, by: client, isNewsToWriter: isNewsToWriter)
    self.version = version
  }

  /// Records an increment of a property.
  mutating func increment(
    column: UInt32, _ increment: UnitRecord.Increment, version: UInt64, by client: UInt64
  ) {
    self[column] = self[column].incremented(increment, version: version, by: client)
    self.version = version
  }

  static func == (a: ObjectRecord, b: ObjectRecord) -> Bool {
    a.generation == b.generation && a.version == b.version && a.existence == b.existence
      && a.deletion == b.deletion && a.byteCount == b.byteCount
      && a.keptByteCount == b.keptByteCount && a.creation == b.creation
      && a.properties.elementsEqual(b.properties) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(generation)
    hasher.combine(version)
  }
}

extension ObjectRecord {
  /// Few units of an object differ, so each is written once and then named by its place.
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    generation = try reader.readOptionalCursor()
    version = try reader.readVarint()
    if try reader.readFlag() {
      deletion = Deletion(version: try reader.readVarint(), client: try reader.readFixed())
    }
    var units: [UnitRecord] = []
    for _ in 0..<(try reader.readCount()) { units.append(try UnitRecord(from: &reader)) }
    func unit(_ reader: inout RecordedReader) throws(ValueCodingError) -> UnitRecord {
      let offset = reader.byteOffset
      let index = try reader.readVarint()
      guard index < UInt64(units.count) else { throw .invalidContents(byteOffset: offset) }
      return units[Int(index)]
    }
    existence = try unit(&reader)
    creation = try unit(&reader)
    for _ in 0..<(try reader.readCount()) {
      let offset = reader.byteOffset
      let column = try reader.readUInt32()
      guard properties.last.map({ $0.column < column }) ?? true else {
        throw .invalidContents(byteOffset: offset)
      }
      properties.append((column, try unit(&reader)))
    }
    // Absent in a record from before it was counted.
    if !reader.isAtEnd { byteCount = try reader.readVarint() }
    if !reader.isAtEnd { keptByteCount = try reader.readVarint() }
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(generation)
    writer.append(varint: version)
    writer.append(flag: deletion != nil)
    if let deletion {
      writer.append(varint: deletion.version)
      writer.append(fixed: deletion.client)
    }
    var units: [UnitRecord] = []
    func place(_ unit: UnitRecord) -> UInt64 {
      if let index = units.lastIndex(of: unit) { return UInt64(index) }
      units.append(unit)
      return UInt64(units.count - 1)
    }
    let places = [place(existence), place(creation)] + properties.map { place($0.unit) }
    writer.append(varint: UInt64(units.count))
    for unit in units { unit.write(to: &writer) }
    writer.append(varint: places[0])
    writer.append(varint: places[1])
    writer.append(varint: UInt64(properties.count))
    for (property, place) in zip(properties, places.dropFirst(2)) {
      writer.append(varint: UInt64(property.column))
      writer.append(varint: place)
    }
    if byteCount > 0 || keptByteCount > 0 { writer.append(varint: byteCount) }
    if keptByteCount > 0 { writer.append(varint: keptByteCount) }
  }
}
