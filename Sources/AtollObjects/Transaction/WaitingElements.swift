/// What waits in a list, by the places that it has among all elements.
///
/// In a list of links those that wait are elements that cannot be seen. In one of mixed values they
/// lie inside of elements, where null stands for them.
package struct WaitingElements {
  /// Ascending.
  package fileprivate(set) var links: [PendingLinks.Waiting] = []
  fileprivate var isHidden = false

  package init() {}

  fileprivate init(links: [PendingLinks.Waiting], isHidden: Bool) {
    self.links = links
    self.isHidden = isHidden
  }

  /// The place among all elements of one that can be seen, or of the end.
  ///
  /// What waits at the end stays before what is added there.
  package func place(of index: Int, count: Int) -> Int {
    guard isHidden else { return index }
    guard index < count else { return count + links.count }
    var place = index
    for link in links where link.position <= place { place += 1 }
    return place
  }

  /// Among those that can be seen the index of the element at a place; nil for one that waits.
  package func index(of place: Int) -> Int? {
    guard isHidden else { return place }
    var index = place
    for link in links {
      if link.position == place { return nil }
      if link.position < place { index -= 1 }
    }
    return index
  }

  /// How many that can be seen lie before a place.
  package func visibleCount(before place: Int) -> Int {
    isHidden ? place - links.count { $0.position < place } : place
  }

  /// All elements in another order, by the places that they have now: what waits keeps its place
  /// among those that are not moved, and these their order; what is moved goes before the next one
  /// that is not, or to the end.
  ///
  /// - Parameters:
  ///   - order: For each that can be seen the place among those that it has now.
  ///   - moved: Those of them that are moved.
  /// - Returns: For each element, seen or waiting, the place that it has now.
  func arranged(_ order: [Int], moved: Set<Int>) -> [Int] {
    guard isHidden, !links.isEmpty else { return order }
    var all: [Int] = []
    var waiting = links[...]
    var arriving: [Int] = []
    for index in order {
      let place = place(of: index, count: order.count)
      guard !moved.contains(index) else {
        arriving.append(place)
        continue
      }
      while let link = waiting.first, link.position < place {
        all.append(link.position)
        waiting.removeFirst()
      }
      all += arriving
      arriving = []
      all.append(place)
    }
    return all + waiting.map(\.position) + arriving
  }

  /// The link that waits at a place of a list of links.
  package func link(at place: Int) -> PendingLinks.Waiting? {
    isHidden ? links.first { $0.position == place } : nil
  }
}

extension Transaction {
  /// What waits in a list; links that came get into it first.
  package func waitingElements(_ source: ObjectLink, _ column: Column) throws(ObjectError)
    -> WaitingElements
  {
    try settleArrivals()
    let links = try pending.waiting(source: source, column: column)
    return WaitingElements(links: links, isHidden: column.layout.value == .link)
  }

  /// The same for another order of those that can be seen, as `WaitingElements.arranged` has it.
  func move(
    _ waiting: WaitingElements, _ order: [Int], moved: Set<Int>, _ source: ObjectLink,
    _ column: Column
  ) throws(ObjectError) {
    guard !waiting.links.isEmpty else { return }
    let all = waiting.arranged(order, moved: moved)
    var places: [Int: Int] = [:]
    for (new, old) in all.enumerated() { places[old] = new }
    try move(waiting, source, column) { places[$0] }
  }

  /// Moves what waits in a list to other places; nil for what goes.
  package func move(
    _ waiting: WaitingElements, _ source: ObjectLink, _ column: Column, _ place: (Int) -> Int?
  ) throws(ObjectError) {
    guard !waiting.links.isEmpty else { return }
    var moved: [PendingLinks.Waiting] = []
    for var link in waiting.links {
      if waiting.isHidden {
        guard let position = place(link.position) else { continue }
        link.position = position
      } else {
        guard let steps = ValuePath(bytes: link.mapKey).steps,
          case .index(let index)? = steps.first, let new = place(index)
        else { continue }
        link.mapKey = ValuePath([.index(new)] + steps.dropFirst()).bytes
      }
      moved.append(link)
    }
    if waiting.isHidden { moved.sort { $0.position < $1.position } }
    guard moved != waiting.links else { return }
    try pending.remove(source: source, column: column.id)
    for link in moved {
      try pending.add(
        source: source, column: column.id, position: link.position,
        targetTable: link.targetTable, target: link.target, mapKey: link.mapKey)
    }
  }
}
