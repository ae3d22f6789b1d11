// Moves in lists. An element that moves stays the same one for the witness, which hears of the new
// order and not of removals and insertions.

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
      try announce(order, moved: moved, waiting, key.rawValue, column, writer)
      let witness = writer.witness
      writer.witness = nil
      defer { writer.witness = witness }
      try writeOrder(order, moved: moved, key.rawValue, column, writer)
      try move(waiting, order, moved: moved, source, column)
    }
  }

  private func announce(
    _ order: [Int], moved: Set<Int>, _ waiting: WaitingElements, _ key: UInt64, _ column: Column,
    _ writer: TableWriter
  ) throws(ObjectError) {
    guard let witness = writer.witness else { return }
    let count = order.count
    let places = order.indices.map { waiting.place(of: $0, count: count) }
    let all = waiting.arranged(order, moved: moved)
    try witness.willRearrange(column, of: key, writer, all, moved: Set(moved.map { places[$0] }))
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
