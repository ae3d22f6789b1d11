internal import AtollObjects

/// A map that a property of a row holds, read and changed as what the file keeps.
final class ManagedMap {
  let place: _ValuePlace
  /// Whether entries are read and changed one by one: those of a map that a property declares.
  private let isByEntry: Bool
  /// The entries as they were read last, and the realm's count of changes of collections then.
  private var known: (links: UInt64, map: ValueMap)?

  init(_ place: _ValuePlace) {
    self.place = place
    isByEntry =
      place.path.isEmpty
      && place.row.access.descriptor.property(at: place.position).form.kind == .map
  }

  var row: _ManagedRow { place.row }
  var position: Int { place.position }

  /// Whether the values are embedded objects.
  var isOwning: Bool {
    place.path.isEmpty && row.access.descriptor.property(at: position).isOwning
  }

  private func read() -> ValueMap { row.isValid ? place.value?.map ?? ValueMap() : ValueMap() }

  /// The entries in the current version; none when the object is gone.
  var map: ValueMap {
    if row.context.isFrozen { return read() }
    row.context.checkConfinement()
    row.noteRead(position)
    guard row.isUsable else {
      row.noteUnread()
      return ValueMap()
    }
    if let knownMap { return knownMap }
    let failureCount = row.context.failureCount
    let map = read()
    if row.context.isSound(since: failureCount) { known = (row.context.counts.links, map) }
    return map
  }

  /// The entries, if they were read and nothing changed since.
  private var knownMap: ValueMap? {
    // A frozen realm is read by many threads, which share nothing that is read.
    if row.context.isFrozen { return nil }
    row.context.checkConfinement()
    row.noteRead(position)
    guard row.isUsable, let known, known.links == row.context.counts.links else { return nil }
    return known.map
  }

  // MARK: Entry by entry

  /// Maps up to this length are read whole.
  private static let wholeLimit = 512

  /// The number of entries.
  var count: Int {
    if let knownMap { return knownMap.count }
    return isByEntry ? row.elementCount(position) : map.count
  }

  /// The value of a key; nil when it is not there.
  func value(_ key: String) -> _StoredValue? {
    if let knownMap { return knownMap[key] }
    guard isByEntry, row.context.isFrozen || row.elementCount(position) > Self.wholeLimit else {
      return map[key]
    }
    return row.part(position, .string(key))
  }

  /// Whether so few entries change that each is changed by itself.
  func isFew(_ changedCount: Int) -> Bool { isByEntry && changedCount <= max(1, count / 8) }

  /// Sets the value of a key in a write; nil removes the key.
  func set(_ value: _StoredValue?, for key: String) {
    guard isByEntry else { return change { $0[key] = value } }
    guard requireWrite() else { return }
    var map = knownMap
    // The entries have one owner while they are changed.
    known = nil
    guard row.context.setPart(row, position, .string(key), value) else { return }
    guard let count = map?.count, count <= Self.wholeLimit else { return }
    map?[key] = value
    known = map.map { (row.context.counts.links, $0) }
  }

  func isSame(as other: ManagedMap?) -> Bool {
    guard let other else { return false }
    return place.isSame(as: other.place)
  }

  /// Ends the process unless a write is open and the object is there.
  ///
  /// - Returns: Whether the map can be changed: not that of an object that cannot be read, and
  ///   nothing in a write that could not begin.
  func requireWrite() -> Bool {
    guard row.context.requireWrite("a map was changed") != nil, row.checkChangeable() else {
      return false
    }
    // Setting what the collection holds finds out, but nothing may be set when it is empty.
    guard count == 0, !row.isValid else { return true }
    row.refuseDeleted()
    return false
  }

  /// Changes the entries in a write.
  func change(_ body: (inout ValueMap) -> Void) {
    guard requireWrite() else { return }
    let failureCount = row.context.failureCount
    var map = map
    // The entries have one owner while they are changed.
    known = nil
    body(&map)
    place.set(.map(map))
    if row.context.isSound(since: failureCount) { known = (row.context.counts.links, map) }
  }

  /// Makes a new embedded object the value of a key; the one before is deleted.
  func setOwned(_ object: ObjectBase, for key: String) {
    guard requireWrite() else { return }
    row.context.adder.append(object, to: row, position, mapKey: key)
    known = nil
  }
}
