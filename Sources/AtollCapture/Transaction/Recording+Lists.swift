import AtollObjects

// What became of the elements of lists: for each element the net of the transaction.

extension Recording {
  /// A note whose lists are compared with what they became, and whose elements that are back at
  /// their places have these.
  func settled(_ note: Recorder.Note, _ key: UInt64, _ writer: TableWriter) throws(ObjectError)
    -> Recorder.Note
  {
    guard let recorder = writer.recorder, !note.lists.isEmpty else { return note }
    for id in note.lists.keys.sorted() {
      guard let column = writer.schema.column(id: id) else { continue }
      try recorder.settle(column, of: key, writer)
      try recorder.restorePlaces(column, of: key, writer)
    }
    return recorder.notes[key] ?? note
  }

  /// Records all elements of a list of an object that was made.
  mutating func recordNewList(_ column: Column, _ object: inout Subject) throws(ObjectError) {
    let items = try transaction.items(column, of: object.key, object.writer)
    guard !items.isEmpty else { return }
    let positions = ListPosition.run(
      nil, nil, count: items.count, mark: try capture.elementMark)
    var elements: [ListElement] = []
    elements.reserveCapacity(items.count)
    for (position, item) in zip(positions, items) {
      let element = ListElement(id: capture.makeElementID(), position: position)
      elements.append(element)
      try object.keep(nil, .element(property: column.name, element.id))
      append(.insert(property: column.name, element.id, position, item.value), object)
      try endEntryIfFull(within: &object)
    }
    guard !object.writer.schema.isAsymmetric else { return }
    try capture.setElements(elements, of: object.address, column.name)
  }

  /// Records the elements of a list that the server was not told of.
  mutating func recordKnownList(_ column: Column, _ object: Subject) throws(ObjectError) {
    let items = try transaction.items(column, of: object.key, object.writer)
    let elements = try capture.elements(of: object.address, column.name)
    for (element, item) in zip(elements, items) {
      append(.insert(property: column.name, element.id, element.position, item.value), object)
    }
  }

  /// Records what became of elements: removals first, then the others in the order of the list.
  mutating func recordList(
    _ column: Column, _ note: Recorder.ListNote, _ object: inout Subject
  ) throws(ObjectError) {
    guard !note.before.isEmpty, isRecorded || column.layout.value == .link else { return }
    let list = try capture.list(of: object.address, column.name)
    var removed: [ListElement] = []
    var left: [ListElement] = []
    for (id, before) in note.before {
      if let position = try list.position(of: id) {
        left.append(ListElement(id: id, position: position))
      } else if let before {
        removed.append(ListElement(id: id, position: before.position))
      }
    }
    for element in removed.sorted() {
      guard let before = note.before[element.id] ?? nil else { continue }
      try object.keep(
        .element(before.position, before.item.value),
        .element(property: column.name, element.id))
      append(.removeElement(property: column.name, element.id), object)
      try endEntryIfFull(within: &object)
    }
    let readsAll = try left.count > list.count / 8
    // Before they are read, as what they hold has it.
    if readsAll { try identify(column, of: object.key, object.writer) }
    let items = try ListItems(column, object, list, readsAll: readsAll, transaction)
    for element in left.sorted() {
      var item = try items.item(of: element)
      if !readsAll, let child = item.child {
        try identify(child, column)
        item = try items.item(of: element)
      }
      try record(element, note.before[element.id] ?? nil, item, column, &object)
      try endEntryIfFull(within: &object)
    }
  }

  private mutating func record(
    _ element: ListElement, _ before: Recorder.ListNote.Element?, _ item: ListItem,
    _ column: Column, _ object: inout Subject
  ) throws(ObjectError) {
    let path = UnitPath.element(property: column.name, element.id)
    guard let before else {
      try object.keep(nil, path)
      append(
        .insert(property: column.name, element.id, element.position, item.value), object)
      return
    }
    let isMoved = before.position != element.position
    let isSet = before.item.value != item.value
    guard isMoved || isSet else { return }
    try object.keep(.element(before.position, before.item.value), path)
    if isMoved {
      append(.moveElement(property: column.name, element.id, element.position), object)
    }
    guard isSet else { return }
    if try recordInside(
      path, from: before.item.value, to: item.value, column, item.child, object)
    {
      return
    }
    append(.setElement(property: column.name, element.id, item.value), object)
  }
}

/// What the elements of one list hold: of a few read one by one, else all at once.
private struct ListItems {
  private let transaction: Transaction
  private let column: Column
  private let key: UInt64
  private let writer: TableWriter
  private let list: ListElements
  private var all: [ElementID: ListItem]?

  init(
    _ column: Column, _ object: Recording.Subject, _ list: ListElements, readsAll: Bool,
    _ transaction: Transaction
  ) throws(ObjectError) {
    self.transaction = transaction
    self.column = column
    self.list = list
    key = object.key
    writer = object.writer
    guard readsAll else { return }
    let items = try transaction.items(column, of: key, writer)
    all = Dictionary(
      zip(try list.all.map(\.id), items), uniquingKeysWith: { first, _ in first })
  }

  func item(of element: ListElement) throws(ObjectError) -> ListItem {
    if let item = all?[element.id] { return item }
    let place = try list.index(of: element)
    guard let item = try transaction.item(at: place, column, of: key, writer) else {
      throw ObjectError.damagedRecord
    }
    return item
  }
}
