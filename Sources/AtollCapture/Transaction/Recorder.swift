import AtollObjects

/// Notes what a transaction changes in the objects of one synced class: each value before it first
/// changed.
///
/// The commit compares these with the values then (`Recording`). Told by the one place where values
/// change, and when objects are made and deleted; a deletion is noted when it is asked for. A
/// change in an embedded object is one of the property that owns it.
final class Recorder: ChangeWitness {
  enum Before {
    case value(RecordedValue)
    /// Of an object that was deleted.
    case list([(ListElement, RecordedValue)])
  }

  struct Note {
    /// Whether the object was there when the transaction began.
    var wasThere: Bool
    /// Its address, if it was there and was deleted; `before` has all properties then.
    var deleted: ObjectAddress?
    var before: [(column: UInt32, value: Before)] = []
    /// Members and entries that changed in sets and maps that did not change as a whole, as they
    /// were before; nil: they were not there.
    var parts: [UInt32: [RecordedValue: UnitValue?]] = [:]
    /// What became of the elements of lists.
    var lists: [UInt32: ListNote] = [:]
    /// The sums of what was added to integers.
    var increments: [UInt32: Int64] = [:]

    func has(_ column: UInt32) -> Bool { before.contains { $0.column == column } }
  }

  var notes: [UInt64: Note] = [:]
  /// The keys of the objects that were there and were deleted, by primary key.
  private(set) var deletedKeys: [Value: UInt64] = [:]
  /// The objects in the order in which they were first touched.
  var order: [UInt64] = []
  /// Embedded objects that need no other look: they are new, or what owns them has been noted.
  private var settledChildren: Set<UInt64> = []
  /// The sums of what was added to integers of embedded objects, by object and column.
  private var innerIncrements: [UInt64: [UInt32: Int64]] = [:]
  unowned let state: CaptureState
  unowned let transaction: Transaction

  init(_ state: CaptureState) {
    self.state = state
    transaction = state.transaction
  }

  /// A property of an object is about to change.
  func willChange(_ column: Column, of key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    guard !writer.schema.isEmbedded else { return try noteOwner(of: key, writer) }
    guard column.layout.collection != .list else {
      return try willSetWhole(column, of: key, writer)
    }
    let note = notes[key]
    if let note, !note.wasThere || note.deleted != nil || note.has(column.id) { return }
    let value = try before(column, of: key, writer)
    if note == nil { order.append(key) }
    notes[key, default: Note(wasThere: true)].before.append((column.id, value))
    notes[key]?.parts[column.id] = nil
  }

  /// A member of a set, or the entry of a key of a map, is about to change.
  func willChange(_ part: Value, in column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    guard !writer.schema.isEmbedded else { return try noteOwner(of: key, writer) }
    let note = notes[key]
    if let note, !note.wasThere || note.deleted != nil || note.has(column.id) { return }
    guard let name = try transaction.recordedName(of: part, column) else {
      return try willChange(column, of: key, writer)
    }
    if note?.parts[column.id]?[name] != nil { return }
    let value = try transaction.recordedParts([name], column, of: key, writer)[name]
    if note == nil { order.append(key) }
    notes[key, default: Note(wasThere: true)].parts[column.id, default: [:]][name] = .some(value)
  }

  /// What a property held before the transaction.
  private func before(_ column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError) -> Before
  {
    if column.layout.collection == .list {
      return .list(try elementsBefore(column, of: key, writer))
    }
    let now = try transaction.recorded(column, of: key, writer)
    guard let parts = notes[key]?.parts[column.id] else { return .value(now) }
    return .value(now.replacing(parts))
  }

  /// An integer was changed by adding to it.
  func didIncrement(_ column: Column, of key: UInt64, by delta: Int64, _ writer: TableWriter) {
    guard !writer.schema.isEmbedded else {
      innerIncrements[key, default: [:]][column.id, default: 0] &+= delta
      return
    }
    notes[key]?.increments[column.id, default: 0] &+= delta
  }

  /// What was added to an integer of an embedded object; nil: nothing.
  func increment(ofEmbedded key: UInt64, _ column: Column) -> Int64? {
    innerIncrements[key]?[column.id]
  }

  /// An object was made.
  func didInsert(_ key: UInt64, _ writer: TableWriter) {
    if writer.schema.isEmbedded {
      settledChildren.insert(key)
    } else if notes[key] == nil {
      notes[key] = Note(wasThere: false)
      order.append(key)
    }
  }

  /// An object is about to be deleted; what it holds is still there.
  func willDelete(_ key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    guard !writer.schema.isEmbedded else { return try noteOwner(of: key, writer) }
    var note = notes[key] ?? Note(wasThere: true)
    guard note.wasThere, note.deleted == nil else { return }
    note.deleted = try transaction.address(of: ObjectLink(table: writer.schema.id, key: key))
    guard note.deleted != nil else { return }
    for column in writer.schema.columns where !column.isPrimaryKey && !note.has(column.id) {
      note.before.append((column.id, try before(column, of: key, writer)))
    }
    note.parts = [:]
    note.lists = [:]
    if notes[key] == nil { order.append(key) }
    notes[key] = note
    if let address = note.deleted { deletedKeys[address.primaryKey] = key }
  }

  /// Notes the property in which an embedded object lies, or the one that embeds it lies.
  func noteOwner(of key: UInt64, _ writer: TableWriter) throws(ObjectError) {
    guard settledChildren.insert(key).inserted else { return }
    var child = ObjectLink(table: writer.schema.id, key: key)
    while let owner = try transaction.owner(of: child) {
      guard owner.writer.schema.isEmbedded else {
        guard owner.column.layout.collection == .list else {
          try owner.writer.witness?.willChange(owner.column, of: owner.key, owner.writer)
          return
        }
        try owner.writer.recorder?.willChangeElement(
          holding: child.key, in: owner.column, of: owner.key, owner.writer)
        return
      }
      child = ObjectLink(table: owner.writer.schema.id, key: owner.key)
    }
    // One without an owner is being made; the property that takes it is noted then.
    settledChildren.remove(key)
  }

  var isEmpty: Bool { order.isEmpty }

  func removeAll() {
    notes = [:]
    deletedKeys = [:]
    order = []
    settledChildren = []
    innerIncrements = [:]
  }
}
