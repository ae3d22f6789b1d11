internal import AtollCapture

/// The parts of each collection by the version of their last change.
///
/// A device needs the parts that changed after its cursor: finding them costs what they are, and
/// not what the collection is long.
///
/// Invariant: of each record in `StoreMap.parts` there is one entry, with the version of the
/// record's unit. So whatever writes or removes such a record does it through this type, or removes
/// the entries of the object too.
struct PartVersions {
  let store: any ServerTransaction

  /// The small record that says which start of the store has last kept the index.
  static let mark = Array("part versions".utf8)

  /// The bytes before the part in the key of its record: the object and the column.
  private static let prefixByteCount = ObjectNumber.byteCount + 4

  /// The key of an entry: that of the record, with the version before the part.
  private static func key(_ partKey: [UInt8], _ version: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(partKey.count + 8)
    bytes += partKey.prefix(prefixByteCount)
    bytes.appendNumber(version)
    bytes += partKey.dropFirst(prefixByteCount)
    return bytes
  }

  /// Writes the record of a part.
  ///
  /// `isFirst`: it is known that there is none yet.
  func set(_ record: PartRecord, for key: [UInt8], isFirst: Bool) throws(ServerStoreError) {
    let version = record.unit.version
    var isListed = false
    if !isFirst, let bytes = try store.record(key, in: .parts) {
      let old = try PartRecord(bytes).unit.version
      isListed = old == version
      if !isListed { try store.set(nil, for: Self.key(key, old), in: .partVersions) }
    }
    if !isListed { try store.set([], for: Self.key(key, version), in: .partVersions) }
    try store.set(record.encoded, for: key, in: .parts)
  }

  /// The keys of the records of a collection's parts that changed after a version, in their order.
  func keys(of number: ObjectNumber, column: UInt32, after version: UInt64)
    throws(ServerStoreError) -> [[UInt8]]
  {
    guard version < .max else { return [] }
    let prefix = PartRecord.prefix(number, column: column)
    var keys: [[UInt8]] = []
    try store.forEach(in: .partVersions, from: Self.key(prefix, version + 1), prefix: prefix) {
      key, _ in
      keys.append(prefix + key.dropFirst(Self.prefixByteCount + 8))
      return true
    }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Makes the index where a build without it has written the store, or it was not salvaged; in the
  /// transaction of this call, so that it is there as a whole or not at all.
  ///
  /// - Parameters:
  ///   - incarnation: The start of the store that keeps the index from now on.
  ///   - previous: The one before.
  /// - Throws: What the store throws.
  func prepare(for incarnation: UInt64, after previous: UInt64) throws(ServerStoreError) {
    let isKept = try store.record(Self.mark, in: .state) == Self.mark(previous)
    let (isEmpty, hasParts) = (try !hasRecords(.partVersions), try hasRecords(.parts))
    if !isKept || isEmpty && hasParts { try build() }
    try store.set(Self.mark(incarnation), for: Self.mark, in: .state)
  }

  private static func mark(_ incarnation: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(incarnation)
    return bytes
  }

  private func hasRecords(_ map: StoreMap) throws(ServerStoreError) -> Bool {
    var isFound = false
    try store.forEach(in: map, from: [], prefix: []) { _, _ in
      isFound = true
      return false
    }
    return isFound
  }

  private func build() throws(ServerStoreError) {
    // What is out of date would list a part twice.
    var old: [[UInt8]] = []
    try store.forEach(in: .partVersions, from: [], prefix: []) { key, _ in
      old.append(key)
      return true
    }
    for key in old { try store.set(nil, for: key, in: .partVersions) }
    // In the order of the entries' keys, so that they fill page after page: by version within a
    // collection.
    var collection: ArraySlice<UInt8> = []
    var entries: [[UInt8]] = []
    func write() throws(ServerStoreError) {
      entries.sort { $0.lexicographicallyPrecedes($1) }
      for entry in entries { try store.set([], for: entry, in: .partVersions) }
      entries = []
    }
    try store.forEach(in: .parts, from: [], prefix: []) { key, bytes throws(ServerStoreError) in
      let prefix = key.prefix(Self.prefixByteCount)
      if prefix != collection {
        try write()
        collection = prefix
      }
      entries.append(Self.key(key, try PartRecord(bytes).unit.version))
      return true
    }
    try write()
  }
}
