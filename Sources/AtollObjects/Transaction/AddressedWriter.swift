/// Reads and writes the objects of one class by their primary keys: values as they are recorded.
///
/// Belongs to its transaction; ask for another after the schema changed. Make the objects of a
/// batch first, then set values: links then find their targets.
package final class AddressedWriter {
  private let writer: TableWriter
  // The transaction keeps its writers.
  private unowned let transaction: Transaction
  private let columns: [ExactText: Column]
  private var key: UInt64 = 0
  private var primaryKey = Value.null
  private var isSelected = false

  init(_ writer: TableWriter, _ transaction: Transaction) {
    self.writer = writer
    self.transaction = transaction
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
    try transaction.closeCollection()
    try transaction.capture.removeElements(of: address)
    isSelected = false
    try transaction.change { () throws(ObjectError) in
      try transaction.doom(ObjectLink(table: writer.schema.id, key: key))
    }
  }

  // MARK: Reading

  /// All units of the selected object but its primary key.
  package func units() throws(ObjectError) -> [UnitPath: UnitValue] {
    try transaction.closeCollection()
    var units: [UnitPath: UnitValue] = [.existence: .exists]
    for column in writer.schema.columns where !column.isPrimaryKey {
      switch column.layout.collection {
      case .none:
        units[.property(column.name)] =
          .value(try transaction.recorded(column, of: key, writer))
      case .list:
        for (element, item) in try elements(column) {
          units[.element(property: column.name, element.id)] =
            .element(element.position, item.value)
        }
      case .set, .map:
        for part in try transaction.recorded(column, of: key, writer).parts {
          units[.entry(property: column.name, part.key)] = part.value
        }
      }
    }
    return units
  }

  package func value(of property: String) throws(ObjectError) -> RecordedValue {
    try transaction.closeCollection()
    return try transaction.recorded(try column(property), of: key, writer)
  }

  package func element(of property: String, _ id: ElementID) throws(ObjectError) -> UnitValue? {
    let column = try listColumn(property)
    if let list = transaction.openList, list.isOf(key, column) {
      return try list.value(of: id, transaction)
    }
    try transaction.closeCollection()
    for (element, item) in try elements(column) where element.id == id {
      return .element(element.position, item.value)
    }
    return nil
  }

  /// An entry of a map by its key, or a member of a set; nil when it is not there.
  package func part(of property: String, _ part: RecordedValue) throws(ObjectError) -> UnitValue? {
    let column = try partsColumn(property)
    if let parts = transaction.openParts, parts.isOf(key, column) {
      return try parts.value(of: part, transaction)
    }
    try transaction.closeCollection()
    return try transaction.recordedParts([part], column, of: key, writer)[part]
  }

  private func elements(_ column: Column) throws(ObjectError) -> Zip2Sequence<
    [ListElement], [ListItem]
  > {
    zip(
      try transaction.capture.elements(of: address, column.name),
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
    try openList(property).set(element, value, transaction)
  }

  package func removeElement(of property: String, _ id: ElementID) throws(ObjectError) {
    try openList(property).remove(id)
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
    if let parts = transaction.openParts, parts.isOf(key, column) {
      return try parts.set(part, value, transaction)
    }
    try transaction.closeCollection()
    let parts = OpenParts(key, column, writer)
    try parts.set(part, value, transaction)
    transaction.openParts = parts
  }

  /// Changes elements of a list of the selected object in their order, as an application would.
  ///
  /// Unlike the calls above it may be recorded: the elements get their ids at the commit. So of one
  /// list all changes of a transaction come together.
  ///
  /// - Parameters:
  ///   - property: The list.
  ///   - changes: The elements by id, with what they are to hold; nil to remove them. One that is
  ///     not there is appended.
  /// - Throws: `.noSuchProperty`, `.typeMismatch`; nothing was changed then.
  package func changeElements(
    of property: String, _ changes: [(id: ElementID?, value: RecordedValue?)]
  ) throws(ObjectError) {
    let column = try listColumn(property)
    try transaction.closeCollection()
    var list: [(value: RecordedValue, child: ObjectLink?, isChanged: Bool)] = []
    var ids: [ElementID?] = []
    for (element, item) in try elements(column) {
      let child = item.child.map { ObjectLink(table: column.layout.linkTable, key: $0) }
      list.append((item.value, child, false))
      ids.append(element.id)
    }
    for (id, value) in changes {
      if let value { try transaction.checkElement(value, column, writer) }
      let index = id == nil ? nil : ids.firstIndex(of: id)
      switch (index, value) {
      case (let index?, let value?): list[index] = (value, list[index].child, true)
      case (let index?, nil):
        list.remove(at: index)
        ids.remove(at: index)
      case (nil, let value?):
        list.append((value, nil, true))
        ids.append(id)
      case (nil, nil): break
      }
    }
    try transaction.change { () throws(ObjectError) in
      try transaction.assign(list, column, writer, key)
    }
  }

  /// Moves an element of a list of the selected object to where it stood once, as an application
  /// would.
  ///
  /// - Returns: False when the element is not there.
  package func moveElement(
    of property: String, _ id: ElementID, to position: ListPosition
  ) throws(ObjectError) -> Bool {
    let column = try listColumn(property)
    try transaction.closeCollection()
    let list = try transaction.capture.elements(of: address, column.name)
    guard let index = list.firstIndex(where: { $0.id == id }) else { return false }
    return try transaction.rearrange(
      ObjectKey(rawValue: key), column, moving: index,
      behind: list.count { $0.id != id && $0 < ListElement(id: id, position: position) })
  }

  /// Writes the collection that is open, unless it is this one of the selected object.
  func closeCollection(besides property: String) throws(ObjectError) {
    if let column = columns[ExactText(property)] {
      if let list = transaction.openList, list.isOf(key, column) { return }
      if let parts = transaction.openParts, parts.isOf(key, column) { return }
    }
    try transaction.closeCollection()
  }

  private func openList(_ property: String) throws(ObjectError) -> OpenList {
    let column = try listColumn(property)
    if let list = transaction.openList, list.isOf(key, column) { return list }
    try transaction.closeCollection()
    let list = OpenList(
      address, key, column, writer, Array(try elements(column)),
      visible: try writer.storedValue(key, column)?.list ?? [])
    transaction.openList = list
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
