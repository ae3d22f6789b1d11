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
    // What the transaction itself has made of the object is not in the store yet.
    let isStored = object.before.generation != nil && !object.isReset
    let unit = Unit(object: object.address, path: path)
    guard isStored, let value = try store.value(of: unit) else { return .outdated(.deletion) }
    var place = place
    if fault == .r5AnyIncarnation { place.incarnation = value.incarnation(at: place.names) }
    guard value.changed(at: place, by: change) != nil else { return .outdated(.deletion) }
    let inner = InnerUnit(column: column, name: part?.name)
    var record = try innerRecord(of: inner, object) ?? InnerRecord()
    var newest = record.newestStamp(at: place, change)
    if place.incarnation == nil {
      newest = max(newest, known?.unit.stamp ?? object.record[column].stamp)
    }
    guard push.stamp >= newest || fault == .r4ArrivalOrder else { return .outdated(.newerClock) }
    let sum = record.write(place, change, push.stamp, version: push.version, by: push.client)
    object.inner[inner] = .some(record)
    object.writtenInner.insert(inner)
    object.touch(part, known, column, push, isNewsToWriter: sum != 0)
    object.changes.append(.edit(path, place, change, operation: index))
    if sum != 0 {
      // What was added later, on top of what was set; to null nothing can be added.
      let leaf = OperationFit.property(at: place, in: property, operation, store.schema)
      let isZero = leaf.map { !$0.layout.allowsNull } ?? false
      object.changes.append(
        .edit(path, place, .increment(by: sum, startsAtZero: isZero), operation: index))
    }
    return .applied(generation: nil)
  }

  /// The record of what lies inside a unit; nil when nothing was written there.
  func innerRecord(of unit: InnerUnit, _ object: ObjectDraft) throws(ServerStoreError)
    -> InnerRecord?
  {
    if let known = object.inner[unit] { return known }
    guard !object.isReset, let number = object.number,
      let bytes = try store.record(InnerRecord.key(number, unit), in: .inner)
    else { return nil }
    return try InnerRecord(bytes)
  }

  /// Whether a write of a whole unit wins over those inside it; then it takes their place.
  ///
  /// An embedded object that is replaced takes along what was written in it, whenever that was; what
  /// is written inside a mixed value competes by clock. A removal wins always.
  func replaceInside(
    _ column: UInt32, _ name: PartName?, _ object: inout ObjectDraft, _ push: PushDraft.Origin,
    isRemoval: Bool = false
  ) throws(ServerStoreError) -> Bool {
    guard let table = store.schema.table(object.address.className),
      let layout = table.column(id: column)?.layout,
      layout.value == .mixed || layout.value == .link
    else { return true }
    let unit = InnerUnit(column: column, name: name)
    guard let record = try innerRecord(of: unit, object) else { return true }
    guard
      isRemoval || push.stamp >= record.newestMixedStamp || fault == .r4ArrivalOrder
    else { return false }
    object.inner[unit] = .some(nil)
    object.writtenInner.insert(unit)
    return true
  }
}

extension ObjectDraft {
  /// Notes that something inside a unit changed; the unit keeps its clock.
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
}

extension PartName {
  /// Nil for a property.
  fileprivate init?(_ path: UnitPath) {
    switch path {
    case .existence, .property: return nil
    case .element(_, let id): self = .element(id)
    case .entry(_, let key): self = .entry(key)
    }
  }
}

extension UnitValue {
  /// The innermost embedded object on a way, whichever it is: for a planted mistake.
  fileprivate func incarnation(at names: [String]) -> ElementID? {
    var value: RecordedValue?
    switch self {
    case .value(let own), .element(_, let own): value = own
    case .exists: value = nil
    }
    var incarnation: ElementID?
    for name in names {
      switch value {
      case .embedded(let object):
        incarnation = object.incarnation
        value = object[name]
      case .map(let entries): value = entries.first { $0.key == name }?.value
      default: return incarnation
      }
    }
    return incarnation
  }
}
