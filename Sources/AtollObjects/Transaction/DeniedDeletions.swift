/// Objects that were deleted although others linked to them by properties with the rule `.deny`.
///
/// The commit is refused unless those others were deleted too, before or after: so the order of
/// deletions does not matter.
struct DeniedDeletions {
  /// A deletion that its source forbids.
  struct Denial {
    /// The property that links to the deleted object.
    var column: Column
    /// The deleted object, as its class names it.
    var target: String
  }

  /// By the objects that linked.
  private var bySource: [ObjectLink: Denial] = [:]

  var isEmpty: Bool { bySource.isEmpty }

  mutating func add(_ source: ObjectLink, _ column: Column, target: String) {
    if bySource[source] == nil { bySource[source] = Denial(column: column, target: target) }
  }

  /// An object is deleted, and forbids nothing from now on.
  mutating func forget(_ source: ObjectLink) { bySource[source] = nil }

  /// The objects of a class get other keys: by the old one the new one.
  mutating func move(_ table: UInt32, _ keys: [UInt64: UInt64]) {
    guard bySource.keys.contains(where: { $0.table == table }) else { return }
    bySource = Dictionary(
      uniqueKeysWithValues: bySource.map { source, denial in
        let key = source.table == table ? keys[source.key] ?? source.key : source.key
        return (ObjectLink(table: source.table, key: key), denial)
      })
  }

  /// The denial of the least object, which is the same each time.
  var first: (source: ObjectLink, denial: Denial)? {
    bySource.min { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
