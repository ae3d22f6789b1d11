internal import AtollObjects

/// A map that a property of a row holds, read and changed as what the file keeps.
final class ManagedMap {
  let row: _ManagedRow
  let position: Int
  /// The entries as they were read last, and the realm's count of changes of collections then.
  private var known: (linkNumber: UInt64, map: ValueMap)?

  init(_ row: _ManagedRow, _ position: Int) {
    self.row = row
    self.position = position
  }

  /// The entries in the current version.
  var map: ValueMap {
    if row.context.isFrozen { return row.value(position).map ?? ValueMap() }
    row.context.checkConfinement()
    row.checkAlive()
    if let known, known.linkNumber == row.context.linkNumber { return known.map }
    let map = row.value(position).map ?? ValueMap()
    known = (row.context.linkNumber, map)
    return map
  }

  func isSame(as other: ManagedMap?) -> Bool {
    guard let other else { return false }
    return position == other.position && row.isSameRow(as: other.row)
  }

  /// Changes the entries in a write.
  func change(_ body: (inout ValueMap) -> Void) {
    _ = row.context.requireWrite("a map was changed")
    var map = map
    // The entries have one owner while they are changed.
    known = nil
    body(&map)
    row.context.set(row, position, .map(map))
    known = (row.context.linkNumber, map)
  }

  /// Makes a new embedded object the value of a key; the one before is deleted.
  func setOwned(_ object: ObjectBase, for key: String) {
    _ = row.context.requireWrite("a map was changed")
    row.checkAlive()
    row.context.adder.append(object, to: row, position, mapKey: key)
    known = nil
  }
}
