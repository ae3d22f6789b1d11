internal import AtollCapture
internal import AtollObjects

/// A unit inside whose value places are written: a property, or a part of a collection.
struct InnerUnit: Hashable {
  var column: UInt32
  /// Nil: the property itself.
  var name: PartName?
}

/// The write times of the places inside one unit.
///
/// Removed when the unit is set as a whole.
struct InnerRecord: ServerRecord, Hashable {
  static let map = StoreMap.inner

  /// How many places are kept separately, and how many bytes their names have; the oldest place
  /// without increments is merged into `floor`.
  static let placeLimit = 256
  static let nameByteCountLimit = 64 << 10

  struct Place: Hashable {
    var place: InnerPlace
    var unit: UnitRecord
  }

  /// Places that are not listed were written no later than this.
  private(set) var floor = WriteStamp.earliest
  private(set) var places: [Place] = []

  init() {}

  /// All of the unit was written, and is still the same embedded object.
  init(floor: WriteStamp) { self.floor = floor }

  /// The newest write that a change at a place competes with: there, around it and, unless the
  /// change is an increment, inside it; each in the same incarnation.
  func newestStamp(at place: InnerPlace, _ change: InnerChange) -> WriteStamp {
    var isInsideMeant = true
    if case .increment = change { isInsideMeant = false }
    // A discarded place around a listed one was written before it.
    var newest = places.contains { $0.place == place } ? WriteStamp.earliest : floor
    for known in places where known.place.incarnation == place.incarnation {
      if place.isWithin(known.place) || isInsideMeant && known.place.isWithin(place) {
        newest = max(newest, known.unit.stamp)
      }
    }
    return newest
  }

  /// The newest write inside a mixed value, which a write of all of it competes with.
  var newestMixedStamp: WriteStamp {
    places.reduce(floor) { $1.place.incarnation == nil ? max($0, $1.unit.stamp) : $0 }
  }

  /// Records a change at a place; returns the sum of newer increments there.
  mutating func write(
    _ place: InnerPlace, _ change: InnerChange, _ stamp: WriteStamp, version: UInt64,
    by client: UInt64
  ) -> Int64 {
    let old = places.first { $0.place == place }?.unit
    places.removeAll { $0.place.isWithin(place) }
    var unit = old ?? UnitRecord(stamp: floor, version: 0, writer: 0)
    var sum: Int64 = 0
    if case .increment(let delta, _) = change {
      unit = unit.incremented(
        UnitRecord.Increment(stamp: stamp, delta: delta), version: version, by: client)
    } else {
      unit = unit.written(stamp, version: version, by: client)
      sum = unit.sum
    }
    places.append(Place(place: place, unit: unit))
    while isTooLarge { forgetOldest() }
    return sum
  }

  private var isTooLarge: Bool {
    places.count > Self.placeLimit
      || places.reduce(0) { $0 + $1.place.nameByteCount } > Self.nameByteCountLimit
  }

  private mutating func forgetOldest() {
    let indices = places.indices.filter { places[$0].unit.increments.isEmpty }
    guard
      let oldest = (indices.isEmpty ? Array(places.indices) : indices)
        .min(by: { places[$0].newestStamp < places[$1].newestStamp })
    else { return }
    floor = max(floor, places.remove(at: oldest).newestStamp)
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    floor = try WriteStamp(from: &reader)
    for _ in 0..<(try reader.readCount()) {
      places.append(
        Place(place: try reader.readInnerPlace(), unit: try UnitRecord(from: &reader)))
    }
  }

  func write(to writer: inout RecordedWriter) {
    floor.write(to: &writer)
    writer.append(varint: UInt64(places.count))
    for known in places {
      writer.append(known.place)
      known.unit.write(to: &writer)
    }
  }
}

extension InnerPlace {
  /// Bytes of the names that lead there.
  var nameByteCount: Int { names.reduce(0) { $0 + $1.utf8.count } }
}

extension InnerRecord.Place {
  /// Of what was set there and of what was added.
  fileprivate var newestStamp: WriteStamp { unit.increments.last?.stamp ?? unit.stamp }
}

extension InnerRecord {
  /// The key of a record: the object, the column, the unit.
  static func key(_ number: ObjectNumber, _ unit: InnerUnit) -> [UInt8] {
    guard let name = unit.name else {
      return PartRecord.prefix(number, column: unit.column)
    }
    return PartRecord.key(number, column: unit.column, name)
  }
}
