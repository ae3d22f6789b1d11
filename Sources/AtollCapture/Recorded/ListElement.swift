/// An element's place in its list.
package struct ListElement: Hashable, Comparable, Sendable {
  package var id: ElementID
  package var position: ListPosition

  package init(id: ElementID, position: ListPosition) {
    self.id = id
    self.position = position
  }

  /// Order by position; of elements that two devices put at one, by id.
  package static func < (a: ListElement, b: ListElement) -> Bool {
    a.position == b.position ? a.id < b.id : a.position < b.position
  }
}
