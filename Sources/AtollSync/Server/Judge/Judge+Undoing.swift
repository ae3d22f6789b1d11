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
    guard object.changes.allSatisfy({ $0.path != nil }) else {
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
    let unit = Unit(object: object.address, path: path)
    object.saved?.values[path] = .some(try store.value(of: unit))
    guard mayEqualAnother(path, of: object.address) else { return }
    // To add 1.0 may put it in the place of 1, which has to come back.
    for equal in try store.members(equalTo: unit)
    where object.saved?.values.index(forKey: equal) == nil {
      object.saved?.values[equal] = .some(.exists)
    }
  }

  /// Whether a set may hold another member that equals this one, as 1.0 equals 1.
  private func mayEqualAnother(_ path: UnitPath, of address: ObjectAddress) -> Bool {
    guard case .entry(let property, _) = path else { return false }
    return store.schema.table(address.className)?.column(property)?.layout.mayHoldEqualMembers
      ?? false
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
