internal import AtollObjects

/// A list property of a row, read and changed as what the file keeps.
final class ManagedList {
  let row: _ManagedRow
  let position: Int
  /// The elements as they were read last, and the realm's count of changes of lists then.
  private var known: (linkNumber: UInt64, elements: [_StoredValue])?

  init(_ row: _ManagedRow, _ position: Int) {
    self.row = row
    self.position = position
  }

  /// The elements in the current version.
  var elements: [_StoredValue] {
    if row.context.isFrozen { return row.value(position).list ?? [] }
    row.context.checkConfinement()
    row.checkAlive()
    if let known, known.linkNumber == row.context.linkNumber { return known.elements }
    let elements = row.value(position).list ?? []
    known = (row.context.linkNumber, elements)
    return elements
  }

  func isSame(as other: ManagedList?) -> Bool {
    guard let other else { return false }
    return position == other.position && row.isSameRow(as: other.row)
  }

  func replace(_ range: Range<Int>, with newElements: [_StoredValue]) {
    var elements = elements
    // The array has one owner while it is changed.
    known = nil
    elements.replaceSubrange(range, with: newElements)
    set(elements)
  }

  func set(_ elements: [_StoredValue]) {
    row.checkAlive()
    row.context.set(row, position, .list(elements))
    known = (row.context.linkNumber, elements)
  }

  /// Puts new embedded objects in the place of others, which are deleted.
  func replaceOwned(_ range: Range<Int>, with objects: [ObjectBase]) {
    row.checkAlive()
    let old = elements
    if !range.isEmpty {
      var kept = old
      kept.removeSubrange(range)
      row.context.set(row, position, .list(kept))
    }
    for object in objects { row.context.adder.append(object, to: row, position) }
    guard range.upperBound < old.count, !objects.isEmpty else { return }
    // The new ones were appended: they go to their place.
    var moved = elements
    let added = Array(moved.suffix(objects.count))
    moved.removeLast(objects.count)
    moved.insert(contentsOf: added, at: range.lowerBound)
    row.context.set(row, position, .list(moved))
  }
}
