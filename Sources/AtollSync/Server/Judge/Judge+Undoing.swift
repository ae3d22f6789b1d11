internal import AtollCapture
internal import AtollObjects

// What violates the rights at its end is undone: the units that were changed, or the whole object
// where it was made or deleted.

extension Judge {
  /// Begins to keep what an object holds before its changes.
  ///
  /// All of it when the object is made or deleted, else the properties that change. The elements,
  /// entries and members are kept each before it is written, when the store has their collection at
  /// hand: reading a property may make it put that away.
  func startSaving(_ object: ObjectDraft) throws(ServerStoreError) -> ObjectDraft.SavedValues {
    guard object.changes.allSatisfy({ isUndoneAlone($0, of: object.address) }) else {
      let values = try store.values(of: object.address)
      return ObjectDraft.SavedValues(isWhole: true, values: values.mapValues { .some($0) })
    }
    var saved = ObjectDraft.SavedValues(isWhole: false)
    for change in object.changes {
      guard let path = change.path, case .property = path, saved.values.index(forKey: path) == nil
      else { continue }
      saved.values[path] = .some(try store.value(of: Unit(object: object.address, path: path)))
    }
    return saved
  }

  /// Keeps what a unit holds before its first change.
  func save(_ path: UnitPath, _ object: inout ObjectDraft) throws(ServerStoreError) {
    guard object.saved?.isWhole == false, object.saved?.values.index(forKey: path) == nil else {
      return
    }
    let value = try store.value(of: Unit(object: object.address, path: path))
    object.saved?.values[path] = .some(value)
  }

  /// Whether a change is undone by writing back what its unit held.
  ///
  /// Not where a member of a set may equal another one, as 1.0 does 1: the set may then hold the
  /// other one, which would go with it.
  private func isUndoneAlone(_ change: ObjectDraft.Change, of address: ObjectAddress) -> Bool {
    guard let path = change.path else { return false }
    guard case .entry(let property, _) = path,
      let layout = store.schema.table(address.className)?.column(property)?.layout,
      layout.collection == .set
    else { return true }
    return switch layout.value {
    case .float, .double, .decimal, .mixed: false
    default: true
    }
  }

  /// Restores an object to its state before the transaction.
  func undo(_ object: inout ObjectDraft) throws(ServerStoreError) {
    let saved = object.saved
    if saved?.isWhole ?? true {
      if object.record.generation != nil {
        try store.delete(object.address, isForgotten: !object.before.isKnown)
      }
      if object.before.generation != nil { object.number = try store.create(object.address) }
    } else {
      // What is judged again may change other units.
      object.saved = nil
    }
    if object.before.generation != nil, let saved {
      // One collection after the other: the store has one at hand.
      let units = Dictionary(grouping: saved.values.keys) { $0.property }
      for path in units.values.joined() where path != .existence {
        let value = saved.values[path] ?? nil
        try store.restore(Unit(object: object.address, path: path), value)
      }
    }
    object.restart()
  }
}
