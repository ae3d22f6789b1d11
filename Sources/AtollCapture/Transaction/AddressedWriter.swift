package import AtollObjects

/// Reads and writes the objects of one class by their primary keys: values as they are recorded.
///
/// Belongs to its transaction; ask for another after the schema changed. Make the objects of a
/// batch first, then set values: links then find their targets.
package final class AddressedWriter {
  private let writer: TableWriter
  // The state keeps its writers, and the transaction the state.
  private unowned let state: CaptureState
  private unowned let transaction: Transaction
  private let columns: [ExactText: Column]
  private var key: UInt64 = 0
  private var primaryKey = Value.null
  private var isSelected = false

  init(_ writer: TableWriter, _ state: CaptureState) {
    self.writer = writer
    self.state = state
    transaction = state.transaction
    columns = Dictionary(
      writer.schema.columns.map { (ExactText($0.name), $0) }, uniquingKeysWith: { a, _ in a })
  }

  private var address: ObjectAddress {
    ObjectAddress(className: writer.schema.name, primaryKey: primaryKey)
  }

  // MARK: Objects

  /// Selects an object for the calls below; false when it is not there.
  package func select(_ primaryKey: Value) throws(ObjectError) -> Bool {
    if isSelected, self.primaryKey == primaryKey, try writer.contains(key) { return true }
    isSelected = false
    guard let found = try transaction.key(writer, primaryKey: primaryKey) else { return false }
    remember(found.rawValue, primaryKey)
    return true
  }

  private func remember(_ key: UInt64, _ primaryKey: Value) {
    self.key = key
    self.primaryKey = primaryKey
    isSelected = true
  }

  /// Makes the object, or takes the one that is there, and selects it.
  @discardableResult
  package func create(_ primaryKey: Value) throws(ObjectError) -> ObjectKey {
    if try select(primaryKey) { return ObjectKey(rawValue: key) }
    guard let column = writer.schema.primaryKey else {
      throw .missingPrimaryKey(className: writer.schema.name, property: "")
    }
    let fitted = try transaction.fit(primaryKey, column, writer)
    try transaction.change { () throws(ObjectError) in
      if transaction.hasUnsettledDeletions {
        try transaction.settleDeletions(
          beforeReusing: transaction.storedKey(writer, primaryKey: fitted), of: writer)
      }
      let new = try transaction.key(forNew: fitted, writer)
      try writer.insert(new)
      try writer.setPrimaryKey(column, fitted)
      try transaction.resolveWaiting(for: writer, new, fitted)
      remember(new, primaryKey)
    }
    return ObjectKey(rawValue: key)
  }

  /// Takes the selected object off.
  package func leave() throws(ObjectError) {
    try transaction.writeDeferred()
    try state.capture.removeElements(of: address)
    isSelected = false
    try transaction.change { () throws(ObjectError) in
      try transaction.doom(
        ObjectLink(table: writer.schema.id, key: key), followsRules: false)
    }
  }

  // MARK: Reading

  /// All units of the selected object but its primary key.
  package func units() throws(ObjectError) -> [UnitPath: UnitValue] {
    var units: [UnitPath: UnitValue] = [.existence: .exists]
    try forEachUnit(where: { _ in true }) { units[$0] = $1 }
    return units
  }

  /// Visits what the selected object holds beside its existence and its primary key: the properties
  /// for which `isIncluded` is true in the order of the class, elements in the order of their list.
  ///
  /// The order of members and entries follows from what they are.
  package func forEachUnit(
    where isIncluded: (Column) -> Bool, _ body: (UnitPath, UnitValue) -> Void
  ) throws(ObjectError) {
    try transaction.writeDeferred()
    for column in writer.schema.columns where !column.isPrimaryKey && isIncluded(column) {
      switch column.layout.collection {
      case .none:
        let value = try transaction.recorded(column, of: key, writer)
        body(.property(column.name), .value(value))
      case .list:
        for (element, item) in try elements(column) {
          body(
            .element(property: column.name, element.id), .element(element.position, item.value))
        }
      case .set, .map:
        for part in try transaction.recordedParts(column, of: key, writer) {
          body(.entry(property: column.name, part.key), part.value)
        }
      }
    }
  }

  package func value(of property: String) throws(ObjectError) -> RecordedValue {
    try transaction.writeDeferred()
    return try transaction.recorded(try column(property), of: key, writer)
  }

  package func element(of property: String, _ id: ElementID) throws(ObjectError) -> UnitValue? {
    let column = try listColumn(property)
    if let list = state.openList, list.isOf(key, column) {
      return list.value(of: id)
    }
    try transaction.writeDeferred()
    guard let (place, position) = try listedElements(column)?.find(id),
      let item = try transaction.item(at: place, column, of: key, writer)
    else { return nil }
    return .element(position, item.value)
  }

  /// An entry of a map by its key, or a member of a set; nil when it is not there.
  package func part(of property: String, _ part: RecordedValue) throws(ObjectError) -> UnitValue? {
    let column = try partsColumn(property)
    if let parts = state.openParts, parts.isOf(key, column) {
      return try parts.value(of: part, state)
    }
    try transaction.writeDeferred()
    return try transaction.recordedParts([part], column, of: key, writer)[part]
  }

  /// The members of a set that equal one, as 1.0 equals 1, by their own names.
  package func members(of property: String, equalTo part: RecordedValue) throws(ObjectError)
    -> [RecordedValue]
  {
    let column = try partsColumn(property)
    let parts: OpenParts
    if let open = state.openParts, open.isOf(key, column) {
      parts = open
    } else {
      try transaction.writeDeferred()
      parts = OpenParts(key, column, writer)
    }
    return try parts.members(equalTo: part, state)
  }

  private func elements(_ column: Column) throws(ObjectError) -> Zip2Sequence<
    [ListElement], [ListItem]
  > {
    zip(
      try state.capture.elements(of: address, column.name),
      try transaction.items(column, of: key, writer))
  }

  // MARK: Writing

  /// Sets a property of the selected object; nil: its default.
  package func set(_ property: String, _ value: RecordedValue?) throws(ObjectError) {
    let column = try column(property)
    guard !column.isPrimaryKey else {
      throw .primaryKeyIsFixed(className: writer.schema.name, property: property)
    }
    guard column.layout.collection == .none else {
      throw .typeMismatch(
        className: writer.schema.name, property: property,
        expected: column.layout.description, found: "whole value")
    }
    let value = value ?? RecordedValue(defaultOf: column.layout)
    try transaction.assign(value, column, writer, key)
  }

  /// Inserts an element of the selected object's list, or moves and sets the one with this id.
  package func setElement(
    of property: String, _ element: ListElement, _ value: RecordedValue
  ) throws(ObjectError) {
    if let list = try openList(property) { return try list.set(element, value, transaction) }
    try transaction.set(element, value, listColumn(property), key, writer)
  }

  package func removeElement(of property: String, _ id: ElementID) throws(ObjectError) {
    if let list = try openList(property) { return try list.remove(id) }
    try transaction.remove(id, listColumn(property), key, writer)
  }

  /// Sets an entry of a map, or adds a member to a set, of the selected object; nil removes it.
  ///
  /// May be recorded, as an application's change.
  ///
  /// - Throws: `.noSuchProperty`, `.typeMismatch`; nothing was changed then.
  package func setPart(
    of property: String, _ part: RecordedValue, _ value: UnitValue?
  ) throws(ObjectError) {
    let column = try partsColumn(property)
    if let parts = state.openParts, parts.isOf(key, column) {
      return try parts.set(part, value, state)
    }
    try transaction.writeDeferred()
    let parts = OpenParts(key, column, writer)
    try parts.set(part, value, state)
    state.openParts = parts
  }

  /// Changes elements of a list of the selected object in their order, as an application would.
  ///
  /// Unlike the calls above it may be recorded.
  ///
  /// - Parameters:
  ///   - property: The list.
  ///   - changes: The elements by id, with what they are to hold; nil to remove them. One that is
  ///     not there, and one without an id, is appended.
  /// - Throws: `.noSuchProperty`, `.typeMismatch`; nothing was changed then.
  package func changeElements(
    of property: String, _ changes: [(id: ElementID?, value: RecordedValue?)]
  ) throws(ObjectError) {
    let column = try listColumn(property)
    try transaction.writeDeferred()
    for (_, value) in changes {
      if let value { try transaction.checkElement(value, column, writer) }
    }
    let list = try listedElements(column)
    var count =
      if let list { try list.count } else { try transaction.items(column, of: key, writer).count }
    // They lie at the end.
    var appended: [ElementID?] = []
    // Where in `appended` each is, as long as none of them is removed.
    var places: [ElementID: Int] = [:]
    for (id, value) in changes {
      let made = id.flatMap { places[$0] }
      var place = made.map { count - appended.count + $0 }
      if place == nil, let id { place = try list?.find(id)?.index }
      try transaction.change { () throws(ObjectError) in
        switch (place, value) {
        case (let place?, let value?):
          try transaction.setElement(at: place, value, column, key, writer)
        case (let place?, nil):
          try transaction.removeElement(at: place, column, key, writer)
          count -= 1
          if let made {
            appended.remove(at: made)
            places = [:]
            for (index, id) in appended.enumerated() { if let id { places[id] = index } }
          }
        case (nil, let value?):
          try transaction.insertElement(at: count, value, column, key, writer)
          count += 1
          if let id { places[id] = appended.count }
          appended.append(id)
        case (nil, nil): break
        }
      }
    }
  }

  /// The elements of a list; nil where none has an id before the commit, as this transaction has
  /// made the object.
  private func listedElements(_ column: Column) throws(ObjectError) -> ListElements? {
    if let recorder = writer.recorder, !recorder.isNoted(key) { return nil }
    return try state.capture.list(of: address, column.name)
  }

  /// Moves an element of a list of the selected object to where it stood once, as an application
  /// would.
  ///
  /// - Returns: False when the element is not there.
  package func moveElement(
    of property: String, _ id: ElementID, to position: ListPosition
  ) throws(ObjectError) -> Bool {
    let column = try listColumn(property)
    try transaction.writeDeferred()
    guard let list = try listedElements(column)?.all,
      let index = list.firstIndex(where: { $0.id == id })
    else { return false }
    return try transaction.rearrange(
      ObjectKey(rawValue: key), column, moving: index,
      behind: list.count { $0.id != id && $0 < ListElement(id: id, position: position) })
  }

  /// Writes the collection that is open, unless it is this one of the selected object.
  func closeCollection(besides property: String) throws(ObjectError) {
    if let column = columns[ExactText(property)] {
      if let list = state.openList, list.isOf(key, column) { return }
      if let parts = state.openParts, parts.isOf(key, column) { return }
    }
    try transaction.writeDeferred()
  }

  /// The list to which elements are written, kept in memory; nil for one so long that each element
  /// is written by itself.
  private func openList(_ property: String) throws(ObjectError) -> OpenList? {
    let column = try listColumn(property)
    if let list = state.openList, list.isOf(key, column) { return list }
    try transaction.writeDeferred()
    guard try writer.elementCount(key, column) ?? 0 <= OpenList.elementLimit else { return nil }
    let list = OpenList(address, key, column, writer, Array(try elements(column)))
    state.openList = list
    return list
  }

  private func column(_ property: String) throws(ObjectError) -> Column {
    guard let column = columns[ExactText(property)] else {
      return try writer.schema.requireColumn(property)
    }
    return column
  }

  private func partsColumn(_ property: String) throws(ObjectError) -> Column {
    let column = try column(property)
    guard column.layout.hasParts else {
      throw .typeMismatch(
        className: writer.schema.name, property: property,
        expected: column.layout.description, found: "member of a set or entry of a map")
    }
    return column
  }

  private func listColumn(_ property: String) throws(ObjectError) -> Column {
    let column = try column(property)
    guard column.layout.collection == .list else {
      throw .typeMismatch(
        className: writer.schema.name, property: property,
        expected: column.layout.description, found: "element of a list")
    }
    return column
  }
}
