import AtollObjects

/// An element of a list as a recorder compares it: an embedded object is the same while its row is.
struct ListItem: Hashable {
  var child: UInt64?
  var value: RecordedValue

  static func == (a: ListItem, b: ListItem) -> Bool {
    a.child == nil && b.child == nil ? a.value == b.value : a.child == b.child
  }
}
