internal import AtollObjects

/// A map that a property of a row holds, read and changed as what the file keeps.
final class ManagedMap {
  let place: _ValuePlace
  /// The entries as they were read last, and the realm's count of changes of collections then.
  private var known: (linkNumber: UInt64, map: ValueMap)?

  init(_ place: _ValuePlace) { self.place = place }

  var row: _ManagedRow { place.row }
  var position: Int { place.position }

  private func read() -> ValueMap { row.isValid ? place.value?.map ?? ValueMap() : ValueMap() }

  /// The entries in the current version; none when the object is gone.
  var map: ValueMap {
    if row.context.isFrozen { return read() }
    row.context.checkConfinement()
    guard row.isUsable else { return ValueMap() }
    if let known, known.linkNumber == row.context.linkNumber { return known.map }
    let map = read()
    known = (row.context.linkNumber, map)
    return map
  }

  func isSame(as other: ManagedMap?) -> Bool {
    guard let other else { return false }
    return place.isSame(as: other.place)
  }

  /// Ends the process unless a write is open and the object is there.
  func requireWrite() {
    _ = row.context.requireWrite("a map was changed")
    row.checkAlive()
    if map.entries.isEmpty, !row.isValid { row.trapDeleted() }
  }

  /// Changes the entries in a write.
  func change(_ body: (inout ValueMap) -> Void) {
    requireWrite()
    var map = map
    // The entries have one owner while they are changed.
    known = nil
    body(&map)
    place.set(.map(map))
    known = (row.context.linkNumber, map)
  }

  /// Makes a new embedded object the value of a key; the one before is deleted.
  func setOwned(_ object: ObjectBase, for key: String) {
    requireWrite()
    row.context.adder.append(object, to: row, position, mapKey: key)
    known = nil
  }
}
