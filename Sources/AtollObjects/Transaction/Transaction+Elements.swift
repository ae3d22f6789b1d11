// Collections element by element: what is written follows the elements that change, however long
// the collection.
//
// Errors are those of `set`, and `.indexOutOfRange`; nothing was changed then. What waits in a list
// keeps its place among the others, which costs as much as waits there.

extension Transaction {
  /// The number of elements of a list.
  public func elementCount(_ className: String, _ key: ObjectKey, _ property: String)
    throws(ObjectError) -> Int
  {
    let column = try writer(className).schema.requireColumn(property)
    return try required(elementCount(key, column), className)
  }

  /// One element of a list.
  public func element(_ className: String, _ key: ObjectKey, _ property: String, at index: Int)
    throws(ObjectError) -> Value
  {
    let column = try writer(className).schema.requireColumn(property)
    return try list(key, column).element(index)
  }

  /// Adds an element at the end of a list.
  public func append(
    _ className: String, _ key: ObjectKey, _ property: String, _ element: Value
  ) throws(ObjectError) {
    try insertElement(
      key, writer(className).schema.requireColumn(property), at: nil, element)
  }

  /// Inserts an element before the one at `index`, or at the end.
  public func insert(
    _ className: String, _ key: ObjectKey, _ property: String, at index: Int, _ element: Value
  ) throws(ObjectError) {
    try insertElement(
      key, writer(className).schema.requireColumn(property), at: index, element)
  }

  /// Puts another element in the place of the one at `index`.
  public func set(
    _ className: String, _ key: ObjectKey, _ property: String, at index: Int, _ element: Value
  ) throws(ObjectError) {
    try setElement(key, writer(className).schema.requireColumn(property), at: index, element)
  }

  /// Removes an element of a list; one of an embedded class is deleted.
  public func remove(
    _ className: String, _ key: ObjectKey, _ property: String, at index: Int
  ) throws(ObjectError) {
    try removeElement(key, writer(className).schema.requireColumn(property), at: index)
  }

  // MARK: By columns

  /// The number of elements of a collection; nil when there is no such object.
  package func elementCount(_ key: ObjectKey, _ column: Column) throws(ObjectError) -> Int? {
    let writer = try collectionWriter(column)
    return try writer.elementCount(key.rawValue, column)
  }

  /// The elements of a range of a collection, which is inside of it; nil when there is no such
  /// object.
  package func elements(_ key: ObjectKey, _ column: Column, _ range: Range<Int>)
    throws(ObjectError) -> [Value]?
  {
    let writer = try collectionWriter(column)
    return try writer.elements(key.rawValue, column, range)
  }

  /// As `insert`; `index`: nil for the end.
  package func insertElement(
    _ key: ObjectKey, _ column: Column, at index: Int?, _ element: Value
  ) throws(ObjectError) {
    let list = try list(key, column)
    let index = try list.checkedPlace(index)
    let fitted = try fitElement(element, column, list.writer)
    try change { () throws(ObjectError) in try insert(fitted, at: index, list) }
  }

  private func insert(_ element: Value, at index: Int, _ list: ListPlace) throws(ObjectError) {
    let waiting = try waiting(in: list)
    let place = waiting.place(of: index, count: list.count)
    try list.select()
    try list.writer.insertElement(list.column, at: index, element, place: place)
    try shift(waiting, list) { $0 >= place ? $0 + 1 : $0 }
  }

  package func setElement(
    _ key: ObjectKey, _ column: Column, at index: Int, _ element: Value
  ) throws(ObjectError) {
    let list = try list(key, column)
    let old = try list.element(index)
    if isOwning(column), element == old { return }
    let fitted = try fitElement(element, column, list.writer)
    let waiting = try waiting(in: list)
    let place = waiting.place(of: index, count: list.count)
    try change { () throws(ObjectError) in
      try list.select()
      try list.writer.setElement(column, at: index, from: old, to: fitted, place: place)
      if column.layout.value == .mixed { try shift(waiting, list) { $0 == place ? nil : $0 } }
    }
  }

  package func removeElement(_ key: ObjectKey, _ column: Column, at index: Int)
    throws(ObjectError)
  {
    let list = try list(key, column)
    let old = try list.element(index)
    let waiting = try waiting(in: list)
    let place = waiting.place(of: index, count: list.count)
    try change { () throws(ObjectError) in
      try list.select()
      try list.writer.removeElement(column, at: index, old, place: place)
      try shift(waiting, list) { $0 > place ? $0 - 1 : $0 == place ? nil : $0 }
      if isOwning(column), let child = old.link { try doom(child) }
    }
  }

  // MARK: The list at hand

  /// A list of an object that exists.
  private struct ListPlace {
    let writer: TableWriter
    let key: UInt64
    let column: Column
    let count: Int

    func checkedPlace(_ index: Int?) throws(ObjectError) -> Int {
      guard let index else { return count }
      guard index >= 0, index <= count else { throw outOfRange(index) }
      return index
    }

    func element(_ index: Int) throws(ObjectError) -> Value {
      guard index >= 0, index < count,
        let element = try writer.elements(key, column, index..<index + 1)?.first
      else { throw outOfRange(index) }
      return element
    }

    func select() throws(ObjectError) {
      guard try writer.select(key) else { throw .noSuchObject(className: writer.schema.name) }
    }

    private func outOfRange(_ index: Int) -> ObjectError {
      .indexOutOfRange(
        className: writer.schema.name, property: column.name, index: index, count: count)
    }
  }

  private func list(_ key: ObjectKey, _ column: Column) throws(ObjectError) -> ListPlace {
    let writer = try listWriter(column)
    let count = try required(
      writer.elementCount(key.rawValue, column), writer.schema.name)
    return ListPlace(writer: writer, key: key.rawValue, column: column, count: count)
  }

  /// The writer of a column of lists, whose places are as all readers see them.
  private func listWriter(_ column: Column) throws(ObjectError) -> TableWriter {
    guard column.layout.collection == .list else {
      throw .typeMismatch(
        className: try writer(id: column.table).schema.name, property: column.name,
        expected: column.layout.description, found: "list")
    }
    return try collectionWriter(column)
  }

  /// The same for any collection.
  package func collectionWriter(_ column: Column) throws(ObjectError) -> TableWriter {
    let writer = try writer(id: column.table)
    guard column.layout.collection != .none else {
      throw .typeMismatch(
        className: writer.schema.name, property: column.name,
        expected: column.layout.description, found: "collection")
    }
    try writeDeferred()
    if column.layout.mayHoldLinks { try settleDeletions() }
    return writer
  }

  package func required(_ count: Int?, _ className: String) throws(ObjectError) -> Int {
    guard let count else { throw .noSuchObject(className: className) }
    return count
  }

  /// The element in the form in which the column holds it.
  package func fitElement(_ element: Value, _ column: Column, _ writer: TableWriter)
    throws(ObjectError) -> Value
  {
    if isOwning(column), element.link != nil {
      throw .embeddedObjectHasOwner(
        className: schema.table(id: column.layout.linkTable)?.name ?? "")
    }
    let fitted = try fitSingle(element, column, writer)
    try writer.checkSize(fitted, column)
    return fitted
  }

  package func isOwning(_ column: Column) -> Bool {
    column.layout.value == .link
      && schema.table(id: column.layout.linkTable)?.isEmbedded ?? false
  }

  // MARK: What waits

  private func waiting(in list: ListPlace) throws(ObjectError) -> WaitingElements {
    guard list.column.layout.mayHoldLinks, hasWaitingLinks else {
      return WaitingElements()
    }
    return try waitingElements(
      ObjectLink(table: list.writer.schema.id, key: list.key), list.column)
  }

  /// Moves what waits to where it is when the elements of a list get other places; nil for one that
  /// goes.
  private func shift(_ waiting: WaitingElements, _ list: ListPlace, _ place: (Int) -> Int?)
    throws(ObjectError)
  {
    try move(waiting, ObjectLink(table: list.writer.schema.id, key: list.key), list.column, place)
  }
}

extension Transaction {
  /// Makes an object of an embedded class as one more element of a list, before the one at `index`.
  ///
  /// `index`: nil for the end.
  package func createEmbeddedElement(
    of key: ObjectKey, _ column: Column, at index: Int?, _ values: [String: Value]
  ) throws(ObjectError) -> ObjectKey {
    try settleDeletions()
    return try createEmbeddedElement(
      writer(id: column.table), key.rawValue, column, at: index
    ) { child throws(ObjectError) in try assignments(child, values) }
  }

  func createEmbeddedElement(
    _ owner: TableWriter, _ key: UInt64, _ column: Column, at index: Int?,
    assignments: (TableWriter) throws(ObjectError) -> [(Column, Value)]
  ) throws(ObjectError) -> ObjectKey {
    guard isOwning(column) else {
      throw .typeMismatch(
        className: owner.schema.name, property: column.name,
        expected: column.layout.description, found: "embedded object")
    }
    let list = try list(ObjectKey(rawValue: key), column)
    let index = try list.checkedPlace(index)
    let childWriter = try writer(id: column.layout.linkTable)
    let child = try create(childWriter, assignments(childWriter))
    let link = Value.link(ObjectLink(table: column.layout.linkTable, key: child.rawValue))
    try change { () throws(ObjectError) in try insert(link, at: index, list) }
    return child
  }
}
