internal import AtollObjects

/// Adds unmanaged objects to a realm, with everything that they lead to.
///
/// The same instance becomes managed: its row is made with what is single, and then its links and
/// collections are set, which may add more objects. That is a loop and no recursion, so a chain of
/// a million objects is added as well as one.
///
/// What is set comes in the order of the declarations: a link with all that it leads to before the
/// next property. So of two values that a source gives to one object, by its key, the later wins.
final class ObjectAdder {
  private let context: _RealmContext
  private let policy: Realm.UpdatePolicy
  /// The properties that are given of objects made from a dictionary; of any other object all are.
  private let given: GivenProperties?
  /// Links and collections that are still to be set, the next one last.
  private var waiting: [Step] = []
  /// Those of the objects that were added since the last step, in their order.
  private var met: [Step] = []
  /// The properties that were given of the objects that were updated; nil: all.
  ///
  /// One of these objects that is new may have something in them.
  private var updated: [ObjectLink: Set<Int>?] = [:]

  /// A link or a collection of an object that has a row already.
  private struct Step {
    let row: _ManagedRow
    let property: PropertyDescriptor
    let contents: _Contents
    /// Whether the row is new.
    let isNew: Bool
    /// Whether the source named the property, and not only its class.
    let isGiven: Bool
    /// What the file of the source holds and the object could not: see `GivenProperties`.
    let unheldValue: _StoredValue?
  }

  init(_ context: _RealmContext, policy: Realm.UpdatePolicy, given: GivenProperties? = nil) {
    self.context = context
    self.policy = policy
    self.given = given
  }

  /// Adds an object, unless it is managed by this realm already.
  ///
  /// - Returns: Its row; nil when the object cannot be read, or cannot be added as the file fails: it
  ///   cannot be read then, and the write fails.
  @discardableResult
  func add(_ object: ObjectBase) -> _ManagedRow? {
    if let row = object._row {
      if row.isUnreadable { context.failWrite() }
      guard row.checkAlive() else { return nil }
      guard row.context === context else {
        // In a migration an old object stands for the same one now.
        if let migration = context.migration, migration.isOld(row.context, of: context) {
          return migration.present(row)
        }
        Misuse.trap(
          "an object of class '\(row.access.descriptor.name)' that belongs to another realm was "
            + "added; copy it with create, or freeze and thaw it")
      }
      return row
    }
    let descriptor = object.descriptor
    if descriptor.isEmbedded {
      Misuse.trap(
        "an object of the embedded class '\(descriptor.name)' was added by itself; set it as a "
          + "property of another object")
    }
    let row = insert(object, descriptor)
    run()
    return row
  }

  /// Sets what is waiting; objects that are added meanwhile wait, too.
  private func run() {
    guard !met.isEmpty, context.activeAdder == nil else { return }
    context.activeAdder = self
    while true {
      waiting.append(contentsOf: met.reversed())
      met.removeAll(keepingCapacity: true)
      guard let step = waiting.popLast() else { break }
      carryOut(step)
    }
    context.activeAdder = nil
  }

  // MARK: Rows

  private func insert(_ object: ObjectBase, _ descriptor: ClassDescriptor) -> _ManagedRow? {
    let transaction = context.requireWrite("an object of class '\(descriptor.name)' was added")
    guard let transaction, let access = context.access(descriptor) else {
      if transaction != nil { context.refuseClass(descriptor) }
      return giveUp(object)
    }
    let given = given?[object]
    let failureCount = context.failureCount
    if policy != .error, let existing = existing(object, descriptor, transaction) {
      let row = context.row(descriptor, existing)
      update(row, from: object, given, transaction)
      return row
    }
    // Whether there is one is not known then.
    if context.failureCount != failureCount { return giveUp(object) }
    var columns = access.plainColumns
    var values: [_StoredValue] = []
    values.reserveCapacity(columns.count)
    for property in descriptor.plainProperties { values.append(takeValue(of: property, object)) }
    let made = context.changing("an object of class '\(descriptor.name)' cannot be added") {
      try refusingValues(of: descriptor, transaction) {
        try transaction.create(table: access.table.id, columns, values)
      } withoutValue: { property in
        guard
          let index = columns.firstIndex(where: { $0.name == property && !$0.isPrimaryKey })
        else { return false }
        columns.remove(at: index)
        values.remove(at: index)
        return true
      }
    }
    guard let key = made else { return giveUp(object) }
    if access.table.isKeyedByPrimaryKey, transaction.hasDeleted(table: access.table.id, key) {
      context.writes.noteNewLife(of: ObjectLink(table: access.table.id, key: key.rawValue))
    }
    let row = _ManagedRow(
      context: context, access: access, key: key, birth: context.writes.number)
    manage(object, row, isNew: true, given)
    return row
  }

  /// Leaves an object that cannot be added with nothing in it; the write fails.
  private func giveUp(_ object: ObjectBase) -> _ManagedRow? {
    context.writes.noteNewObjects()
    object._row = _ManagedRow(
      unreadable: object.descriptor, context: context, birth: context.writes.number)
    return nil
  }

  /// Makes an object of a class, for the code that follows, without the values that are too large;
  /// the write throws at its end.
  ///
  /// `withoutValue`: takes the value of a property from those that `make` makes the object of;
  /// false when it is not among them.
  private func refusingValues(
    of descriptor: ClassDescriptor, _ transaction: Transaction, _ make: () throws -> ObjectKey,
    withoutValue remove: (_ property: String) -> Bool
  ) throws -> ObjectKey {
    while true {
      do { return try make() } catch {
        guard let property = tooLargeProperty(of: descriptor, error), remove(property) else {
          throw error
        }
        context.refuse(error, transaction)
      }
    }
  }

  /// The property of an object of this class whose value is too large, if that is the error.
  private func tooLargeProperty(of descriptor: ClassDescriptor, _ error: any Error) -> String? {
    guard
      case ObjectError.valueTooLarge(let className, let property, _, _)? = error as? ObjectError,
      className == descriptor.name
    else { return nil }
    return property
  }

  /// The values of all stored single properties that are no links, which the object gives up.
  private func takeSingleValues(of object: ObjectBase, _ descriptor: ClassDescriptor)
    -> [String: _StoredValue]
  {
    var values: [String: _StoredValue] = [:]
    values.reserveCapacity(descriptor.storedCount)
    for property in descriptor.plainProperties {
      values[property.columnName] = takeValue(of: property, object)
    }
    return values
  }

  /// The value of a single property that is no link, which the object gives up.
  private func takeValue(of property: PropertyDescriptor, _ object: ObjectBase) -> _StoredValue {
    let value = property.storage.takeStoredValue(of: object, context)
    guard let given else { return value }
    return value.keepingFinerMoments(of: given.unheldValue(of: object, property.position))
  }

  /// The key of the object that has the primary key of `object`.
  private func existing(
    _ object: ObjectBase, _ descriptor: ClassDescriptor, _ transaction: Transaction
  ) -> ObjectKey? {
    guard let property = descriptor.primaryKey else { return nil }
    let value = property.storage.storedValue(of: object, context)
    return context.reading("'\(descriptor.name)' cannot be read", or: nil) {
      try transaction.key(descriptor.name, primaryKey: value)
    }
  }

  private func update(
    _ row: _ManagedRow, from object: ObjectBase, _ given: Set<Int>?, _ transaction: Transaction
  ) {
    let descriptor = row.access.descriptor
    for property in descriptor.plainProperties {
      let value = takeValue(of: property, object)
      if property.isPrimaryKey { continue }
      if let given, !given.contains(property.position) { continue }
      if policy == .modified,
        _StoredValue.isIdentical(context.value(row, property.position), value)
      {
        continue
      }
      context.set(row, property.position, value)
    }
    let known = updated[row.address] ?? []
    updated[row.address] = .some(given.flatMap { known?.union($0) })
    manage(object, row, isNew: false, given)
  }

  /// Makes the instance a managed one, and remembers what is still to be set.
  private func manage(
    _ object: ObjectBase, _ row: _ManagedRow, isNew: Bool, _ given: Set<Int>?
  ) {
    if isNew { context.writes.noteNewObjects() }
    context.counts.noteAny()
    for property in row.access.descriptor.linkingProperties {
      let contents = property.storage.attach(object, row, position: property.position)
      let isGiven = given?.contains(property.position) ?? true
      guard let contents, isNew || isGiven else { continue }
      met.append(
        Step(
          row: row, property: property, contents: contents, isNew: isNew, isGiven: isGiven,
          unheldValue: self.given?.unheldValue(of: object, property.position)))
    }
    object._row = row
  }

  // MARK: Links and collections

  private func carryOut(_ step: Step) {
    // An object that is given twice by its key has lost the embedded objects of the first time.
    if step.row.access.descriptor.isEmbedded, !step.row.isValid { return }
    let position = step.property.position
    let isUpdated = isUpdated(step)
    // One that is new and was given again has what the source says, and not the default.
    if isUpdated, !step.isGiven { return }
    let isEmpty = step.isNew && !isUpdated
    switch step.contents {
    case .link(let target):
      if target == nil, let key = step.unheldValue {
        if policy == .modified, !isEmpty, step.row.awaitedKey(position) == key { return }
        return context.setLink(step.row, position, toPrimaryKey: key)
      }
      if isEmpty, target == nil { return }
      if let target, step.property.isOwning {
        embed(target, in: step.row, position)
      } else {
        let value = target?._store(context) ?? .null
        if isUnchanged(step, value, isEmpty) { return }
        context.set(step.row, position, value)
      }
    case .values(let values):
      let values = values.keepingFinerMoments(of: step.unheldValue)
      if isUnchanged(step, values, isEmpty) { return }
      context.set(step.row, position, values)
    case .mixed(let store):
      let value = store(context).keepingFinerMoments(of: step.unheldValue)
      if isUnchanged(step, value, isEmpty) { return }
      context.set(step.row, position, value)
    case .objects(let objects):
      if step.property.isOwning {
        if !isEmpty { context.set(step.row, position, .list([])) }
        for object in objects { append(object, to: step.row, position) }
      } else {
        let links = objects.map { $0._store(context) }
        let value = step.property.form.kind == .set ? _StoredValue.set(links) : .list(links)
        if isUnchanged(step, value, isEmpty) { return }
        context.set(step.row, position, value)
      }
    case .entries(let entries):
      let isOwning = step.property.isOwning
      let value = _StoredValue.map(
        ValueMap(
          entries.map { entry in
            (key: entry.key, value: isOwning ? .null : entry.object?._store(context) ?? .null)
          }))
      // Null stands for an embedded object here, so that one that is given is a change.
      let hasNewObject = isOwning && entries.contains { $0.object != nil }
      if !hasNewObject, isUnchanged(step, value, isEmpty) { return }
      context.set(step.row, position, value)
      guard isOwning else { return }
      for case (let key, let object?) in entries {
        append(object, to: step.row, position, mapKey: key)
      }
    }
  }

  /// Whether the object was given again by its key, and the property with it.
  private func isUpdated(_ step: Step) -> Bool {
    guard !updated.isEmpty, let given = updated[step.row.address] else { return false }
    return given?.contains(step.property.position) ?? true
  }

  /// Whether setting a property would change nothing.
  ///
  /// `isEmpty`: whether it has nothing in it yet, so that it need not be read.
  private func isUnchanged(_ step: Step, _ value: _StoredValue, _ isEmpty: Bool) -> Bool {
    if isEmpty {
      // A mixed property may hold a collection that is empty, which is not null.
      let isCollection = step.property.form.kind != .single
      switch value {
      case .list(let elements), .set(let elements): return isCollection && elements.isEmpty
      case .map(let map): return isCollection && map.count == 0
      case .null: return true
      default: break
      }
    }
    return policy == .modified && !isEmpty
      && _StoredValue.isIdentical(context.value(step.row, step.property.position), value)
  }

  // MARK: Embedded objects

  /// Makes an embedded object the value of a property.
  func embed(_ object: ObjectBase, in owner: _ManagedRow, _ position: Int) {
    if let row = object._row {
      if row.isUnreadable { return context.failWrite() }
      if row.context !== context || context.value(owner, position) != row.link {
        row.refuseOwned(by: owner)
      }
      return
    }
    if policy == .modified, let link = context.value(owner, position).link {
      let row = context.row(object.descriptor, ObjectKey(rawValue: link.key))
      guard let transaction = context.requireWrite("an embedded object was updated"),
        !row.isUnreadable
      else { return }
      update(row, from: object, given?[object], transaction)
    } else {
      append(object, to: owner, position)
    }
    run()
  }

  /// Makes an embedded object the value of a property, one more element of a list, or the value of
  /// a key of a map.
  func append(
    _ object: ObjectBase, to owner: _ManagedRow, _ position: Int, mapKey: String? = nil,
    at index: Int? = nil
  ) {
    if let row = object._row {
      if row.isUnreadable { context.failWrite() } else { row.refuseOwned(by: owner) }
      return
    }
    let property = owner.access.descriptor.property(at: position)
    let name = "\(owner.access.descriptor.name).\(property.name)"
    let transaction = context.requireWrite("\(name) was changed")
    guard let transaction, let access = context.access(object.descriptor) else {
      if transaction != nil { context.refuseClass(object.descriptor) }
      _ = giveUp(object)
      return
    }
    var values = takeSingleValues(of: object, access.descriptor)
    let made: ObjectKey?? = context.changing("\(name) cannot be set") {
      do {
        return try refusingValues(of: access.descriptor, transaction) {
          if let index {
            return try transaction.createEmbeddedElement(
              of: owner.key, owner.access.columns[position], at: index, values)
          }
          return try transaction.createEmbedded(
            in: owner.access.descriptor.name, owner.key, property.columnName, mapKey: mapKey,
            values)
        } withoutValue: {
          values.removeValue(forKey: $0) != nil
        }
      } catch {
        // The key of the map.
        guard tooLargeProperty(of: owner.access.descriptor, error) != nil else { throw error }
        context.refuse(error, transaction)
        return nil
      }
    }
    guard let key = made else {
      _ = giveUp(object)
      return
    }
    // The key of a map may be too large.
    guard let key else { return }
    let row = _ManagedRow(
      context: context, access: access, key: key, birth: context.writes.number)
    manage(object, row, isNew: true, given?[object])
    run()
  }
}
