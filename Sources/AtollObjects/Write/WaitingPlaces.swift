/// Where the elements of a list stand that wait for their targets: they are hidden and keep their
/// place.
///
/// A position counts all elements before it, those that wait included.
package enum WaitingPlaces {
  /// A property of an object.
  struct Property: Hashable, Comparable {
    var source: ObjectLink
    var column: UInt32

    static func < (a: Property, b: Property) -> Bool {
      a.source == b.source ? a.column < b.column : a.source < b.source
    }
  }

  /// The whole list: `hidden` at their positions, ascending, among the visible ones.
  ///
  /// What lies beyond the end follows there.
  @inlinable
  package static func merge<Element>(
    _ visible: [Element], _ hidden: [(position: Int, element: Element)]
  ) -> [Element] {
    var all: [Element] = []
    all.reserveCapacity(visible.count + hidden.count)
    var next = 0
    for (position, element) in hidden {
      let count = min(max(0, position - all.count), visible.count - next)
      all += visible[next..<(next + count)]
      next += count
      all.append(element)
    }
    all += visible[next...]
    return all
  }

  /// The positions of hidden elements when the visible ones of their list become others.
  ///
  /// Each stays behind the nearest visible element before it that stays.
  ///
  /// `positions`: ascending. Returns as many, ascending.
  static func moved<Element: Hashable>(
    _ positions: [Int], _ old: [Element], _ new: [Element]
  ) -> [Int] {
    var newIndex = [Int?](repeating: nil, count: old.count)
    for (index, source) in ElementMatching.kept(old, new).enumerated() {
      if let source { newIndex[source] = index }
    }
    var moved: [Int] = []
    var gap = 0
    var old = 0
    for (order, position) in positions.enumerated() {
      let before = min(position - order, newIndex.count)
      while old < before {
        if let index = newIndex[old] { gap = index + 1 }
        old += 1
      }
      moved.append(gap + order)
    }
    return moved
  }
}
