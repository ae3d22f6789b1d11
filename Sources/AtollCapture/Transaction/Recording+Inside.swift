import AtollObjects

// What changes inside a value: properties of embedded objects, and entries of maps in mixed values,
// are recorded one by one, so that what several devices change at once all stays.

extension Recording {
  /// Gives the embedded objects in a property, and those in them, an incarnation unless they have
  /// one.
  func identify(_ column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    guard isRecorded, !writer.schema.isAsymmetric, transaction.isOwning(column),
      let children = try writer.storedValue(key, column)?.links
    else { return }
    for child in children { try identify(child.key, column) }
  }

  /// The same of one embedded object that a property holds.
  func identify(_ child: UInt64, _ column: Column) throws(ObjectError) {
    guard isRecorded else { return }
    let link = ObjectLink(table: column.layout.linkTable, key: child)
    let target = try transaction.writer(id: column.layout.linkTable)
    if try capture.incarnation(of: link) == nil {
      try capture.setIncarnation(capture.makeElementID(), of: link)
    }
    for inner in target.schema.columns { try identify(inner, of: child, target) }
  }

  /// Records what differs inside a value; false when it has to be set as a whole.
  ///
  /// `child`: the row of the embedded object that the value is.
  mutating func recordInside(
    _ path: UnitPath, from old: RecordedValue, to new: RecordedValue, _ column: Column,
    _ child: UInt64?, _ object: Subject
  ) throws(ObjectError) -> Bool {
    guard isRecorded else { return false }
    var difference = InnerDifference(transaction)
    guard try difference.compare(old, new, column.layout, child, InnerPlace.whole),
      difference.changes.count <= InnerPlace.changeLimit
    else { return false }
    for (place, change) in difference.changes { append(.edit(path, place, change), object) }
    return true
  }

  /// The embedded object that the entry of a key of a map holds; nil when it holds none.
  func child(_ entry: RecordedValue, _ column: Column, _ object: Subject)
    throws(ObjectError) -> ObjectLink?
  {
    guard transaction.isOwning(column), let key = entry.plain else { return nil }
    return try object.writer.part(object.key, column, key)?.value?.link
  }
}

extension Transaction {
  /// The row of the embedded object that a property with a single value holds; nil when it holds
  /// none.
  func child(_ column: Column, of key: UInt64, _ writer: TableWriter)
    throws(ObjectError) -> UInt64?
  {
    guard column.layout.value == .link else { return nil }
    return try writer.storedValue(key, column)?.link?.key
  }
}

extension InnerPlace {
  /// Of more changes inside one value than these, the value is set as a whole: each costs the
  /// server as much as the value is large.
  package static let changeLimit = 256

  /// What lies deeper changes as a whole.
  fileprivate static let nameLimit = 32

  /// All of a value: where a way begins.
  fileprivate static let whole = InnerPlace(incarnation: nil, names: [])

  /// The place one step further in.
  fileprivate func appending(_ name: String, in incarnation: ElementID?) -> InnerPlace {
    InnerPlace(incarnation: incarnation, names: names + [name])
  }
}

/// How a value became another one, place by place.
private struct InnerDifference {
  private let transaction: Transaction
  private(set) var changes: [(InnerPlace, InnerChange)] = []

  init(_ transaction: Transaction) { self.transaction = transaction }

  /// Notes what differs between two values at a place.
  ///
  /// - Returns: False when they are no two states of one embedded object and no two maps in a mixed
  ///   value; nothing was noted then.
  mutating func compare(
    _ old: RecordedValue, _ new: RecordedValue, _ layout: ColumnLayout, _ child: UInt64?,
    _ place: InnerPlace
  ) throws(ObjectError) -> Bool {
    guard place.names.count < InnerPlace.nameLimit else { return false }
    switch (old, new) {
    case (.embedded(let before), .embedded(let after)):
      guard after.incarnation != nil, before.incarnation == after.incarnation, let child else {
        return false
      }
      try compare(before, after, try transaction.writer(id: layout.linkTable), child, place)
    case (.map(let before), .map(let after)) where layout.value == .mixed:
      try compare(before, after, layout, place)
    default: return false
    }
    return true
  }

  private mutating func compare(
    _ before: EmbeddedValue, _ after: EmbeddedValue, _ writer: TableWriter, _ child: UInt64,
    _ place: InnerPlace
  ) throws(ObjectError) {
    for column in writer.schema.columns {
      let (old, new) = (before[column.name], after[column.name])
      guard old != new else { continue }
      let place = place.appending(column.name, in: after.incarnation)
      if let old, let new, column.layout.collection == .none,
        try compare(
          old, new, column.layout, try transaction.child(column, of: child, writer), place)
      {
        continue
      }
      changes.append((place, Self.change(of: column, from: old, to: new, writer, child)))
    }
  }

  private mutating func compare(
    _ before: [RecordedEntry], _ after: [RecordedEntry], _ layout: ColumnLayout,
    _ place: InnerPlace
  ) throws(ObjectError) {
    var old = before[...]
    var new = after[...]
    while let key = [old.first?.key, new.first?.key].compactMap({ $0 }).min(by: {
      Ordering(utf8: $0, $1) == .less
    }) {
      func take(_ entries: inout ArraySlice<RecordedEntry>) -> RecordedValue? {
        guard let first = entries.first, Ordering(utf8: first.key, key) == .equal else {
          return nil
        }
        entries.removeFirst()
        return first.value
      }
      let (was, becomes) = (take(&old), take(&new))
      guard was != becomes else { continue }
      let place = place.appending(key, in: place.incarnation)
      if let was, let becomes, try compare(was, becomes, layout, nil, place) { continue }
      changes.append((place, becomes.map { .set($0) } ?? .remove))
    }
  }

  /// What made one value of another: an increment, where nothing but increments did.
  private static func change(
    of column: Column, from old: RecordedValue?, to new: RecordedValue?, _ writer: TableWriter,
    _ child: UInt64
  ) -> InnerChange {
    if let sum = writer.recorder?.increment(ofEmbedded: child, column),
      column.layout.collection == .none, column.layout.value == .int
    {
      let change = InnerChange.increment(by: sum, startsAtZero: !column.layout.allowsNull)
      if change.value(after: old) == new { return change }
    }
    return new.map { .set($0) } ?? .remove
  }
}
