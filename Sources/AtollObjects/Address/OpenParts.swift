/// A set or map of which members or entries are written one by one: kept in memory, and written as a
/// whole when something else is wanted.
///
/// So many of them cost what they are, and not the collection for each.
final class OpenParts {
  private let key: UInt64
  private let column: Column
  private let writer: TableWriter
  private var parts: [RecordedValue: UnitValue]
  private var isChanged = false

  init(
    _ key: UInt64, _ column: Column, _ writer: TableWriter, _ parts: [RecordedValue.Part]
  ) {
    self.key = key
    self.column = column
    self.writer = writer
    self.parts = Dictionary(parts.map { ($0.key, $0.value) }, uniquingKeysWith: { a, _ in a })
  }

  func isOf(_ key: UInt64, _ column: Column) -> Bool { key == self.key && column == self.column }

  subscript(part: RecordedValue) -> UnitValue? { parts[part] }

  /// Sets an entry or adds a member; nil removes it.
  func set(
    _ part: RecordedValue, _ value: UnitValue?, _ transaction: Transaction
  ) throws(ObjectError) {
    if let value { try transaction.checkAssignable(whole([part: value]), column, writer) }
    guard parts[part] != value else { return }
    isChanged = true
    parts[part] = value
  }

  /// Writes the collection.
  func close(_ transaction: Transaction) throws(ObjectError) {
    guard isChanged, try writer.contains(key) else { return }
    try transaction.assign(whole(parts), column, writer, key)
  }

  private func whole(_ parts: [RecordedValue: UnitValue]) -> RecordedValue {
    guard column.layout.collection == .map else { return RecordedValue(members: parts.keys) }
    return RecordedValue(
      entries: parts.map { part in
        guard case .value(let value) = part.value else { return (part.key, .null) }
        return (part.key, value)
      })
  }
}
