/// A list outside of its leaf that is being changed, element by element.
///
/// Lives in the column of its row until the leaf is encoded, which stores it.
package protocol OutsideList: AnyObject {
  /// The number of elements.
  var count: Int { get }
  /// The elements of a range, which is inside the list.
  func elements(_ range: Range<Int>) throws -> [Value]
  /// Inserts an element before the one at `index`, or at the end.
  func insert(_ element: Value, at index: Int) throws
  func set(_ index: Int, _ element: Value) throws
  func remove(at index: Int) throws
  /// Writes what was changed; the list may be changed further.
  func store() throws -> ExternalValue
  /// Gives up everything that the list has in the store.
  func removeAll() throws
}

/// What a row no longer holds, and what has to be freed with it.
package enum ReleasedValue {
  /// A value, or a collection that is one value.
  case value(ExternalReference)
  case list(ExternalValue, ColumnLayout)
  /// A list that was being changed.
  case openList(any OutsideList)
}

extension ExternalStore {
  /// Gives back what a row held.
  package func free(_ released: ReleasedValue) throws {
    switch released {
    case .value(let reference): try free(reference)
    case .list(let value, let layout): try openList(value, layout).removeAll()
    case .openList(let list): try list.removeAll()
    }
  }
}
