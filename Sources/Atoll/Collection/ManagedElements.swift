internal import AtollObjects

/// A list or a set that a property of a row holds, read and changed as what the file keeps.
final class ManagedElements {
  let row: _ManagedRow
  let position: Int
  private let isSet: Bool
  /// The elements as they were read last, and the realm's count of changes of collections then.
  private var known: (linkNumber: UInt64, elements: [_StoredValue])?

  init(_ row: _ManagedRow, _ position: Int) {
    self.row = row
    self.position = position
    isSet = row.access.descriptor.properties[position].form.kind == .set
  }

  private func read() -> [_StoredValue] {
    let value = row.value(position)
    return (isSet ? value.set : value.list) ?? []
  }

  /// The elements in the current version.
  var elements: [_StoredValue] {
    if row.context.isFrozen { return read() }
    row.context.checkConfinement()
    row.checkAlive()
    if let known, known.linkNumber == row.context.linkNumber { return known.elements }
    let elements = read()
    known = (row.context.linkNumber, elements)
    return elements
  }

  func isSame(as other: ManagedElements?) -> Bool {
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
    row.context.set(row, position, isSet ? .set(elements) : .list(elements))
    // The file has an order of its own for the elements of a set.
    known = isSet ? nil : (row.context.linkNumber, elements)
  }

  /// Puts the elements in another order, in which those at some places were moved.
  func rearrange(_ order: [Int], moved: Set<Int>) {
    row.checkAlive()
    let elements = elements
    row.context.rearrange(row, position, order, moved)
    known = (row.context.linkNumber, order.map { elements[$0] })
  }

  /// What the file holds for an element; nil for an object that is in no realm of this file.
  func stored<Element: RealmCollectionValue>(_ element: Element) -> _StoredValue? {
    if let object = element as? ObjectBase {
      guard let other = object._row, other.context.file === row.context.file, other.isValid else {
        return nil
      }
    }
    return element._store(nil)
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
