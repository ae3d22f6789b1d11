/// Where the elements of a list come from that was rearranged: which of the first ones they are,
/// though others have the same values, and which were moved.
struct ListTrace {
  /// The list as it was last looked at.
  private var items: [ListItem]
  /// For each of its elements the first one that it is; nil for one that was inserted since.
  private(set) var sources: [Int?]
  /// The first ones that were moved.
  private(set) var moved: Set<Int> = []

  init(_ items: [ListItem]) {
    self.items = items
    sources = items.indices.map { $0 }
  }

  /// The list has become another one, in which elements were inserted, set and removed.
  mutating func advance(to new: [ListItem]) {
    guard new.count != items.count || zip(new, items).contains(where: { $0 != $1 }) else {
      return items = new
    }
    sources = ListEdit.sources(items, new).map { source in source.flatMap { sources[$0] } }
    items = new
  }

  /// The elements stand in another order, in which those at some places were moved.
  ///
  /// `order`: for each the place that it had.
  mutating func rearrange(_ order: [Int], moved places: some Sequence<Int>) {
    for place in places { if let source = sources[place] { moved.insert(source) } }
    items = order.map { items[$0] }
    sources = order.map { sources[$0] }
  }
}
