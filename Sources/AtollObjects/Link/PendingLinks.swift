internal import AtollStorage

/// Links that wait for an object with a primary key that none has yet.
///
/// Kept in one key-value tree (Format.md, "Pending links") under two keys each,
/// so that both ends find them; numbers are big-endian:
///
///     't', target class (4), target key (see OrderedKey), source class (4), source key (8),
///          column (4), position (4)        -> nothing; in a map its key
///     's', source class (4), source key (8), column (4), position (4)
///          -> target class (4), target key (see OrderedKey)
///
/// The tree is read as it was when the transaction began; what the transaction
/// adds and takes away is kept beside it and written by `flush`.
struct PendingLinks {
  struct Entry {
    var source: ObjectLink
    var column: UInt32
    var position: Int
    /// The key in a map.
    var mapKey: [UInt8] = []

    /// A link of a list that waits no more, and is not in the list yet.
    struct Arrival {
      var link: ObjectLink
      /// The primary key.
      var target: Value
      var position: Int

      var waiting: Waiting {
        Waiting(position: position, targetTable: link.table, target: target)
      }
    }
  }

  /// What a property waits for.
  struct Waiting {
    /// In a list the place among all elements, those that wait included; else only a number.
    var position: Int
    var targetTable: UInt32
    /// The primary key.
    var target: Value
    var mapKey: [UInt8] = []

    func isOf(_ key: String) -> Bool { key.utf8.elementsEqual(mapKey) }
  }

  private let record: ClassRecord.TreeRecord
  private let storage: WriteTransaction
  /// Keys of this transaction by prefix-sorted order, with their values; nil for a removed one.
  private var changed: [[UInt8]: [UInt8]?] = [:]
  /// The added keys, sorted, for searches by prefix; rebuilt when needed.
  private var addedByTarget: [[UInt8]: Set<[UInt8]>] = [:]
  private var addedBySource: [[UInt8]: Set<[UInt8]>] = [:]

  init(_ record: ClassRecord.TreeRecord, storage: WriteTransaction) {
    self.record = record
    self.storage = storage
  }

  mutating func add(
    source: ObjectLink, column: UInt32, position: Int, targetTable: UInt32, target: Value,
    mapKey: [UInt8] = []
  ) throws(ObjectError) {
    guard let targetBytes = OrderedKey.bytes(of: target) else { return }
    let tail = Self.sourceBytes(source, column) + Self.bytes(UInt32(position))
    insert(
      source: source, tail: tail, address: Self.bytes(targetTable) + targetBytes, mapKey: mapKey)
  }

  private mutating func insert(
    source: ObjectLink, tail: [UInt8], address: [UInt8], mapKey: [UInt8] = []
  ) {
    let byTarget = Self.byTarget + address + tail
    let bySource = Self.bySource + tail
    changed[byTarget] = .some(mapKey)
    changed[bySource] = .some(address)
    addedByTarget[address, default: []].insert(byTarget)
    addedBySource[Self.sourceBytes(source, nil), default: []].insert(bySource)
  }

  /// Removes and returns the links that wait for this object, in the order of their positions.
  mutating func take(targetTable: UInt32, target: Value) throws(ObjectError) -> [Entry] {
    guard !isEmpty, let targetBytes = OrderedKey.bytes(of: target) else { return [] }
    let address = Self.bytes(targetTable) + targetBytes
    let prefix = Self.byTarget + address
    var entries: [Entry] = []
    for key in try keys(prefix: prefix, added: addedByTarget[address] ?? []) {
      let tail = Array(key[prefix.count...])
      guard tail.count == 20 else { continue }
      entries.append(
        Entry(
          source: ObjectLink(
            table: UInt32(Self.number(tail[0..<4])), key: Self.number(tail[4..<12])),
          column: UInt32(Self.number(tail[12..<16])), position: Int(Self.number(tail[16..<20])),
          mapKey: try value(key) ?? []))
      remove(key)
      remove(Self.bySource + tail)
    }
    addedByTarget[address] = nil
    return entries.sorted { $0.position < $1.position }
  }

  /// What a property waits for, by position.
  func waiting(source: ObjectLink, column: UInt32) throws(ObjectError) -> [Waiting] {
    guard !isEmpty else { return [] }
    let prefix = Self.bySource + Self.sourceBytes(source, column)
    let added = addedBySource[Self.sourceBytes(source, nil)] ?? []
    var waiting: [Waiting] = []
    for key in try keys(prefix: prefix, added: added) {
      guard let address = try value(key), address.count > 4 else { continue }
      var offset = 4
      guard let target = try? OrderedKey.decode(address, at: &offset) else { continue }
      waiting.append(
        Waiting(
          position: Int(Self.number(key[prefix.count...])),
          targetTable: UInt32(Self.number(address[..<4])), target: target,
          mapKey: try value(Self.byTarget + address + key.dropFirst()) ?? []))
    }
    return waiting
  }

  /// Moves the links of a list that wait to where they belong when elements are taken out of it.
  ///
  /// `gaps`: the places of those elements among the ones that do not wait, ascending.
  mutating func close(_ gaps: [Int], source: ObjectLink, column: UInt32) throws(ObjectError) {
    guard !isEmpty, !gaps.isEmpty else { return }
    let prefix = Self.bySource + Self.sourceBytes(source, column)
    let waiting = try keys(
      prefix: prefix, added: addedBySource[Self.sourceBytes(source, nil)] ?? [])
    var moved: [(key: [UInt8], address: [UInt8], position: Int)] = []
    for (order, key) in waiting.enumerated() {
      let position = Int(Self.number(key[prefix.count...]))
      // Before it lie as many waiting links as came before in this loop; the rest do not wait.
      let shift = gaps.count { $0 < position - order }
      guard shift > 0, let address = try value(key) else { continue }
      moved.append((key, address, position - shift))
    }
    for (key, address, _) in moved {
      remove(Self.byTarget + address + key.dropFirst())
      remove(key)
    }
    for (_, address, position) in moved {
      insert(
        source: source, tail: Self.sourceBytes(source, column) + Self.bytes(UInt32(position)),
        address: address)
    }
  }

  /// Forgets what waits for a property, or for all properties of an object.
  mutating func remove(source: ObjectLink, column: UInt32?) throws(ObjectError) {
    guard !isEmpty else { return }
    let prefix = Self.bySource + Self.sourceBytes(source, column)
    let added = addedBySource[Self.sourceBytes(source, nil)] ?? []
    for key in try keys(prefix: prefix, added: added) {
      guard let address = try value(key) else { continue }
      remove(Self.byTarget + address + key.dropFirst())
      remove(key)
    }
  }

  /// Writes the changes and gives the new root.
  mutating func flush() throws(StorageError) -> TreeRoot {
    guard !changed.isEmpty else { return record.root }
    let tree = MutableKeyValueTree(
      root: record.root, treeID: record.treeID, transaction: storage)
    for (key, value) in changed.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      try tree.set(value, for: key)
    }
    return try tree.flush()
  }

  /// Takes over the links that wait in another file with the same classes.
  ///
  /// `isKept`: whether the object that holds the link is there.
  ///
  /// When it throws, no link was taken over.
  mutating func copy(
    of source: Snapshot, where isKept: (ObjectLink) -> Bool = { _ in true }
  ) throws(ObjectError) {
    let other = source.catalogue.pendingLinks
    let tree = KeyValueTree(
      root: other.root, treeID: other.treeID, reader: source.storage.reader)
    var copied: [[UInt8]: [UInt8]?] = [:]
    do {
      try tree.forEach { (key: [UInt8], value: [UInt8]) in
        guard key.count >= Self.bySourceByteCount else { throw ClassRecord.Malformed() }
        // Both kinds of keys hold the source in the same form, one at its beginning, one at its end.
        let tail =
          key.first == Self.bySource.first
          ? key[1...] : key.suffix(Self.bySourceByteCount - 1)
        let link = ObjectLink(
          table: UInt32(Self.number(tail.prefix(4))),
          key: Self.number(tail.dropFirst(4).prefix(8)))
        if isKept(link) { copied[key] = .some(value) }
      }
      changed = copied
    } catch { throw ObjectError(any: error, block: other.root.reference.block) }
  }

  var isEmpty: Bool { record.root.entryCount == 0 && changed.isEmpty }

  private mutating func remove(_ key: [UInt8]) {
    changed[key] = .some(nil)
  }

  private func value(_ key: [UInt8]) throws(ObjectError) -> [UInt8]? {
    if let changed = changed[key] { return changed }
    do throws(StorageError) { return try tree.value(for: key) } catch { throw .storage(error) }
  }

  private var tree: KeyValueTree {
    KeyValueTree(root: record.root, treeID: record.treeID, reader: storage.reader)
  }

  /// The keys that begin with `prefix` now, in order.
  private func keys(prefix: [UInt8], added: Set<[UInt8]>) throws(ObjectError) -> [[UInt8]] {
    var keys = added.filter { $0.starts(with: prefix) && changed[$0] != .some(nil) }
    if record.root.entryCount > 0 {
      do {
        try tree.forEach(prefix: prefix) { (key: [UInt8], _: [UInt8]) in
          guard prefix.first != Self.bySource.first || key.count == Self.bySourceByteCount else {
            throw ClassRecord.Malformed()
          }
          if changed[key] != .some(nil) { keys.insert(key) }
        }
      } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  // MARK: Keys

  static let byTarget: [UInt8] = Array("t".utf8)
  static let bySource: [UInt8] = Array("s".utf8)
  /// The prefix, source class, source key, column and position.
  static let bySourceByteCount = 1 + 4 + 8 + 4 + 4

  static func sourceBytes(_ source: ObjectLink, _ column: UInt32?) -> [UInt8] {
    bytes(source.table) + bytes(source.key) + (column.map { bytes($0) } ?? [])
  }

  static func bytes<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
    (0..<T.bitWidth / 8).map {
      UInt8(truncatingIfNeeded: number >> T(T.bitWidth - 8 - 8 * $0))
    }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension Snapshot {
  /// How many links of a property wait.
  func waitingCount(_ source: ObjectLink, _ column: Column) throws(ObjectError) -> Int {
    let record = catalogue.pendingLinks
    guard record.root.entryCount > 0 else { return 0 }
    let tree = KeyValueTree(root: record.root, treeID: record.treeID, reader: storage.reader)
    var count = 0
    do {
      try tree.forEach(prefix: PendingLinks.bySource + PendingLinks.sourceBytes(source, column.id))
      { (_: [UInt8], _: [UInt8]) in count += 1 }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    return count
  }

  /// How many links wait for an object that does not exist yet.
  public var pendingLinkCount: Int { Int(clamping: catalogue.pendingLinks.root.entryCount / 2) }
}
