internal import AtollStorage

/// Links that wait for an object with a primary key that none has yet.
///
/// Kept in one key-value tree (Format.md, "Pending links") under two keys each,
/// so that both ends find them; numbers are big-endian:
///
///     't', target class (4), target key (see OrderedKey), source class (4), source key (8),
///          column (4), position (4)        -> nothing; of a map its key; of a mixed property the
///                                             way to the link, as `ValuePath` writes it
///     's', source class (4), source key (8), column (4), position (4)
///          -> target class (4), target key (see OrderedKey)
///
/// The tree is read as it was when the transaction began. What the transaction adds is kept beside
/// it, and so that a link whose target comes in the same transaction costs no bytes: `flush` writes
/// what is left. Of the tree's own entries those are gone whose target was taken, or whose source
/// was removed.
package struct PendingLinks {
  struct Entry {
    var source: ObjectLink
    var column: UInt32
    var position: Int
    /// The key in a map; in a mixed property the way to the link, a `ValuePath`.
    var mapKey: [UInt8] = []

    /// A link of a list or a mixed property that waits no more, and is not in its value yet.
    struct Arrival {
      var link: ObjectLink
      /// The primary key.
      var target: Value
      var position: Int
      var mapKey: [UInt8] = []

      var waiting: Waiting {
        Waiting(position: position, targetTable: link.table, target: target, mapKey: mapKey)
      }
    }
  }

  /// What a property waits for.
  package struct Waiting: Equatable {
    /// In a list the place among all elements, those that wait included; else only a number.
    package var position: Int
    package var targetTable: UInt32
    /// The primary key.
    package var target: Value
    package var mapKey: [UInt8] = []

    package init(position: Int, targetTable: UInt32, target: Value, mapKey: [UInt8] = []) {
      self.position = position
      self.targetTable = targetTable
      self.target = target
      self.mapKey = mapKey
    }

    package func isOf(_ key: String) -> Bool { key.utf8.elementsEqual(mapKey) }
  }

  private let record: ClassRecord.TreeRecord
  private let storage: WriteTransaction
  private let tree: KeyValueTree
  private var targets = PendingTargets()
  /// What the transaction added, in order; some of it is gone again.
  private var added: [PendingLink] = []
  private var addedCount = 0
  /// By source, in `added`.
  private var addedBySource: [ObjectLink: [Int]] = [:]
  /// Entries of the tree that are gone.
  private var removed: [PendingLink] = []
  /// Objects of whose entries in the tree some are gone: those of these columns, or all.
  private var removedSources: [ObjectLink: RemovedColumns] = [:]

  private struct RemovedColumns {
    var isAll = false
    var columns: Set<UInt32> = []

    func contains(_ column: UInt32) -> Bool { isAll || columns.contains(column) }
  }

  init(_ record: ClassRecord.TreeRecord, storage: WriteTransaction) {
    self.record = record
    self.storage = storage
    tree = KeyValueTree(root: record.root, treeID: record.treeID, reader: storage.reader)
  }

  var isEmpty: Bool { addedCount == 0 && !hasEntries }

  /// Whether the tree has any.
  private var hasEntries: Bool { record.root.entryCount > 0 }

  // MARK: Changing

  mutating func add(
    source: ObjectLink, column: UInt32, position: Int, targetTable: UInt32, target: Value,
    mapKey: [UInt8] = []
  ) throws(ObjectError) {
    guard let number = targets.number(table: targetTable, key: target) else { return }
    let place = PendingPlace(source: source, column: column, position: UInt32(position))
    targets[number].added.append(added.count)
    addedBySource[source, default: []].append(added.count)
    added.append(PendingLink(place: place, target: number, mapKey: mapKey))
    addedCount += 1
  }

  /// Removes and returns the links that wait for this object, in the order of their positions.
  mutating func take(targetTable: UInt32, target: Value) throws(ObjectError) -> [Entry] {
    guard !isEmpty else { return [] }
    var known = targets.find(table: targetTable, key: target)
    var taken: [PendingLink] = []
    if let known {
      for index in targets[known].added where added[index].isThere {
        taken.append(added[index])
        forget(index)
      }
      targets[known].added = []
    }
    if hasEntries, known.map({ !targets[$0].isTaken }) ?? true,
      let address = PendingTargets.address(table: targetTable, key: target)
    {
      let entries = try entries(ofTarget: address)
      if !entries.isEmpty {
        known = known ?? targets.number(table: targetTable, key: target)
        guard let known else { return [] }
        targets[known].isTaken = true
        for (place, mapKey) in entries {
          let link = PendingLink(place: place, target: known, mapKey: mapKey)
          removed.append(link)
          taken.append(link)
        }
      }
    }
    return taken.sorted { $0.place < $1.place }
      .map {
        Entry(
          source: $0.place.source, column: $0.place.column, position: Int($0.place.position),
          mapKey: $0.mapKey)
      }
      .sorted { $0.position < $1.position }
  }

  private mutating func forget(_ index: Int) {
    added[index].isThere = false
    addedCount -= 1
  }

  /// Forgets what waits for a property, or for all properties of an object.
  mutating func remove(source: ObjectLink, column: UInt32?) throws(ObjectError) {
    guard !isEmpty else { return }
    if let indexes = addedBySource[source] {
      var kept: [Int] = []
      for index in indexes where added[index].isThere {
        if column.map({ $0 == added[index].place.column }) ?? true {
          forget(index)
        } else {
          kept.append(index)
        }
      }
      addedBySource[source] = kept.isEmpty ? nil : kept
    }
    guard hasEntries else { return }
    removed += try entries(ofSource: source, column)
    if let column {
      removedSources[source, default: RemovedColumns()].columns.insert(column)
    } else {
      removedSources[source, default: RemovedColumns()].isAll = true
    }
  }

  /// Moves the links of a list that wait to where they belong when elements are taken out of it.
  ///
  /// `gaps`: the places of those elements among the ones that do not wait, ascending.
  mutating func close(_ gaps: [Int], source: ObjectLink, column: Column) throws(ObjectError) {
    guard !isEmpty, !gaps.isEmpty else { return }
    var waiting = try waiting(source: source, column: column)
    var isMoved = false
    for (order, link) in waiting.enumerated() {
      // Before it lie as many waiting links as came before in this loop; the rest do not wait.
      let shift = gaps.count { $0 < link.position - order }
      waiting[order].position -= shift
      isMoved = isMoved || shift > 0
    }
    guard isMoved else { return }
    try remove(source: source, column: column.id)
    for link in waiting {
      try add(
        source: source, column: column.id, position: link.position,
        targetTable: link.targetTable, target: link.target)
    }
  }

  // MARK: Reading

  /// What a property waits for, by position.
  mutating func waiting(source: ObjectLink, column: Column) throws(ObjectError) -> [Waiting] {
    guard !isEmpty else { return [] }
    var links: [PendingLink] = []
    for index in addedBySource[source] ?? []
    where added[index].isThere && added[index].place.column == column.id {
      links.append(added[index])
    }
    if hasEntries {
      for var link in try entries(ofSource: source, column.id) {
        if column.layout.collection == .map || column.layout.value == .mixed {
          link.mapKey = try mapKey(of: link)
        }
        links.append(link)
      }
    }
    links.sort { $0.place < $1.place }
    return links.map { link in
      Waiting(
        position: Int(link.place.position), targetTable: targets[link.target].table,
        target: targets[link.target].key, mapKey: link.mapKey)
    }
  }

  /// The objects with these keys that links of a property may wait in.
  func sources(_ column: Column, of keys: ClosedRange<UInt64>) throws(ObjectError) -> Set<UInt64> {
    var sources: Set<UInt64> = []
    for link in added
    where link.isThere && link.place.column == column.id && link.place.source.table == column.table
      && keys.contains(link.place.source.key)
    {
      sources.insert(link.place.source.key)
    }
    guard hasEntries else { return sources }
    do {
      try Self.visit(column, of: keys, in: tree) { place, _ in sources.insert(place.source.key) }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    return sources
  }

  /// The tree's entries that still wait for a target.
  private func entries(ofTarget address: [UInt8]) throws(ObjectError)
    -> [(place: PendingPlace, mapKey: [UInt8])]
  {
    let prefix = Self.byTarget + address
    var entries: [(place: PendingPlace, mapKey: [UInt8])] = []
    do {
      try tree.forEach(prefix: prefix) { (key: [UInt8], value: [UInt8]) in
        let tail = key[prefix.count...]
        guard tail.count == PendingPlace.byteCount else { throw ClassRecord.Malformed() }
        let place = PendingPlace(tail)
        if removedSources[place.source]?.contains(place.column) ?? false { return }
        entries.append((place, value))
      }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    return entries
  }

  /// The tree's entries that still wait for a property, or for an object's properties; without the
  /// keys of maps.
  private mutating func entries(ofSource source: ObjectLink, _ column: UInt32?)
    throws(ObjectError) -> [PendingLink]
  {
    let gone = removedSources[source]
    if let gone, gone.isAll || column.map(gone.contains) ?? false { return [] }
    let prefix = Self.bySource + PendingPlace.sourceBytes(source, column)
    var links: [PendingLink] = []
    var found: [(place: PendingPlace, address: [UInt8])] = []
    do {
      try tree.forEach(prefix: prefix) { (key: [UInt8], value: [UInt8]) in
        guard key.count == 1 + PendingPlace.byteCount else { throw ClassRecord.Malformed() }
        found.append((PendingPlace(key[1...]), value))
      }
      for (place, address) in found where !(gone?.contains(place.column) ?? false) {
        guard let number = targets.number(decoding: address) else { throw ClassRecord.Malformed() }
        if targets[number].isTaken { continue }
        links.append(PendingLink(place: place, target: number, mapKey: []))
      }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    return links
  }

  /// What the tree says of a link beside its place.
  private func mapKey(of link: PendingLink) throws(ObjectError) -> [UInt8] {
    let key = Self.byTarget + targets[link.target].address + link.place.bytes
    do throws(StorageError) { return try tree.value(for: key) ?? [] } catch {
      throw .storage(error)
    }
  }

  // MARK: Writing

  /// Writes the changes and gives the new root.
  mutating func flush() throws(StorageError) -> TreeRoot {
    guard addedCount > 0 || !removed.isEmpty else { return record.root }
    let ranks = targets.ranks
    var changes: [Change] = []
    changes.reserveCapacity(removed.count + addedCount)
    for link in removed {
      changes.append(Change(link: link, rank: ranks[link.target], isAddition: false))
    }
    for link in added where link.isThere {
      changes.append(Change(link: link, rank: ranks[link.target], isAddition: true))
    }
    let tree = MutableKeyValueTree(
      root: record.root, treeID: record.treeID, transaction: storage)
    changes.sort { a, b in
      a.link.place == b.link.place ? !a.isAddition && b.isAddition : a.link.place < b.link.place
    }
    for (index, change) in changes.enumerated() {
      // What is added in the place of what was removed comes next.
      let next = index + 1 < changes.count ? changes[index + 1].link.place : nil
      if !change.isAddition, next == change.link.place { continue }
      let address = change.isAddition ? targets[change.link.target].address : nil
      try tree.set(address, for: Self.bySource + change.link.place.bytes)
    }
    // Stable: the links of a target stay in the order of their places.
    changes.sort { $0.rank < $1.rank }
    for change in changes {
      try tree.set(
        change.isAddition ? change.link.mapKey : nil,
        for: Self.byTarget + targets[change.link.target].address + change.link.place.bytes)
    }
    return try tree.flush()
  }

  private struct Change {
    var link: PendingLink
    /// The target's place in the order of targets.
    var rank: Int
    var isAddition: Bool
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
    var links: [PendingPlace: (address: [UInt8], mapKey: [UInt8])] = [:]
    do {
      try tree.forEach { (key: [UInt8], value: [UInt8]) in
        guard key.count > PendingPlace.byteCount else { throw ClassRecord.Malformed() }
        // Both kinds of keys end with the place; those of sources come first.
        let place = PendingPlace(key.suffix(PendingPlace.byteCount))
        if key.first == Self.byTarget.first {
          links[place]?.mapKey = value
        } else if isKept(place.source) {
          links[place] = (value, [])
        }
      }
      var copied = self
      for (place, link) in links.sorted(by: { $0.key < $1.key }) {
        guard let number = copied.targets.number(decoding: link.address) else {
          throw ClassRecord.Malformed()
        }
        try copied.add(
          source: place.source, column: place.column, position: Int(place.position),
          targetTable: copied.targets[number].table, target: copied.targets[number].key,
          mapKey: link.mapKey)
      }
      self = copied
    } catch { throw ObjectError(any: error, block: other.root.reference.block) }
  }

  // MARK: Keys

  static let byTarget: [UInt8] = Array("t".utf8)
  static let bySource: [UInt8] = Array("s".utf8)
}

extension Snapshot {
  /// How many links of a property wait.
  package func waitingCount(_ source: ObjectLink, _ column: Column) throws(ObjectError) -> Int {
    let record = catalogue.pendingLinks
    guard record.root.entryCount > 0 else { return 0 }
    let tree = KeyValueTree(root: record.root, treeID: record.treeID, reader: storage.reader)
    var count = 0
    do {
      try tree.forEach(
        prefix: PendingLinks.bySource + PendingPlace.sourceBytes(source, column.id)
      ) { (_: [UInt8], _: [UInt8]) in count += 1 }
    } catch { throw ObjectError(any: error, block: record.root.reference.block) }
    return count
  }

  /// How many links wait for an object that does not exist yet.
  public var pendingLinkCount: Int { Int(clamping: catalogue.pendingLinks.root.entryCount / 2) }
}
