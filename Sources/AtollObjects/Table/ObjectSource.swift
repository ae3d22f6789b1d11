package import AtollStorage

/// What objects are read from: a snapshot, or a transaction that shows its own changes.
public protocol ObjectSource: AnyObject {
  /// The classes of this version.
  var schema: Schema { get }
  /// The objects of a class.
  ///
  /// - Throws: `.noSuchClass` with the nearest name.
  func table(_ className: String) throws(ObjectError) -> Table
}

/// An object source as the query layer uses it.
package protocol TreeSource: ObjectSource {
  func table(id: UInt32) throws(ObjectError) -> Table?
  /// The ordered index of a property; nil when none is kept.
  func index(_ column: Column) throws(ObjectError) -> Index?
  /// An index of several properties, or a unique one; nil when the version does not have it.
  func index(_ index: TableIndex) throws(ObjectError) -> Index?
  /// For a link: the index from targets to sources; for a mixed property, if it ever held links.
  func backlinks(_ column: Column) throws(ObjectError) -> Index?
  /// The index from the tokens of a property's text to the objects; nil when none is kept.
  func fullTextIndex(_ column: Column) throws(ObjectError) -> Index?
  /// The links that wait in a property, by the objects with these keys that have any.
  ///
  /// Of a map each has its key, in a mixed property the way to it, as `ValuePath` writes it; of others
  /// nothing.
  func waitingLinks(_ column: Column, of keys: ClosedRange<UInt64>) throws(ObjectError)
    -> [UInt64: [[UInt8]]]
}

extension Index {
  /// The value under which the backlinks of the object `key` are listed.
  package static func target(_ key: UInt64) -> Value { .int(key.orderedSigned) }

  /// The value under which links of a property to an object are listed.
  ///
  /// Those of a mixed property lead to several classes: it is an object id of class and key.
  package static func target(_ link: ObjectLink, of column: Column) -> Value {
    guard column.layout.value == .mixed else { return target(link.key) }
    return .objectID(
      ObjectID(
        high: UInt64(link.table) << 32 | link.key >> 32, low: UInt32(truncatingIfNeeded: link.key)))
  }

  /// The bytes under which links of a mixed property to an object are listed.
  static func bytes(ofMixedTarget link: ObjectLink) -> [UInt8] {
    var bytes: [UInt8] = [OrderedKey.Tag.objectID.rawValue]
    bytes.appendBigEndian(link.table)
    bytes.appendBigEndian(link.key)
    return bytes
  }

  /// The bytes under which `value` is listed; nil for what is never in an index.
  ///
  /// Of a key that is too long they are the first `valueByteLimit` bytes: see `isCut`.
  package static func bytes(of value: Value) -> [UInt8]? {
    OrderedKey.bytes(of: value).map { key in
      key.count > valueByteLimit ? Array(key.prefix(valueByteLimit)) : key
    }
  }

  /// The bytes of a string or of data that is too long for an index, a 00 counted twice; nil for
  /// any other value.
  package static func excessByteCount(of value: Value) -> Int? {
    excessByteCount(of: value, limit: textByteLimit)
  }

  /// The same for a part of a key that has another limit.
  package static func excessByteCount(of value: Value, limit: Int) -> Int? {
    func excess(_ bytes: some Collection<UInt8>) -> Int? {
      // At most each byte counts twice.
      guard bytes.count > limit / 2 else { return nil }
      let byteCount = bytes.count + bytes.count { $0 == 0 }
      return byteCount > limit ? byteCount : nil
    }
    return switch value {
    case .string(let string): excess(string.utf8)
    case .data(let data): excess(data)
    default: nil
    }
  }

  /// Whether values are listed under `bytes` of which these are the beginning only.
  ///
  /// Several values may be listed together then. Two zeros end the key of a string and of data, and
  /// are nowhere else in it.
  package static func isCut(_ bytes: [UInt8]) -> Bool {
    bytes.count == valueByteLimit && !bytes.suffix(2).allSatisfy { $0 == 0 }
  }

  package static func isCut(_ bytes: ByteView) -> Bool {
    bytes.count == valueByteLimit && isCut(bytes.copy())
  }
}
