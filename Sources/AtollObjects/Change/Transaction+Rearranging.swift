// Moves in lists. An element that moves stays the same one for the server, so that what others do
// with it meanwhile is done to it where it is then.

extension Transaction {
  /// Of more elements that move the list is written as a whole: each is removed and inserted.
  private static let movedLimit = 8

  /// Puts the elements of a list in another order.
  ///
  /// - Parameters:
  ///   - key: The object.
  ///   - column: Its list.
  ///   - order: For each element the place that it has now: every place once.
  ///   - moved: The places of those that are moved; the others keep their order.
  /// - Throws: As `set(_:_:_:)`, and `.typeMismatch` for what is no list of so many elements;
  ///   nothing was changed then.
  /// - Complexity: The list in memory; in the file what a leaf costs for each of a few elements that
  ///   move, else the list.
  package func rearrange(_ key: ObjectKey, _ column: Column, _ order: [Int], moved: Set<Int>)
    throws(ObjectError)
  {
    let writer = try collectionWriter(column)
    guard column.layout.collection == .list,
      try writer.elementCount(key.rawValue, column) == order.count, order.isPermutation
    else {
      throw .typeMismatch(
        className: writer.schema.name, property: column.name,
        expected: column.layout.description, found: "order of \(order.count) elements")
    }
    guard zip(order, order.indices).contains(where: { $0 != $1 }) else { return }
    let moved = order.moved(among: moved)
    let source = ObjectLink(table: writer.schema.id, key: key.rawValue)
    var waiting = WaitingElements()
    if column.layout.mayHoldLinks, !pending.isEmpty {
      waiting = try waitingElements(source, column)
    }
    try change { () throws(ObjectError) in
      try recordOrder(order, moved: moved, waiting, key.rawValue, column, writer)
      let recorder = writer.recorder
      writer.recorder = nil
      defer { writer.recorder = recorder }
      try writeOrder(order, moved: moved, key.rawValue, column, writer)
      try move(waiting, order, moved: moved, source, column)
    }
  }

  private func recordOrder(
    _ order: [Int], moved: Set<Int>, _ waiting: WaitingElements, _ key: UInt64, _ column: Column,
    _ writer: TableWriter
  ) throws(ObjectError) {
    guard let recorder = writer.recorder else { return }
    let count = order.count
    let places = order.indices.map { waiting.place(of: $0, count: count) }
    let all = waiting.arranged(order, moved: moved)
    try recorder.willRearrange(
      column, of: key, writer, all, moved: Set(moved.map { places[$0] })
    ) { place throws(ObjectError) in
      // Also of one that waits: it may be in the way.
      guard let item = try item(at: place, column, of: key, writer) else {
        throw .noSuchObject(className: writer.schema.name)
      }
      return item
    }
  }

  private func writeOrder(
    _ order: [Int], moved: Set<Int>, _ key: UInt64, _ column: Column, _ writer: TableWriter
  ) throws(ObjectError) {
    guard moved.count > Self.movedLimit || moved.count * 2 > order.count else {
      return try writeMoves(order, moved: moved, key, column, writer)
    }
    guard case .list(let elements)? = try writer.value(key, column) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
    try writer.setSelected(column, .list(order.map { elements[$0] }))
  }

  /// Takes out the elements that move, the last first, and puts them where they belong, the first
  /// first.
  private func writeMoves(
    _ order: [Int], moved: Set<Int>, _ key: UInt64, _ column: Column, _ writer: TableWriter
  ) throws(ObjectError) {
    var taken: [Int: Value] = [:]
    for index in moved.sorted(by: >) {
      guard let element = try writer.elements(key, column, index..<index + 1)?.first,
        try writer.select(key)
      else { throw .noSuchObject(className: writer.schema.name) }
      try writer.removeElement(column, at: index, element)
      taken[index] = element
    }
    for (place, index) in order.enumerated() {
      guard let element = taken[index] else { continue }
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      try writer.insertElement(column, at: place, element)
    }
  }

  /// Moves one element of a list behind `count` others; those that wait count, and cannot be moved.
  ///
  /// - Returns: Whether it was moved.
  func rearrange(_ key: ObjectKey, _ column: Column, moving place: Int, behind count: Int)
    throws(ObjectError) -> Bool
  {
    let writer = try collectionWriter(column)
    let elementCount = try required(
      writer.elementCount(key.rawValue, column), writer.schema.name)
    let source = ObjectLink(table: writer.schema.id, key: key.rawValue)
    let waiting = try waitingElements(source, column)
    guard let index = waiting.index(of: place), index < elementCount else { return false }
    var order = Array(0..<elementCount)
    order.remove(at: index)
    // How many of the others that can be seen come first.
    var behind = 0
    while behind < order.count {
      let other = waiting.place(of: order[behind], count: elementCount)
      guard other - (other > place ? 1 : 0) < count else { break }
      behind += 1
    }
    order.insert(index, at: behind)
    try rearrange(key, column, order, moved: [index])
    return true
  }
}

extension [Int] {
  /// Whether each place is there once.
  fileprivate var isPermutation: Bool {
    var isKnown = [Bool](repeating: false, count: count)
    for place in self {
      guard isKnown.indices.contains(place), !isKnown[place] else { return false }
      isKnown[place] = true
    }
    return true
  }

  /// Those of an order that move: the ones that are named, and as few others as there can be.
  fileprivate func moved(among named: Set<Int>) -> Set<Int> {
    let others = named.isEmpty ? self : filter { !named.contains($0) }
    let kept = Set(others.longestAscending(<).lazy.map { $0 })
    return Set(lazy.filter { !kept.contains($0) })
  }
}
