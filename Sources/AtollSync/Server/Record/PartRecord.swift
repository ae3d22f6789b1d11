internal import AtollCapture
internal import AtollObjects

/// Which part of a collection is meant.
enum PartName: Hashable {
  /// Of a list.
  case element(ElementID)
  /// Of a map, by its key, or of a set: the member.
  case entry(RecordedValue)

  /// The part that a unit is; nil for a property.
  init?(_ path: UnitPath) {
    switch path {
    case .existence, .property: return nil
    case .element(_, let id): self = .element(id)
    case .entry(_, let key): self = .entry(key)
    }
  }

  /// The unit that the part is.
  func path(of property: String) -> UnitPath {
    switch self {
    case .element(let id): .element(property: property, id)
    case .entry(let key): .entry(property: property, key)
    }
  }
}

/// An element of a list, an entry of a map or a member of a set, also one that was removed.
///
/// Written through `PartVersions`, which lists it by its version.
struct PartRecord: ServerRecord, Hashable {
  static let map = StoreMap.parts

  var unit: UnitRecord
  /// Of the newest move of an element; nil: it was not moved.
  var moved: WriteStamp?
  var isRemoved: Bool
  /// Whether the insertion of an element may still come, for example as the server went back:
  /// another device has removed the element, or has told of it again, before.
  var awaitsInsertion: Bool
  /// In full, as the key may have only a digest of it.
  var name: PartName

  init(
    unit: UnitRecord, moved: WriteStamp? = nil, isRemoved: Bool, awaitsInsertion: Bool = false,
    name: PartName
  ) {
    self.unit = unit
    self.moved = moved
    self.isRemoved = isRemoved
    self.awaitsInsertion = awaitsInsertion
    self.name = name
  }

  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    let offset = reader.byteOffset
    let flags = try reader.readByte()
    guard flags < 8 else { throw .invalidContents(byteOffset: offset) }
    isRemoved = flags & 1 == 1
    awaitsInsertion = flags & 4 == 4
    unit = try UnitRecord(from: &reader)
    moved = flags & 2 == 2 ? try WriteStamp(from: &reader) : nil
    name =
      try reader.readFlag() ? .entry(try reader.readValue()) : .element(try reader.readElementID())
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(
      byte: (isRemoved ? 1 : 0) | (moved == nil ? 0 : 2) | (awaitsInsertion ? 4 : 0))
    unit.write(to: &writer)
    moved?.write(to: &writer)
    switch name {
    case .element(let id):
      writer.append(flag: false)
      writer.append(id)
    case .entry(let key):
      writer.append(flag: true)
      writer.append(key)
    }
  }
}

extension PartRecord {
  /// The common first bytes of the keys of a collection's parts.
  static func prefix(_ number: ObjectNumber, column: UInt32) -> [UInt8] {
    var bytes = number.bytes
    bytes.appendNumber(column)
    return bytes
  }

  /// The key of a part's record: the object, the column of the collection, the part.
  static func key(_ number: ObjectNumber, column: UInt32, _ name: PartName) -> [UInt8] {
    var bytes = prefix(number, column: column)
    switch name {
    case .element(let id):
      bytes.appendNumber(id.client)
      bytes.appendNumber(id.number)
      bytes.appendNumber(id.index)
    case .entry(let key): bytes += key.treeKey
    }
    return bytes
  }
}
