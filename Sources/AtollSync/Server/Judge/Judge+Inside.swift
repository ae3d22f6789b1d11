internal import AtollCapture
internal import AtollObjects

// Changes inside the value of a unit: each place has a clock of its own.

extension Judge {
  /// The verdict on a change inside a unit of an object that is alive.
  func edit(
    inside path: UnitPath, at place: InnerPlace, _ change: InnerChange, _ operation: Operation,
    _ index: Int, _ object: inout ObjectDraft, _ push: PushDraft.Origin
  ) throws(ServerStoreError) -> Verdict {
    guard let property = path.property, let column = column(property, operation) else {
      return .outdated(.deletion)
    }
    let part = PartName(path).map { ObjectDraft.Part(column: column, name: $0) }
    var known: PartRecord?
    if let part {
      guard let record = try record(of: part, object), !record.isRemoved else {
        return .outdated(.deletion)
      }
      known = record
    }
    let limit = time.limits.insideByteCount
    // Before anything is read: what is refused is not kept either.
    guard
      push.inside.byteCount <= limit || object.edited[path]?.isSmall ?? false
        || object.edited[path] == nil && object.before.byteCount < UInt64(EditedUnit.smallByteCount)
    else {
      return .refused(
        Refusal(
          .tooLarge,
          text: "the transaction changes something inside of too many large values: together they "
            + "may have \(limit) bytes"))
    }
    guard try beginEditing(path, &object, push) else { return .outdated(.deletion) }
    guard object.edited[path]?.mayChange() ?? false else {
      return .refused(
        Refusal(
          .tooLarge, text: "more than \(InnerPlace.changeLimit) changes inside one value"))
    }
    let inner = InnerUnit(column: column, name: part?.name)
    var record = try innerRecord(of: inner, object) ?? InnerRecord()
    object.inner[inner] = .some(record)
    var newest = record.newestStamp(at: place, change)
    if place.incarnation == nil {
      newest = max(newest, known?.unit.stamp ?? object.record[column].stamp)
    }
    // First: where the place is not there, no clock matters.
    guard object.edited[path]?.value.mayHold(place) ?? false else { return .outdated(.deletion) }
    guard push.stamp >= newest else { return .outdated(.newerClock) }
    guard let done = object.edited[path]?.change(at: place, by: change) else {
      return .outdated(.deletion)
    }
    // What it has moved and measured takes time, whatever becomes of it.
    push.inside.byteCount += done.work
    if let problem = object.edited[path]?.problem(after: done, at: place) {
      object.edited[path]?.undo(done, at: place)
      return .refused(problem)
    }
    let sum = record.write(place, change, push.stamp, version: push.version, by: push.client)
    if sum != 0 {
      // The later increments, added to the assigned value; null takes no increment.
      let leaf = OperationFit.property(at: place, in: property, operation, store.schema)
      let isZero = leaf.map { !$0.layout.allowsNull } ?? false
      _ = object.edited[path]?.change(at: place, by: .increment(by: sum, startsAtZero: isZero))
    }
    object.inner[inner] = .some(record)
    object.writtenInner.insert(inner)
    object.touch(part, known, column, push, isNewsToWriter: sum != 0)
    object.noteEdit(inside: path, operation: index)
    return .applied(generation: nil)
  }

  /// Reads the value of a unit before the first change inside it.
  ///
  /// - Returns: False when it is absent, or the transaction has written it as a whole.
  private func beginEditing(
    _ path: UnitPath, _ object: inout ObjectDraft, _ push: PushDraft.Origin
  ) throws(ServerStoreError) -> Bool {
    // The transaction's own changes of the object are not in the store yet.
    guard object.before.generation != nil, !object.isReset, !object.replaced.contains(path) else {
      return false
    }
    guard object.edited[path] == nil else { return true }
    guard let value = try storedValue(path, &object) else { return false }
    let unit = EditedUnit(value, at: path)
    // All connections wait while it is read, copied and written.
    if !unit.isSmall { push.inside.byteCount += unit.byteCount }
    object.edited[path] = unit
    return true
  }

  /// From this many parts on, all values of the object are read at once.
  private static let partLimit = 64

  /// The value of a unit before the transaction; nil when it was not there.
  ///
  /// A few parts of a long collection cost what they are; many of them, what the object is.
  private func storedValue(_ path: UnitPath, _ object: inout ObjectDraft)
    throws(ServerStoreError) -> RecordedValue?
  {
    if let stored = object.stored { return stored[path]?.content }
    if let known = object.storedParts[path] { return known }
    if case .property = path {
      return try store.value(of: Unit(object: object.address, path: path))?.content
    }
    guard object.storedParts.count < Self.partLimit else {
      let stored = try store.values(of: object.address)
      object.stored = stored
      object.storedParts = [:]
      return stored[path]?.content
    }
    let value = try store.value(of: Unit(object: object.address, path: path))?.content
    object.storedParts[path] = .some(value)
    return value
  }

  /// The record of places inside a unit; nil when none was written.
  func innerRecord(of unit: InnerUnit, _ object: ObjectDraft) throws(ServerStoreError)
    -> InnerRecord?
  {
    if let known = object.inner[unit] { return known }
    guard !object.isReset, let number = object.number,
      let bytes = try store.record(InnerRecord.key(number, unit), in: .inner)
    else { return nil }
    return try InnerRecord(bytes)
  }

  /// Whether a write of a whole unit wins over those inside it; then it replaces them.
  ///
  /// Replacing an embedded object discards all writes in it, whatever their clocks. Writes inside a
  /// mixed value compete by clock, except with the removal of an element, which wins.
  func replaceInside(
    _ path: UnitPath, with value: RecordedValue?, _ object: inout ObjectDraft,
    _ push: PushDraft.Origin, isRemoval: Bool = false
  ) throws(ServerStoreError) -> Bool {
    guard let property = path.property,
      let column = store.schema.table(object.address.className)?.column(property),
      mayHoldPlaces(column.layout)
    else { return true }
    let unit = InnerUnit(column: column.id, name: PartName(path))
    if let record = try innerRecord(of: unit, object) {
      if column.layout.value == .mixed, !isRemoval, push.stamp < record.newestMixedStamp {
        return false
      }
      // The same embedded object as a whole: older writes in it are outdated.
      let isSame = try keepsIncarnation(value, at: path, &object)
      object.inner[unit] = .some(isSame ? InnerRecord(floor: push.stamp) : nil)
      object.writtenInner.insert(unit)
    }
    object.replaced.insert(path)
    return true
  }

  /// Whether values of a property have places that change one by one; links have none.
  private func mayHoldPlaces(_ layout: ColumnLayout) -> Bool {
    switch layout.value {
    case .mixed: layout.collection != .set
    case .link: store.schema.table(id: layout.linkTable)?.isEmbedded == true
    default: false
    }
  }

  private func keepsIncarnation(
    _ value: RecordedValue?, at path: UnitPath, _ object: inout ObjectDraft
  ) throws(ServerStoreError) -> Bool {
    guard case .embedded(let new)? = value, new.incarnation != nil,
      object.before.generation != nil, !object.isReset,
      case .embedded(let old)? = try storedValue(path, &object)
    else { return false }
    return old.incarnation == new.incarnation
  }
}

extension ObjectDraft {
  /// Records a change inside a unit; the unit keeps its clock.
  fileprivate mutating func touch(
    _ part: Part?, _ known: PartRecord?, _ column: UInt32, _ push: PushDraft.Origin,
    isNewsToWriter: Bool
  ) {
    if let part, var known {
      known.unit = known.unit.touched(
        version: push.version, by: push.client, isNewsToWriter: isNewsToWriter)
      parts[part] = .some(known)
      writtenParts.insert(part)
    }
    record.touch(
      column: column, version: push.version, by: push.client, isNewsToWriter: isNewsToWriter)
  }

  /// Notes a change inside a unit: one write of it, at the place of the first change.
  fileprivate mutating func noteEdit(inside path: UnitPath, operation: Int) {
    guard edited[path]?.isWritten == false else { return }
    edited[path]?.isWritten = true
    changes.append(.edit(path, operation: operation))
  }
}
