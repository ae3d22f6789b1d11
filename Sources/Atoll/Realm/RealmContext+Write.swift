internal import AtollStorage
internal import AtollObjects

extension _RealmContext {
  // MARK: Begin and end

  /// Begins a write in the newest version; waits for other writers.
  func begin() throws {
    checkConfinement()
    do {
      knownNotifier?.flush()
      // An observer may have begun a write itself, for which this one would wait for ever.
      if let writeRefusal { throw writeRefusal }
      try adopt(file.database.beginWrite())
    } catch { throw realmError(error) }
  }

  /// As `begin`, without waiting.
  ///
  /// - Returns: False when there is another writer; `WriterLine.wait` tells when to try again.
  func tryBegin() throws -> Bool {
    checkConfinement()
    do {
      knownNotifier?.flush()
      // One that could not begin holds no lock whose end could be waited for.
      if transaction == nil, isWriteOpen, let writeFailure { throw writeFailure }
      guard transaction == nil, let begun = try file.writers.tryBeginWrite(file.database) else {
        return false
      }
      try adopt(begun)
      return true
    } catch { throw realmError(error) }
  }

  private func realmError(_ error: any Error) -> any Error {
    error is Realm.Error ? error : Realm.Error(error, fileURL: configuration.fileURL)
  }

  /// Takes over a transaction that has begun.
  private func adopt(_ transaction: Transaction) throws {
    let isOlder = version.pinned?.version != transaction.baseVersion
    // The writer lock is held: no newer version than that comes.
    if isOlder {
      do {
        let newest = try file.database.snapshot()
        try checkClasses(newest)
        pin(newest)
      } catch {
        transaction.cancel()
        throw error
      }
    }
    if version.isBehind {
      version.noteNewest()
      // Observers have not been told of what was committed.
      knownNotifier?.schedule()
    }
    self.transaction = transaction
    writes.begin()
    hasHalfDoneChange = false
    counts.noteAny()
    do { try completeClasses() } catch {
      writeFailure = nil
      cancel()
      throw error
    }
    if isOlder { didAdvance?(.begin) }
  }

  /// As `begin`; a write that cannot begin throws why at its end, and nothing is changed in it.
  func beginOrFail() {
    do { return try begin() } catch {
      // That of another write, which goes on.
      if transaction != nil { return refuse("a write cannot begin: \(error)") }
      writes.begin()
      if Realm.Error.isFailure(error) {
        let failure = Realm.Error(
          error, doing: "a write cannot begin", fileURL: configuration.fileURL)
        failures.add(failure)
        writeFailure = failure
      } else {
        refuse("a write cannot begin: \(error)")
        writeFailure = failures.last ?? error as? Realm.Error
      }
    }
  }

  /// Makes the write a new version; when it is refused, nothing of it remains.
  ///
  /// `tokens`: the observers that are not told of it.
  func commit(
    durability: Durability? = nil, withoutNotifying tokens: [NotificationToken] = []
  ) throws {
    checkConfinement()
    if isWriteOpen, let failure = writeFailure ?? file.failure(ofWriteIn: self) {
      _ = undo()
      throw failure
    }
    guard let transaction else { throw Realm.Error(.fail, "there is no write to commit") }
    do {
      try commitCheck?(transaction)
      if let writeFailure { throw writeFailure }
      try transaction.commit(durability: durability ?? commitDurability)
    } catch {
      // What the check has met is this error, or follows from the same.
      writeFailure = nil
      cancel()
      let thrown = error is ObjectError ? realmError(error) : error
      // To cancel the write after this is no wrong use, for one.
      if let failure = thrown as? Realm.Error, failure.isFailure { failures.add(failure) }
      throw thrown
    }
    self.transaction = nil
    writes.commit()
    let changes = transaction.committedChanges
    endFate(.committed(version: changes?.version ?? transaction.baseVersion))
    if let changes { knownNotifier?.note(changes) }
    moveToOwnCommit()
    didAdvance?(.commit(version: changes?.version, withoutNotifying: tokens))
  }

  private var commitDurability: Durability {
    switch configuration.durability {
    case .full: .full
    case .relaxed: .relaxed
    }
  }

  /// Undoes the write; objects that it added become invalid.
  ///
  /// A failure that it has met, and that nothing has thrown, is told now.
  func cancel() {
    checkConfinement()
    if let failure = undo() { configuration.tell(failure) }
  }

  /// - Returns: The failure that the write has met.
  private func undo() -> Realm.Error? {
    guard isWriteOpen else { return nil }
    let failure = writeFailure
    writeFailure = nil
    if let transaction {
      transaction.cancel()
      self.transaction = nil
      adoptSchema()
    } else {
      OpenWrites.letGo(of: self)
    }
    endFate(.cancelled)
    writes.cancel()
    counts.noteAny()
    knownNotifier?.schedule()
    knownTrackedReads?.noteUndoneWrite()
    return failure
  }

  /// The write that is open; ends the process when there is none.
  ///
  /// - Returns: Nil for one in which nothing is changed: it could not begin, or a failure has left a
  ///   change half done. It throws that at its end.
  func requireWrite(_ what: @autoclosure () -> String) -> Transaction? {
    checkConfinement()
    if let transaction { return hasHalfDoneChange ? nil : transaction }
    if isWriteOpen { return nil }
    if isFrozen { Misuse.trap("\(what()) in a frozen realm: thaw the object or collection first") }
    if migration != nil {
      Misuse.trap("\(what()) in the old version of a migration: change the new object instead")
    }
    Misuse.trap("\(what()) outside of a write: do it in realm.write { }")
  }

  /// Why no write can begin; nil when one can.
  var writeRefusal: Realm.Error? {
    if isFrozen { return Realm.Error(.fail, "a frozen realm cannot be written: thaw it first") }
    if migration != nil {
      return Realm.Error(.fail, "a migration is one write: change its new objects as they are")
    }
    if configuration.readOnly {
      return Realm.Error(.fail, "the realm was opened read-only and cannot be written")
    }
    if isWriteOpen {
      return Realm.Error(.fail, "a write was begun inside another write of the same realm")
    }
    // It would be committed before the update, and be judged by the set before it.
    if subscriptionUpdate != nil {
      return Realm.Error(
        .fail,
        "a write was begun inside of an update of the subscriptions; write before or after "
          + "'subscriptions.update { … }'")
    }
    return nil
  }

  // MARK: Properties

  func set(_ row: _ManagedRow, _ position: Int, _ value: _StoredValue) {
    let descriptor = row.access.descriptor
    let property = descriptor.property(at: position)
    guard let transaction = requireWrite("\(descriptor.name).\(property.name) was set") else {
      return
    }
    if property.isPrimaryKey {
      if self.value(row, position) == value { return }
      return refuse(
        "the primary key \(descriptor.name).\(property.name) of an object in a realm never changes")
    }
    change(transaction, "\(descriptor.name).\(property.name) cannot be set") {
      try transaction.set(row.key, row.access.columns[position], value)
    }
    counts.note(setting: property, row.access.columns[position])
  }

  /// Makes a change that cannot throw where it is asked for.
  ///
  /// Of a value that is too large nothing is changed, and the write throws at its end, as it does
  /// when the file fails; any other refusal is wrong use.
  ///
  /// - Returns: Whether it was made.
  @discardableResult
  private func change(
    _ transaction: Transaction, _ doing: @autoclosure () -> String, _ body: () throws -> Void
  ) -> Bool {
    do { try body() } catch {
      switch error {
      case ObjectError.valueTooLarge: refuse(error, transaction)
      default: noteFailedChange(error, doing())
      }
      return false
    }
    return true
  }

  /// Makes the write throw the error at its end.
  func refuse(_ error: any Error, _ transaction: Transaction) {
    if let error = error as? ObjectError { transaction.refuse(error) }
  }

  /// Puts the elements of a list in another order, in which those at `moved` places were moved.
  func rearrange(_ row: _ManagedRow, _ position: Int, _ order: [Int], _ moved: Set<Int>) {
    changeElements(row, position) { transaction, column throws in
      try transaction.rearrange(row.key, column, order, moved: moved)
    }
  }

  /// Inserts an element into a list before the one at `index`, or at the end.
  func insertElement(_ row: _ManagedRow, _ position: Int, at index: Int, _ element: _StoredValue) {
    changeElements(row, position) { transaction, column throws in
      try transaction.insertElement(row.key, column, at: index, element)
    }
  }

  func setElement(_ row: _ManagedRow, _ position: Int, at index: Int, _ element: _StoredValue) {
    changeElements(row, position) { transaction, column throws in
      try transaction.setElement(row.key, column, at: index, element)
    }
  }

  /// Removes an element of a list; an embedded object is deleted.
  func removeElement(_ row: _ManagedRow, _ position: Int, at index: Int) {
    changeElements(row, position) { transaction, column throws in
      try transaction.removeElement(row.key, column, at: index)
    }
  }

  /// Adds a member to a set, or sets the value of a key of a map; nil removes it, and an embedded
  /// object is deleted.
  ///
  /// - Returns: Whether it was done: a value that is too large is refused.
  @discardableResult
  func setPart(
    _ row: _ManagedRow, _ position: Int, _ part: _StoredValue, _ value: _StoredValue?
  ) -> Bool {
    changeElements(row, position) { transaction, column throws in
      try transaction.setPart(row.key, column, part, value)
    }
  }

  @discardableResult
  private func changeElements(
    _ row: _ManagedRow, _ position: Int, _ change: (Transaction, Column) throws -> Void
  ) -> Bool {
    let descriptor = row.access.descriptor
    let property = descriptor.property(at: position)
    let column = row.access.columns[position]
    guard let transaction = requireWrite("\(descriptor.name).\(property.name) was changed") else {
      return false
    }
    let isMade = self.change(transaction, "\(descriptor.name).\(property.name) cannot be changed") {
      try change(transaction, column)
    }
    counts.note(setting: property, column)
    return isMade
  }

  func setLink(_ row: _ManagedRow, _ position: Int, _ target: ObjectBase?) {
    let descriptor = row.access.descriptor
    let property = descriptor.property(at: position)
    guard let target else { return set(row, position, .null) }
    guard requireWrite("\(descriptor.name).\(property.name) was set") != nil else { return }
    if property.isOwning {
      adder.embed(target, in: row, position)
    } else {
      set(row, position, target._store(self))
    }
  }

  /// Sets a link to the object with a primary key; it waits until there is one.
  func setLink(_ row: _ManagedRow, _ position: Int, toPrimaryKey key: _StoredValue) {
    let descriptor = row.access.descriptor
    let property = descriptor.property(at: position)
    guard let transaction = requireWrite("\(descriptor.name).\(property.name) was set") else {
      return
    }
    change(transaction, "\(descriptor.name).\(property.name) cannot be set") {
      try transaction.link(
        descriptor.name, row.key, property.columnName, toPrimaryKeys: [key])
    }
    counts.note(setting: property, row.access.columns[position])
  }

  /// What adds unmanaged objects: the one at work, or a new one.
  var adder: ObjectAdder { activeAdder ?? ObjectAdder(self, policy: .error) }

  // MARK: Classes

  /// Adds again what a write that was cancelled had added to classes that are in use.
  private func completeClasses() throws {
    let lacking = classes.lacking
    if !lacking.isEmpty { try requireClasses(lacking) }
  }

  /// Sees to it that the file has these classes, and those that they link to.
  func requireClasses(_ descriptors: [ClassDescriptor]) throws {
    if isFrozen || configuration.readOnly { return }
    if let transaction {
      var isChanged = false
      defer {
        if isChanged {
          counts.noteAny()
          adoptSchema()
        }
      }
      try requireClasses(descriptors, in: transaction) { isChanged = true }
      return
    }
    let change = SchemaChange(
      from: schema, to: ClassClosure.of(descriptors), configuration,
      behind: try SchemaVersion.behind(in: snapshot, configuration))
    try change.check()
    if change.isEmpty { return }
    try file.database.write { transaction in
      try requireClasses(descriptors, in: transaction)
    }
    let newest = try file.database.snapshot()
    try checkClasses(newest)
    pin(newest)
    didAdvance?(.refresh)
  }

  /// Adds to a transaction what the file lacks of classes.
  ///
  /// - Parameters:
  ///   - descriptors: The classes; those that they link to are added too.
  ///   - transaction: Of this realm's file.
  ///   - willChange: Is called before anything is changed.
  /// - Throws: `schemaMismatch`, and `invalidInput` in a file of a higher schema version; nothing was
  ///   changed then.
  func requireClasses(
    _ descriptors: [ClassDescriptor], in transaction: Transaction,
    willChange: () -> Void = {}
  ) throws {
    let change = SchemaChange(
      from: transaction.schema, to: ClassClosure.of(descriptors), configuration,
      behind: try SchemaVersion.behind(in: transaction, configuration))
    try change.check()
    if change.isEmpty { return }
    // What a newer program has taken away is not brought back.
    try SchemaVersion.checkIsNotHigher(transaction, configuration)
    willChange()
    try change.apply(to: transaction) {
      try configuration.participant?.complete(transaction, of: file.database)
    }
    try SchemaVersion.note(migrated: change.migrated, in: transaction)
  }
}
