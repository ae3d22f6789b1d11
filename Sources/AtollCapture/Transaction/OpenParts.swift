import AtollObjects

/// A set or map of which members or entries are written one by one: the changes are kept in memory,
/// and written when something else is wanted.
///
/// So each of them costs what it is, and not the collection.
final class OpenParts {
  private let key: UInt64
  private let column: Column
  private let writer: TableWriter
  /// What changed; nil: removed.
  private var changes: [RecordedValue: UnitValue?] = [:]
  /// The members in `changes`, by what they equal: 1.0 is another member than 1, and a set holds one
  /// of them.
  private var changedMembers: [Value: [RecordedValue]] = [:]
  /// All parts as they lie in the object, where a look at one of them costs as much; nil until then.
  private var all: [RecordedValue: UnitValue]?
  /// Whether `all` is needed; nil until it is asked for.
  private var needsAll: Bool?
  /// The part that was read last: what is judged is read, and then written.
  private var lastRead: (part: RecordedValue, value: UnitValue?)?
  /// What the collection takes when it is written, or a little more; nil until it is asked for.
  private var byteCount: Int?

  init(_ key: UInt64, _ column: Column, _ writer: TableWriter) {
    self.key = key
    self.column = column
    self.writer = writer
  }

  func isOf(_ key: UInt64, _ column: Column) -> Bool { key == self.key && column == self.column }

  /// A member or an entry as it is now; nil: it is not there.
  func value(of part: RecordedValue, _ state: CaptureState) throws(ObjectError) -> UnitValue? {
    if let change = changes[part] { return change }
    return try stored(part, state.transaction)
  }

  /// The members that equal one of a set, as 1.0 equals 1, by their own names: until they are written
  /// there may be several.
  func members(equalTo part: RecordedValue, _ state: CaptureState) throws(ObjectError)
    -> [RecordedValue]
  {
    guard column.layout.mayHoldEqualMembers, let value = part.plain else {
      return try self.value(of: part, state) == nil ? [] : [part]
    }
    var members = (changedMembers[value] ?? []).filter { name in
      if case .some(.some) = changes[name] { true } else { false }
    }
    let stored = try state.transaction.recordedMember(equalTo: value, column, of: key, writer)
    if let stored, changes[stored] == nil { members.append(stored) }
    return members
  }

  private func stored(_ part: RecordedValue, _ transaction: Transaction) throws(ObjectError)
    -> UnitValue?
  {
    if let all { return all[part] }
    if let lastRead, lastRead.part == part { return lastRead.value }
    let needsAll: Bool
    if let known = self.needsAll {
      needsAll = known
    } else if try writer.isOneValue(key, column) {
      needsAll = true
    } else {
      needsAll = try transaction.isWaiting(writer, key, column)
    }
    self.needsAll = needsAll
    guard needsAll || column.layout.value == .mixed && part.plain == nil else {
      let value = try transaction.recordedParts([part], column, of: key, writer)[part]
      lastRead = (part, value)
      return value
    }
    let parts = try transaction.recorded(column, of: key, writer).parts
    all = Dictionary(parts.map { ($0.key, $0.value) }, uniquingKeysWith: { a, _ in a })
    return all?[part]
  }

  /// Sets an entry or adds a member; nil removes it.
  ///
  /// - Throws: `.typeMismatch`; `.valueTooLarge` when the collection would become too large, or
  ///   larger than it is too large already. Nothing was changed then.
  func set(
    _ part: RecordedValue, _ value: UnitValue?, _ state: CaptureState
  ) throws(ObjectError) {
    let (transaction, limit) = (state.transaction, state.partsByteLimit)
    try checkForm(part, value)
    if let value { try transaction.checkAssignable(whole([part: value]), column, writer) }
    let old = try self.value(of: part, state)
    guard old != value else { return }
    if limit < .max {
      let byteCount = try measured(transaction)
      let newByteCount =
        byteCount - Self.byteCount(part, old) + Self.byteCount(part, value)
      guard newByteCount <= max(limit, byteCount) else {
        self.byteCount = byteCount
        throw .valueTooLarge(
          className: writer.schema.name, property: column.name, byteCount: newByteCount,
          limit: limit)
      }
      self.byteCount = newByteCount
    } else if let byteCount {
      self.byteCount = byteCount - Self.byteCount(part, old) + Self.byteCount(part, value)
    }
    if column.layout.mayHoldEqualMembers, changes[part] == nil, let member = part.plain {
      changedMembers[member, default: []].append(part)
    }
    changes[part] = .some(value)
  }

  /// A peer may say anything: entries of maps have strings as keys and values, members of sets are
  /// there or not.
  private func checkForm(_ part: RecordedValue, _ value: UnitValue?) throws(ObjectError) {
    switch (column.layout.collection, part, value) {
    case (.map, .string, .value), (.map, .string, nil), (.set, _, .exists), (.set, _, nil): return
    default:
      throw .typeMismatch(
        className: writer.schema.name, property: column.name,
        expected: column.layout.description,
        found: column.layout.collection == .map ? "no entry of a map" : "no member of a set")
    }
  }

  private func measured(_ transaction: Transaction) throws(ObjectError) -> Int {
    if let byteCount { return byteCount }
    var sum: Int
    if let stored = try writer.listByteCount(key, column) {
      sum = stored
    } else {
      sum = try transaction.recorded(column, of: key, writer).parts.reduce(0) {
        $0 + Self.byteCount($1.key, $1.value)
      }
    }
    for (part, value) in changes {
      sum += Self.byteCount(part, value) - Self.byteCount(part, try stored(part, transaction))
    }
    return sum
  }

  /// Writes what changed: part by part, or the collection where few parts stay as they are, where
  /// links wait in it, and where embedded objects are.
  func close(_ state: CaptureState) throws(ObjectError) {
    let transaction = state.transaction
    guard !changes.isEmpty, try writer.contains(key) else { return }
    guard let parts = try fittedParts(transaction) else {
      let new = try transaction.recorded(column, of: key, writer).replacing(changes)
      return try transaction.assign(new, column, writer, key)
    }
    // What is removed goes first: another member may equal it, which stays if it was there.
    for (part, value) in parts where value == nil {
      if column.layout.mayHoldEqualMembers {
        guard try stored(RecordedValue(plain: part), transaction) != nil else { continue }
      }
      try transaction.setFitted(writer, key, column, part, nil)
    }
    for (part, value) in parts {
      if let value { try transaction.setFitted(writer, key, column, part, value) }
    }
  }

  /// The changes as values of the column, in their order; nil where the collection is to be written.
  private func fittedParts(_ transaction: Transaction) throws(ObjectError)
    -> [(part: Value, value: Value?)]?
  {
    guard let count = try writer.elementCount(key, column), changes.count <= max(1, count / 8),
      !transaction.isOwning(column), try !transaction.isWaiting(writer, key, column)
    else { return nil }
    var parts: [(part: Value, value: Value?)] = []
    for (name, change) in changes {
      let isSet = column.layout.collection == .set
      guard let part = try isSet ? fitted(name, transaction) : name.plain else { return nil }
      switch change {
      case nil: parts.append((part, nil))
      case .value(let value)?:
        guard let value = try fitted(value, transaction) else { return nil }
        parts.append((part, value))
      case .exists?, .element?: parts.append((part, part))
      }
    }
    parts.sort { Value.sortOrder($0.part, $1.part) == .less }
    return parts
  }

  /// A value as the column holds it; nil for a link to an object that is not there, and for links in
  /// mixed values.
  private func fitted(_ value: RecordedValue, _ transaction: Transaction) throws(ObjectError)
    -> Value?
  {
    guard case .link(let address) = value, column.layout.value == .link else {
      guard let plain = value.plain else { return nil }
      return column.layout.value == .link
        ? plain : try transaction.fitElement(plain, column, writer)
    }
    let target = try transaction.writer(id: column.layout.linkTable)
    return try transaction.key(target, primaryKey: address.primaryKey).map {
      .link(ObjectLink(table: target.schema.id, key: $0.rawValue))
    }
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

  private func whole(_ parts: [RecordedValue: UnitValue?]) -> RecordedValue {
    let empty: RecordedValue = column.layout.collection == .map ? .map([]) : .set([])
    return empty.replacing(parts)
  }
}
