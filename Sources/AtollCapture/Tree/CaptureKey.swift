import AtollObjects

/// Keys of the trees that keep what is pending: Format.md, "Trees of a device".
///
/// Invariant: within one tree no key begins with another whole key.
package enum CaptureKey {
  static let outbox = "outbox"
  static let images = "images"
  static let touched = "touched"
  static let generations = "generations"
  static let elements = "elements"
  static let places = "element places"
  static let incarnations = "incarnations"
  static let sync = "sync"
  /// A server's own, which no device has; `StoreMap.state` has the same name.
  package static let serverState = "server.state"

  /// The class's name and the primary key, as index keys.
  static func object(_ address: ObjectAddress) -> [UInt8] {
    var bytes: [UInt8] = []
    append(.string(address.className), to: &bytes)
    append(address.primaryKey, to: &bytes)
    return bytes
  }

  static func property(_ object: [UInt8], _ name: String) -> [UInt8] {
    var bytes = object
    append(.string(name), to: &bytes)
    return bytes
  }

  /// An object's own entry among the images.
  static func ownImages(_ object: [UInt8]) -> [UInt8] { object + [0] }

  static func elementImages(_ object: [UInt8]) -> [UInt8] { object + [1] }

  static func elementImage(_ object: [UInt8], _ property: String, _ id: ElementID) -> [UInt8] {
    var bytes = elementImages(object)
    append(.string(property), to: &bytes)
    return bytes + elementID(id)
  }

  static func elementID(_ id: ElementID) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(id.client)
    bytes.appendBigEndian(id.number)
    bytes.appendBigEndian(id.index)
    return bytes
  }

  /// An embedded object, by its row.
  static func incarnation(_ object: ObjectLink) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(object.table)
    bytes.appendBigEndian(object.key)
    return bytes
  }

  /// Of members of sets and entries of maps.
  static func partImages(_ object: [UInt8]) -> [UInt8] { object + [2] }

  static func partImage(_ object: [UInt8], _ property: String, _ part: RecordedValue) -> [UInt8] {
    var bytes = partImages(object)
    append(.string(property), to: &bytes)
    return bytes + part.treeKey
  }

  static func number(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(number)
    return bytes
  }

  // MARK: Decoding

  /// The address that a key begins with, and what follows it; nil when it is none.
  static func address(_ key: [UInt8]) -> (address: ObjectAddress, rest: ArraySlice<UInt8>)? {
    var offset = 0
    guard case .string(let name)? = try? OrderedKey.decode(key, at: &offset),
      let primaryKey = try? OrderedKey.decode(key, at: &offset),
      RecordedValue(single: primaryKey).primaryKey != nil
    else { return nil }
    return (ObjectAddress(className: name, primaryKey: primaryKey), key[offset...])
  }

  /// The name that the rest of a key begins with, and what follows it.
  static func name(_ rest: ArraySlice<UInt8>) -> (name: String, rest: ArraySlice<UInt8>)? {
    var offset = 0
    let key = Array(rest)
    guard case .string(let name)? = try? OrderedKey.decode(key, at: &offset) else {
      return nil
    }
    return (name, key[offset...])
  }

  static func elementID(_ rest: ArraySlice<UInt8>) -> ElementID? {
    guard rest.count == 20 else { return nil }
    return ElementID(
      client: bigEndian(rest.prefix(8)), number: bigEndian(rest.dropFirst(8).prefix(8)),
      index: UInt32(bigEndian(rest.dropFirst(16))))
  }

  /// The row of an embedded object; nil when the key is none.
  static func object(ofIncarnation key: [UInt8]) -> ObjectLink? {
    guard key.count == 12 else { return nil }
    return ObjectLink(
      table: UInt32(bigEndian(key.prefix(4))), key: bigEndian(key.dropFirst(4)))
  }

  static func bigEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func append(_ value: Value, to bytes: inout [UInt8]) {
    do throws(ValueCodingError) { try OrderedKey.append(value, to: &bytes) } catch {
      preconditionFailure("names and primary keys can be index keys")
    }
  }
}
