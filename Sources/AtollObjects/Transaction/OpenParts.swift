/// A set or map of which members or entries are written one by one: kept in memory, and written as
/// a whole when something else is wanted.
///
/// So many of them cost what they are, and not the collection for each.
final class OpenParts {
  private let key: UInt64
  private let column: Column
  private let writer: TableWriter
  private var parts: [RecordedValue: UnitValue]
  private var isChanged = false
  /// What the collection takes when it is written, or a little more.
  private var byteCount: Int

  init(
    _ key: UInt64, _ column: Column, _ writer: TableWriter, _ parts: [RecordedValue.Part]
  ) {
    self.key = key
    self.column = column
    self.writer = writer
    let parts = Dictionary(parts.map { ($0.key, $0.value) }, uniquingKeysWith: { a, _ in a })
    self.parts = parts
    byteCount = parts.reduce(0) { $0 + OpenParts.byteCount($1.key, $1.value) }
  }

  func isOf(_ key: UInt64, _ column: Column) -> Bool { key == self.key && column == self.column }

  subscript(part: RecordedValue) -> UnitValue? { parts[part] }

  /// Sets an entry or adds a member; nil removes it.
  ///
  /// - Throws: `.typeMismatch`; `.valueTooLarge` when the collection would become too large, or
  ///   larger than it is too large already. Nothing was changed then.
  func set(
    _ part: RecordedValue, _ value: UnitValue?, _ transaction: Transaction
  ) throws(ObjectError) {
    if let value { try transaction.checkAssignable(whole([part: value]), column, writer) }
    let old = parts[part]
    guard old != value else { return }
    let newByteCount =
      byteCount - Self.byteCount(part, old) + Self.byteCount(part, value)
    guard newByteCount <= max(transaction.partsByteLimit, byteCount) else {
      throw .valueTooLarge(
        className: writer.schema.name, property: column.name, byteCount: newByteCount,
        limit: transaction.partsByteLimit)
    }
    byteCount = newByteCount
    isChanged = true
    parts[part] = value
  }

  /// Writes the collection.
  func close(_ transaction: Transaction) throws(ObjectError) {
    guard isChanged, try writer.contains(key) else { return }
    try transaction.assign(whole(parts), column, writer, key)
  }

  /// No less than a member, or an entry with its key, takes in the tagged form of the collection.
  private static func byteCount(_ part: RecordedValue, _ value: UnitValue?) -> Int {
    switch value {
    case nil: 0
    case .value(let value): byteCount(part) + byteCount(value)
    default: byteCount(part)
    }
  }

  private static func byteCount(_ value: RecordedValue) -> Int {
    switch value {
    case .string(let text): 8 + text.utf8.count
    case .data(let data): 8 + data.count
    case .list(let elements), .set(let elements): elements.reduce(8) { $0 + byteCount($1) }
    case .map(let entries):
      entries.reduce(8) { $0 + 8 + $1.key.utf8.count + byteCount($1.value) }
    // An embedded object lies elsewhere: here is a link to it.
    default: 20
    }
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
