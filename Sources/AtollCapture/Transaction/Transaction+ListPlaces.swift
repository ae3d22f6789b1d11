import AtollObjects

// Elements of lists by their places among all, those that wait included, as they are recorded: with
// links by address, which wait where no object has it.
//
// A change costs what it changes, however long the list.

extension Transaction {
  /// What the element at a place is; nil when there is none.
  func item(at place: Int, _ column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError) -> ListItem?
  {
    let waiting = try waitingElements(key, column, writer)
    if let link = waiting.link(at: place) {
      return ListItem(child: nil, value: .link(try target(link)))
    }
    guard let index = waiting.index(of: place),
      let count = try writer.elementCount(key, column), index < count,
      let value = try writer.elements(key, column, index..<index + 1)?.first
    else { return nil }
    return try item(value, at: place, column, of: key, writer)
  }

  // MARK: As the server says

  /// Inserts an element of a list, or moves and sets the one with its id.
  func set(
    _ element: ListElement, _ value: RecordedValue, _ column: Column, _ key: UInt64,
    _ writer: TableWriter
  ) throws(ObjectError) {
    try checkElement(value, column, writer)
    let list = try list(column, key, writer)
    try change { () throws(ObjectError) in
      var child: ObjectLink?
      if let (place, position) = try list.find(element.id) {
        if position == element.position {
          return try setElement(at: place, value, column, key, writer)
        }
        child = try takeElement(at: place, column, key, writer)
        try list.remove(element.id)
      }
      let place = try list.index(of: element)
      try insertElement(at: place, value, column, key, writer, child: child)
      try list.set(element)
    }
  }

  func remove(_ id: ElementID, _ column: Column, _ key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    let list = try list(column, key, writer)
    guard let (place, _) = try list.find(id) else { return }
    try change { () throws(ObjectError) in
      try removeElement(at: place, column, key, writer)
      try list.remove(id)
    }
  }

  private func list(_ column: Column, _ key: UInt64, _ writer: TableWriter)
    throws(ObjectError) -> ListElements
  {
    guard let address = try address(of: ObjectLink(table: writer.schema.id, key: key)) else {
      throw .missingPrimaryKey(className: writer.schema.name, property: "")
    }
    return try capture.list(of: address, column.name)
  }

  // MARK: By place

  /// Inserts an element that fits before the one at a place.
  ///
  /// `child`: the embedded object that is to hold it; nil for a new one.
  func insertElement(
    at place: Int, _ value: RecordedValue, _ column: Column, _ key: UInt64, _ writer: TableWriter,
    child: ObjectLink? = nil
  ) throws(ObjectError) {
    let waiting = try waitingElements(key, column, writer)
    let element = try elementValue(value, column, writer, child)
    let index = waiting.visibleCount(before: place)
    if let element = element.value {
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      try writer.insertElement(column, at: index, element, place: place)
    } else {
      try writer.witness?.willChange(.insert(at: place), in: column, of: key, writer)
    }
    let source = ObjectLink(table: writer.schema.id, key: key)
    try move(waiting, source, column) { $0 >= place ? $0 + 1 : $0 }
    try wait(for: element.missing, at: place, source, column)
  }

  /// Sets the element at a place to a value that fits.
  func setElement(
    at place: Int, _ value: RecordedValue, _ column: Column, _ key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) {
    let waiting = try waitingElements(key, column, writer)
    guard let index = waiting.index(of: place) else {
      return try replaceElement(at: place, value, column, key, writer, nil)
    }
    let old = try visible(index, column, key, writer)
    let child = isOwning(column) ? old.link : nil
    let element = try elementValue(value, column, writer, child)
    guard let new = element.value else {
      return try replaceElement(at: place, value, column, key, writer, nil)
    }
    let source = ObjectLink(table: writer.schema.id, key: key)
    // Null stands for a link inside a mixed value that waits.
    let isWaiting =
      column.layout.value == .mixed && !(waiting.links.isEmpty && element.missing.isEmpty)
    if new != old || isWaiting {
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      try writer.setElement(column, at: index, from: old, to: new, place: place)
    }
    if column.layout.value == .mixed {
      try move(waiting, source, column) { $0 == place ? nil : $0 }
      try wait(for: element.missing, at: place, source, column)
    }
  }

  /// The same where a link that waits takes the place of one that does not, or the other way round.
  private func replaceElement(
    at place: Int, _ value: RecordedValue, _ column: Column, _ key: UInt64, _ writer: TableWriter,
    _ child: ObjectLink?
  ) throws(ObjectError) {
    guard let old = try item(at: place, column, of: key, writer) else {
      throw .noSuchObject(className: writer.schema.name)
    }
    try writer.recorder?.willSet(old, at: place, in: column, of: key, writer)
    let witness = writer.witness
    writer.witness = nil
    defer { writer.witness = witness }
    try removeElement(at: place, column, key, writer)
    try insertElement(at: place, value, column, key, writer)
  }

  /// Removes the element at a place; one of an embedded class is deleted.
  func removeElement(at place: Int, _ column: Column, _ key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    if let child = try takeElement(at: place, column, key, writer) { try doom(child) }
  }

  /// Removes the element at a place, and gives the embedded object that held it.
  private func takeElement(
    at place: Int, _ column: Column, _ key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> ObjectLink? {
    let waiting = try waitingElements(key, column, writer)
    let source = ObjectLink(table: writer.schema.id, key: key)
    var child: ObjectLink?
    if let index = waiting.index(of: place) {
      let old = try visible(index, column, key, writer)
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
      try writer.removeElement(column, at: index, old, place: place)
      if isOwning(column) { child = old.link }
    } else if let old = try item(at: place, column, of: key, writer) {
      try writer.recorder?.willRemove(old, at: place, in: column, of: key, writer)
    }
    try move(waiting, source, column) { $0 > place ? $0 - 1 : $0 == place ? nil : $0 }
    return child
  }

  /// The element at an index among those that can be seen, which the list's elements say is there.
  private func visible(
    _ index: Int, _ column: Column, _ key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) -> Value {
    guard let count = try writer.elementCount(key, column), (0..<count).contains(index),
      let value = try writer.elements(key, column, index..<index + 1)?.first
    else { throw .damagedRecord }
    return value
  }

  private func waitingElements(_ key: UInt64, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> WaitingElements
  {
    guard column.layout.mayHoldLinks, hasWaitingLinks else {
      return WaitingElements()
    }
    return try waitingElements(ObjectLink(table: writer.schema.id, key: key), column)
  }

  private func wait(
    for missing: [MissingLink], at place: Int, _ source: ObjectLink, _ column: Column
  ) throws(ObjectError) {
    guard !missing.isEmpty else { return }
    let isMixed = column.layout.value == .mixed
    var number = 0
    if isMixed {
      number = (try waiting(source, column).last?.position ?? -1) + 1
    }
    for link in missing {
      try addWaiting(
        .init(
          position: isMixed ? number : place, targetTable: link.targetTable, target: link.target,
          mapKey: isMixed ? ValuePath([.index(place)] + (link.path.steps ?? [])).bytes : []),
        source, column)
      number += 1
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
