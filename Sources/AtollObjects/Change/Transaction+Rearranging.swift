// Moves in lists. Where a list is rearranged by this, an element that moves stays the same one for
// the server, so that what others do with it meanwhile is done to it where it is then.

extension Transaction {
  /// Puts the elements of a list in another order.
  ///
  /// `order`: for each element the place that it has now: every place once. `moved`: the places of
  /// those that are moved; the others keep their order.
  ///
  /// - Throws: As `set(_:_:_:)`, and `.typeMismatch` for what is no list of so many elements;
  ///   nothing was changed then.
  package func rearrange(_ key: ObjectKey, _ column: Column, _ order: [Int], moved: Set<Int>)
    throws(ObjectError)
  {
    let writer = try collectionWriter(column)
    try settleDeletions()
    guard case .list(let elements)? = try writer.value(key.rawValue, column),
      elements.count == order.count, Set(order) == Set(elements.indices)
    else {
      throw .typeMismatch(
        className: writer.schema.name, property: column.name,
        expected: column.layout.description, found: "order of \(order.count) elements")
    }
    guard let recorder = writer.recorder, !writer.schema.isEmbedded else {
      return try rearrange(elements, key, column, order, moved, writer)
    }
    let items = try items(column, of: key.rawValue, writer)
    let before = try places(Array(elements.indices), column, of: key.rawValue, writer)
    try rearrange(elements, key, column, order, moved, writer)
    let after = try places(order, column, of: key.rawValue, writer)
    var indexes: [Int: Int] = [:]
    for (index, place) in before.enumerated() { indexes[place] = index }
    recorder.didRearrange(
      column, of: key.rawValue, items, after.compactMap { indexes[$0] },
      moved: Set(moved.compactMap { indexes[$0] }))
  }

  /// Writes the order: only what is moved, if that is little of the list.
  private func rearrange(
    _ elements: [Value], _ key: ObjectKey, _ column: Column, _ order: [Int], _ moved: Set<Int>,
    _ writer: TableWriter
  ) throws(ObjectError) {
    let isFew = moved.count <= max(2, elements.count / 16)
    guard isFew, Self.isKept(order, but: moved), try !isWaiting(writer, key.rawValue, column)
    else { return try set(key, column, .list(order.map { elements[$0] })) }
    try change { () throws(ObjectError) in
      guard try writer.select(key.rawValue) else {
        throw .noSuchObject(className: writer.schema.name)
      }
      for index in moved.sorted().reversed() {
        try writer.removeElement(column, at: index, elements[index])
      }
      for (index, place) in order.enumerated() where moved.contains(place) {
        try writer.insertElement(column, at: index, elements[place])
      }
    }
  }

  /// Whether the elements that are not moved keep their order.
  private static func isKept(_ order: [Int], but moved: Set<Int>) -> Bool {
    var last = -1
    for place in order where !moved.contains(place) {
      if place < last { return false }
      last = place
    }
    return true
  }

  /// Moves one element of a list behind `count` others; those that wait count, and cannot be moved.
  ///
  /// - Returns: Whether it was moved.
  func rearrange(_ key: ObjectKey, _ column: Column, moving index: Int, behind count: Int)
    throws(ObjectError) -> Bool
  {
    let writer = try writer(id: column.table)
    try settleDeletions()
    let elements = try writer.value(key.rawValue, column)?.list ?? []
    var places = try places(Array(elements.indices), column, of: key.rawValue, writer)
    guard index < places.count, places[index] >= 0 else { return false }
    let place = places.remove(at: index)
    places.insert(place, at: min(count, places.count))
    try rearrange(key, column, places.filter { $0 >= 0 }, moved: [place])
    return true
  }

  /// What stands where in a list, with the elements that wait: those are -1 and below.
  private func places(
    _ visible: [Int], _ column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> [Int] {
    guard column.layout.value == .link else { return visible }
    let waiting = try waiting(ObjectLink(table: writer.schema.id, key: key), column)
    return WaitingPlaces.merge(
      visible, waiting.enumerated().map { (position: $1.position, element: -1 - $0) })
  }
}
