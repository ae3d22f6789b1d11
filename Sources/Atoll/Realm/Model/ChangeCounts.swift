internal import AtollObjects

/// How often what a realm shows has changed: what was read is kept together with one of the counts,
/// and holds as long as that is the same.
///
/// Invariant: `versions` grows when the realm moves to another version, or has to look for one again,
/// and `all` also with each change of a write. `links` and `members` grow less, for what depends on
/// less: a write that sets one value of each object of a list by index does not read the list again
/// each time. What depends on single values asks `isSet` which of them were set while `links` stayed.
struct ChangeCounts {
  /// The versions.
  private(set) var versions: UInt64 = 0
  /// Whatever changes what is read.
  private(set) var all: UInt64 = 0
  /// The same but for the setting of single values that are no links: what lists and links depend on.
  private(set) var links: UInt64 = 0
  /// What may make objects or delete some.
  private(set) var members: UInt64 = 0
  /// What `all` was after the last setting of each property that `links` has not counted.
  private var settings: [ColumnID: UInt64] = [:]

  /// A property of a class of the file.
  struct ColumnID: Hashable {
    let table: UInt32
    let column: UInt32

    init(_ column: Column) { (table, self.column) = (column.table, column.id) }
  }

  /// The realm has moved to another version, or what it reads must be looked for again.
  mutating func noteVersion() {
    versions &+= 1
    noteAny()
  }

  /// Anything may have changed.
  mutating func noteAny() {
    // Who asks for settings has seen `links` change.
    if !settings.isEmpty { settings.removeAll(keepingCapacity: true) }
    all &+= 1
    links &+= 1
    members &+= 1
  }

  /// A property of an object was set.
  mutating func note(setting property: PropertyDescriptor, _ column: Column) {
    // An embedded object that its property no longer holds is deleted.
    if property.isOwning { return noteAny() }
    all &+= 1
    if property.isPlain {
      settings[ColumnID(column)] = all
    } else {
      links &+= 1
    }
  }

  /// Whether any of these properties was set after `all` was `count`, while `links` stayed.
  func isSet(_ columns: [ColumnID], after count: UInt64) -> Bool {
    columns.contains { settings[$0] ?? 0 > count }
  }
}
