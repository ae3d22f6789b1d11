import AtollObjects
import AtollStorage

/// A list to which elements are written one by one: kept in memory, and written as a whole when
/// something else is wanted.
///
/// So many elements of one list cost what they are, and not the list for each.
final class OpenList {
  /// The elements of lists that are opened: in a longer one each element is written by itself.
  static let elementLimit = 256

  private struct Entry {
    var element: ListElement
    /// What it has been set to since the list was opened, or its value then.
    var value: RecordedValue
    /// The embedded object that holds it.
    var child: ObjectLink?
    var isSet: Bool
  }

  private let address: ObjectAddress
  private let key: UInt64
  private let column: Column
  private let writer: TableWriter
  /// In the order of the list.
  private var entries: [Entry] = []
  private var positions: [ElementID: ListPosition] = [:]
  private var isChanged = false

  init(
    _ address: ObjectAddress, _ key: UInt64, _ column: Column, _ writer: TableWriter,
    _ elements: [(ListElement, ListItem)]
  ) {
    self.address = address
    self.key = key
    self.column = column
    self.writer = writer
    entries.reserveCapacity(elements.count)
    for (element, item) in elements {
      entries.append(
        Entry(
          element: element, value: item.value,
          child: item.child.map { ObjectLink(table: column.layout.linkTable, key: $0) },
          isSet: false))
      positions[element.id] = element.position
    }
  }

  func isOf(_ key: UInt64, _ column: Column) -> Bool { key == self.key && column == self.column }

  func value(of id: ElementID) -> UnitValue? {
    guard let index = index(of: id) else { return nil }
    return .element(entries[index].element.position, entries[index].value)
  }

  // MARK: Changing

  func set(_ element: ListElement, _ value: RecordedValue, _ transaction: Transaction)
    throws(ObjectError)
  {
    try transaction.checkElement(value, column, writer)
    isChanged = true
    var entry = Entry(element: element, value: value, child: nil, isSet: true)
    if let index = index(of: element.id) {
      entry.child = entries[index].child
      if entries[index].element.position == element.position {
        entries[index] = entry
        return
      }
      entries.remove(at: index)
    }
    entries.insert(entry, at: place(of: element))
    positions[element.id] = element.position
  }

  func remove(_ id: ElementID) throws(ObjectError) {
    guard let index = index(of: id) else { return }
    isChanged = true
    entries.remove(at: index)
    positions[id] = nil
  }

  private func index(of id: ElementID) -> Int? {
    guard let position = positions[id] else { return nil }
    let index = place(of: ListElement(id: id, position: position))
    return index < entries.count && entries[index].element.id == id ? index : nil
  }

  /// Where an element is, or where it would go.
  private func place(of element: ListElement) -> Int {
    if let last = entries.last, last.element < element { return entries.count }
    return binarySearch(0..<entries.count) { entries[$0].element < element }
  }

  // MARK: Closing

  /// Writes the list, what of it waits, and the elements' ids.
  func close(_ state: CaptureState) throws(ObjectError) {
    guard isChanged, try writer.contains(key) else { return }
    try state.transaction.assign(
      entries.map { (value: $0.value, child: $0.child, isChanged: $0.isSet) }, column, writer, key)
    try state.capture.setElements(
      entries.map(\.element), of: address, column.name)
  }
}
