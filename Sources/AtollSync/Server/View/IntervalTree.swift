/// Intervals of byte strings, each with a number, to find those that hold a string.
///
/// A treap in the order of the lower bounds, where each node knows the greatest upper bound below it.
/// An insertion and a removal take O(log n) steps, a search O(log n + found) where the intervals
/// overlap little.
struct IntervalTree {
  /// The byte strings from `low` on and below `high`; all from `low` on when it is nil.
  struct Interval: Hashable {
    let low: [UInt8]
    let high: [UInt8]?

    fileprivate func holds(_ bytes: [UInt8]) -> Bool {
      !bytes.lexicographicallyPrecedes(low)
        && (high.map { bytes.lexicographicallyPrecedes($0) } ?? true)
    }
  }

  private struct Node {
    let interval: Interval
    let number: UInt32
    let priority: UInt64
    /// Of the intervals below and of this one; nil: one has no upper bound.
    var greatest: [UInt8]?
    var left = IntervalTree.none
    var right = IntervalTree.none
  }

  private static let none: Int32 = -1
  private var nodes: [Node] = []
  /// Places in `nodes` that are free again.
  private var free: [Int32] = []
  private var root = IntervalTree.none
  /// For shapes that nobody can foretell: the bounds are from texts that others wrote.
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  var isEmpty: Bool { root == Self.none }
  var count: Int { nodes.count - free.count }

  /// Adds an interval; it may be there with other numbers.
  mutating func insert(_ interval: Interval, _ number: UInt32) {
    let node = Node(
      interval: interval, number: number, priority: nextPriority(), greatest: interval.high)
    let place: Int32
    if let last = free.popLast() {
      nodes[Int(last)] = node
      place = last
    } else {
      place = Int32(nodes.count)
      nodes.append(node)
    }
    let (left, right) = split(root, before: interval, number)
    root = merge(merge(left, place), right)
  }

  /// Removes an interval that was added with this number.
  mutating func remove(_ interval: Interval, _ number: UInt32) {
    let (left, rest) = split(root, before: interval, number)
    let (found, right) = splitFirst(rest)
    guard found != Self.none, nodes[Int(found)].number == number,
      nodes[Int(found)].interval == interval
    else {
      root = merge(left, merge(found, right))
      return
    }
    nodes[Int(found)] = Node(
      interval: Interval(low: [], high: []), number: 0, priority: 0, greatest: [])
    free.append(found)
    root = merge(left, right)
  }

  /// Calls `body` with the number of each interval that holds a byte string, until it returns false.
  func visit(holding bytes: [UInt8], _ body: (UInt32) -> Bool) {
    _ = visit(root, bytes, body)
  }

  /// Calls `body` with the number of each interval.
  func visitAll(_ body: (UInt32) -> Void) {
    var waiting = [root]
    while let place = waiting.popLast() {
      guard place != Self.none else { continue }
      body(nodes[Int(place)].number)
      waiting += [nodes[Int(place)].left, nodes[Int(place)].right]
    }
  }

  private func visit(_ place: Int32, _ bytes: [UInt8], _ body: (UInt32) -> Bool) -> Bool {
    guard place != Self.none else { return true }
    let node = nodes[Int(place)]
    if let greatest = node.greatest, !bytes.lexicographicallyPrecedes(greatest) { return true }
    guard visit(node.left, bytes, body) else { return false }
    guard !bytes.lexicographicallyPrecedes(node.interval.low) else { return true }
    if node.interval.holds(bytes), !body(node.number) { return false }
    return visit(node.right, bytes, body)
  }

  // MARK: The treap

  /// SplitMix64.
  private mutating func nextPriority() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The order of intervals: by their beginning, their number, and their end.
  private func precedes(_ node: Node, _ interval: Interval, _ number: UInt32) -> Bool {
    guard node.interval.low == interval.low else {
      return node.interval.low.lexicographicallyPrecedes(interval.low)
    }
    guard node.number == number else { return node.number < number }
    return switch (node.interval.high, interval.high) {
    case (let own?, let other?): own.lexicographicallyPrecedes(other)
    case (.some, nil): true
    case (nil, _): false
    }
  }

  /// The intervals that precede one with a number, and the others.
  private mutating func split(
    _ place: Int32, before interval: Interval, _ number: UInt32
  ) -> (Int32, Int32) {
    guard place != Self.none else { return (Self.none, Self.none) }
    if precedes(nodes[Int(place)], interval, number) {
      let (left, right) = split(nodes[Int(place)].right, before: interval, number)
      nodes[Int(place)].right = left
      update(place)
      return (place, right)
    }
    let (left, right) = split(nodes[Int(place)].left, before: interval, number)
    nodes[Int(place)].left = right
    update(place)
    return (left, place)
  }

  /// The first interval of a tree, and the others.
  private mutating func splitFirst(_ place: Int32) -> (first: Int32, rest: Int32) {
    guard place != Self.none else { return (Self.none, Self.none) }
    guard nodes[Int(place)].left != Self.none else {
      let rest = nodes[Int(place)].right
      nodes[Int(place)].right = Self.none
      update(place)
      return (place, rest)
    }
    let (first, rest) = splitFirst(nodes[Int(place)].left)
    nodes[Int(place)].left = rest
    update(place)
    return (first, place)
  }

  /// Joins two trees, of which the first has the lesser bounds.
  private mutating func merge(_ left: Int32, _ right: Int32) -> Int32 {
    guard left != Self.none else { return right }
    guard right != Self.none else { return left }
    if nodes[Int(left)].priority >= nodes[Int(right)].priority {
      nodes[Int(left)].right = merge(nodes[Int(left)].right, right)
      update(left)
      return left
    }
    nodes[Int(right)].left = merge(left, nodes[Int(right)].left)
    update(right)
    return right
  }

  private mutating func update(_ place: Int32) {
    var greatest = nodes[Int(place)].interval.high
    for child in [nodes[Int(place)].left, nodes[Int(place)].right] where child != Self.none {
      guard let known = greatest, let other = nodes[Int(child)].greatest else {
        greatest = nil
        break
      }
      if known.lexicographicallyPrecedes(other) { greatest = other }
    }
    nodes[Int(place)].greatest = greatest
  }
}
