import AtollObjects

// Lists element by element: what is done to one is noted when it is done, with the element's id, so
// that equal values are told apart and a change costs what it changes.
//
// Indices count the elements that wait. Lists of objects that the transaction makes have no notes:
// their elements get ids at the commit.

extension Recorder {
  /// What became of the elements of one list since the transaction began.
  struct ListNote {
    /// The elements that were inserted, set, moved or removed, as they were before; nil for those
    /// that were not there.
    var before: [ElementID: Element?] = [:]
    /// The list before it was set as a whole, until that is compared with what it became.
    var whole: Whole?
    /// The elements by the embedded objects in them; nil until it is asked for.
    ///
    /// An object stays in its element until the list is set as a whole. What was inserted since is
    /// not here, and noted.
    var holders: [UInt64: ElementID]?

    struct Element {
      var position: ListPosition
      var item: ListItem
    }

    struct Whole {
      var elements: [ListElement]
      var items: [ListItem]
    }
  }

  /// An element of a list is about to change.
  func willChange(
    _ change: ElementChange, in column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) {
    guard !writer.schema.isEmbedded else { return try noteOwner(of: key, writer) }
    guard let list = try open(column, of: key, writer) else { return }
    switch change {
    case .insert(let index):
      try insert(1, into: list, at: index) { _, index throws(ObjectError) in
        // What is inserted is not in the value yet.
        guard let item = try transaction.item(at: index, column, of: key, writer) else {
          throw .damagedRecord
        }
        return item
      }
    case .set(let index, let value):
      try note(try list.element(at: index), list) { () throws(ObjectError) in
        try transaction.item(value, at: index, column, of: key, writer)
      }
    case .remove(let index, let value):
      let element = try list.element(at: index)
      try note(element, list) { () throws(ObjectError) in
        try transaction.item(value, at: index, column, of: key, writer)
      }
      try remove(element, list)
    }
  }

  /// An element of a list, which may be one that waits, is about to be set.
  func willSet(
    _ item: ListItem, at index: Int, in column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) {
    guard let list = try open(column, of: key, writer) else { return }
    try note(try list.element(at: index), list) { () throws(ObjectError) in item }
  }

  /// The same of one that is about to be removed.
  func willRemove(
    _ item: ListItem, at index: Int, in column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) {
    guard let list = try open(column, of: key, writer) else { return }
    let element = try list.element(at: index)
    try note(element, list) { () throws(ObjectError) in item }
    try remove(element, list)
  }

  /// Elements go whose objects were deleted: embedded ones, each of which was noted then as all
  /// changes in one are, or such as no server knows.
  ///
  /// `places`: ascending.
  func willClear(_ places: [Int], in column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    // What is set as a whole is compared at the end.
    guard notes[key]?.lists[column.id]?.whole == nil,
      let list = try open(column, of: key, writer)
    else { return }
    for place in places.reversed() {
      let element = try list.element(at: place)
      // A link to an object that no server knows is nothing that could be made again.
      try note(element, list) { () throws(ObjectError) in ListItem(child: nil, value: .null) }
      try remove(element, list)
    }
  }

  /// Elements of a list are about to stand in another order; the others keep theirs.
  func willRearrange(
    _ column: Column, of key: UInt64, _ writer: TableWriter, _ order: [Int], moved: Set<Int>
  ) throws(ObjectError) {
    guard !writer.schema.isEmbedded else { return try noteOwner(of: key, writer) }
    guard let list = try open(column, of: key, writer) else { return }
    let old = try list.elements.all
    guard old.count == order.count else { throw .damagedRecord }
    // Also of one that waits: it may be in the way.
    func item(_ index: Int) throws(ObjectError) -> ListItem {
      guard let item = try transaction.item(at: index, column, of: key, writer) else {
        throw .noSuchObject(className: writer.schema.name)
      }
      return item
    }
    for index in moved.sorted() {
      try note(old[index], list) { () throws(ObjectError) in try item(index) }
    }
    try place(order.map { old[$0] }, moved: Set(moved.map { old[$0].id }), list) {
      place throws(ObjectError) in try item(order[place])
    }
  }

  /// What an element of a list is to hold changes inside: the embedded object `child` is in it.
  func willChangeElement(
    holding child: UInt64, in column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) {
    guard let list = try open(column, of: key, writer) else { return }
    guard let id = try holders(list, writer)[child],
      let (index, position) = try list.elements.find(id)
    else { return }
    try note(ListElement(id: id, position: position), list) { () throws(ObjectError) in
      guard let item = try transaction.item(at: index, column, of: key, writer) else {
        throw .damagedRecord
      }
      return item
    }
  }

  private func holders(_ list: OpenedList, _ writer: TableWriter) throws(ObjectError)
    -> [UInt64: ElementID]
  {
    if let known = notes[list.key]?.lists[list.column.id]?.holders { return known }
    var holders: [UInt64: ElementID] = [:]
    let children = try writer.storedValue(list.key, list.column)?.list ?? []
    for (child, element) in zip(children, try list.elements.all) {
      if let key = child.link?.key { holders[key] = element.id }
    }
    notes[list.key]?.lists[list.column.id]?.holders = holders
    return holders
  }

  /// A list is about to be set as a whole.
  func willSetWhole(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    guard isNoted(key), let address = try address(of: key, writer) else { return }
    if notes[key] == nil { order.append(key) }
    guard notes[key]?.lists[column.id]?.whole == nil else { return }
    let whole = ListNote.Whole(
      elements: try state.capture.elements(of: address, column.name),
      items: try transaction.items(column, of: key, writer))
    notes[key, default: Note(wasThere: true)].lists[column.id, default: ListNote()].whole = whole
  }

  func didAssign(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    try settle(column, of: key, writer)
  }

  /// Compares a list that was set as a whole with what it was: the only place where values tell
  /// which elements stayed.
  func settle(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    guard let whole = notes[key]?.lists[column.id]?.whole,
      let address = try address(of: key, writer)
    else { return }
    notes[key]?.lists[column.id]?.whole = nil
    notes[key]?.lists[column.id]?.holders = nil
    let list = OpenedList(
      key: key, column: column,
      elements: try state.capture.list(of: address, column.name),
      address: address)
    var (elements, old) = (whole.elements, whole.items)
    if elements.count != old.count {
      for element in elements { try list.elements.remove(element.id) }
      (elements, old) = ([], [])
    }
    let new = try transaction.items(column, of: key, writer)
    let sources = ElementMatching.kept(old, new)
    var isKept = [Bool](repeating: false, count: old.count)
    for source in sources { if let source { isKept[source] = true } }
    for (index, element) in elements.enumerated() where !isKept[index] {
      try note(element, list) { () throws(ObjectError) in old[index] }
      try remove(element, list)
    }
    var places: [ElementID: Int] = [:]
    var index = 0
    while index < sources.count {
      var end = index
      while end < sources.count, sources[end] == nil { end += 1 }
      if end > index {
        try insert(end - index, into: list, at: index) { element, _ throws(ObjectError) in
          if places.isEmpty {
            places = Dictionary(
              elements.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
          }
          guard let place = places[element.id] else { throw .damagedRecord }
          return old[place]
        }
      }
      index = max(end, index + 1)
    }
  }

  /// All elements of a list as they were before the transaction.
  func elementsBefore(_ column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError) -> [(ListElement, RecordedValue)]
  {
    guard let address = try address(of: key, writer) else { return [] }
    try settle(column, of: key, writer)
    let items = try transaction.items(column, of: key, writer)
    let elements = try state.capture.elements(of: address, column.name)
    let noted = notes[key]?.lists[column.id]?.before ?? [:]
    var before: [(ListElement, RecordedValue)] = []
    for (element, item) in zip(elements, items) where noted[element.id] == nil {
      before.append((element, item.value))
    }
    for (id, element) in noted {
      guard let element else { continue }
      before.append((ListElement(id: id, position: element.position), element.item.value))
    }
    return before.sorted { $0.0 < $1.0 }
  }

  // MARK: The list at hand

  /// A list whose elements are noted.
  struct OpenedList {
    var key: UInt64
    var column: Column
    var elements: ListElements
    var address: ObjectAddress

    func element(at index: Int) throws(ObjectError) -> ListElement {
      guard let element = try elements.element(at: index) else { throw .damagedRecord }
      return element
    }
  }

  /// Whether changes of an object that was there are noted.
  func isNoted(_ key: UInt64) -> Bool {
    guard let note = notes[key] else { return true }
    return note.wasThere && note.deleted == nil
  }

  private func address(of key: UInt64, _ writer: TableWriter) throws(ObjectError) -> ObjectAddress?
  {
    try transaction.address(of: ObjectLink(table: writer.schema.id, key: key))
  }

  func open(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError)
    -> OpenedList?
  {
    guard isNoted(key), let address = try address(of: key, writer) else { return nil }
    try settle(column, of: key, writer)
    if notes[key] == nil { order.append(key) }
    if notes[key]?.lists[column.id] == nil {
      notes[key, default: Note(wasThere: true)].lists[column.id] = ListNote()
    }
    let elements = try state.capture.list(of: address, column.name)
    if try elements.count == 0 { try identifyAll(elements, column, of: key, writer) }
    return OpenedList(key: key, column: column, elements: elements, address: address)
  }

  /// Gives elements ids that have none: those of a class that became a synced one.
  private func identifyAll(
    _ list: ListElements, _ column: Column, of key: UInt64, _ writer: TableWriter
  ) throws(ObjectError) {
    let count = try transaction.items(column, of: key, writer).count
    guard count > 0 else { return }
    let mark = try state.capture.elementMark
    for position in ListPosition.run(nil, nil, count: count, mark: mark) {
      try list.set(ListElement(id: state.capture.makeElementID(), position: position))
    }
  }

  /// Keeps what an element was, unless it was touched before.
  func note(
    _ element: ListElement, _ list: OpenedList, _ item: () throws(ObjectError) -> ListItem
  ) throws(ObjectError) {
    guard notes[list.key]?.lists[list.column.id]?.before[element.id] == nil else { return }
    let before = ListNote.Element(position: element.position, item: try item())
    notes[list.key]?.lists[list.column.id]?.before[element.id] = .some(before)
  }

  func remove(_ element: ListElement, _ list: OpenedList) throws(ObjectError) {
    try list.elements.remove(element.id)
    // One that was not there before leaves no trace.
    if case .some(nil) = notes[list.key]?.lists[list.column.id]?.before[element.id] {
      notes[list.key]?.lists[list.column.id]?.before[element.id] = nil
    }
  }
}
