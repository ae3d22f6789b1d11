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
    let isBehind = pinned?.version != transaction.baseVersion
    // The writer lock is held: no newer version than that comes.
    if isBehind {
      do { pin(try file.database.snapshot()) } catch {
        transaction.cancel()
        throw error
      }
    }
    self.transaction = transaction
    writeNumber &+= 1
    hasNewObjects = false
    hasDeletedRows = false
    noteChange()
    do { try completeClasses() } catch {
      cancel()
      throw error
    }
    if isBehind { didAdvance?(.begin) }
  }

  /// Makes the write a new version; when it is refused, nothing of it remains.
  ///
  /// `tokens`: the observers that are not told of it.
  func commit(
    durability: Durability? = nil, withoutNotifying tokens: [NotificationToken] = []
  ) throws {
    checkConfinement()
    guard let transaction else { throw Realm.Error(.fail, "there is no write to commit") }
    do {
      try commitCheck?(transaction)
      try transaction.commit(durability: durability ?? commitDurability)
    } catch {
      cancel()
      throw error is ObjectError ? Realm.Error(error, fileURL: configuration.fileURL) : error
    }
    self.transaction = nil
    lives.keep()
    let newest = try? file.database.snapshot()
    let version = transaction.committedChanges?.version
    endFate(.committed(version: version ?? transaction.baseVersion))
    if let changes = transaction.committedChanges { knownNotifier?.note(changes) }
    pin(newest)
    didAdvance?(.commit(version: version, withoutNotifying: tokens))
  }

  private var commitDurability: Durability {
    switch configuration.durability {
    case .full: .full
    case .relaxed: .relaxed
    }
  }

  /// Undoes the write; objects that it added become invalid.
  func cancel() {
    checkConfinement()
    guard let transaction else { return }
    transaction.cancel()
    self.transaction = nil
    endFate(.cancelled)
    lives.undo()
    if hasNewObjects || hasDeletedRows { cancelledWrites.insert(writeNumber) }
    noteChange()
    adoptSchema()
  }

  /// The write that is open; ends the process when there is none.
  func requireWrite(_ what: @autoclosure () -> String) -> Transaction {
    checkConfinement()
    if let transaction { return transaction }
    if isFrozen { Misuse.trap("\(what()) in a frozen realm: thaw the object or collection first") }
    Misuse.trap("\(what()) outside of a write: do it in realm.write { }")
  }

  // MARK: Properties

  func set(_ row: _ManagedRow, _ position: Int, _ value: _StoredValue) {
    let descriptor = row.access.descriptor
    let property = descriptor.properties[position]
    let transaction = requireWrite("\(descriptor.name).\(property.name) was set")
    if property.isPrimaryKey {
      if self.value(row, position) == value { return }
      Misuse.trap(
        "the primary key \(descriptor.name).\(property.name) of an object in a realm never changes")
    }
    change(transaction, "\(descriptor.name).\(property.name) cannot be set") {
      try transaction.set(row.key, row.access.columns[position], value)
    }
    noteSetting(of: property, row.access.columns[position])
  }

  /// Makes a change that cannot throw where it is asked for.
  ///
  /// Of a value that is too large nothing is changed, and the write throws at its end; any other
  /// refusal is wrong use.
  ///
  /// - Returns: Whether it was made.
  @discardableResult
  private func change(
    _ transaction: Transaction, _ doing: @autoclosure () -> String, _ body: () throws -> Void
  ) -> Bool {
    do { try body() } catch {
      guard case ObjectError.valueTooLarge? = error as? ObjectError else {
        Misuse.trap("\(doing()): \(error)")
      }
      refuse(error, transaction)
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
    let property = descriptor.properties[position]
    let column = row.access.columns[position]
    let transaction = requireWrite("\(descriptor.name).\(property.name) was changed")
    let isMade = self.change(transaction, "\(descriptor.name).\(property.name) cannot be changed") {
      try change(transaction, column)
    }
    noteSetting(of: property, column)
    return isMade
  }

  func setLink(_ row: _ManagedRow, _ position: Int, _ target: ObjectBase?) {
    let descriptor = row.access.descriptor
    let property = descriptor.properties[position]
    guard let target else { return set(row, position, .null) }
    _ = requireWrite("\(descriptor.name).\(property.name) was set")
    if property.isOwning {
      adder.embed(target, in: row, position)
    } else {
      set(row, position, target._store(self))
    }
  }

  /// Sets a link to the object with a primary key; it waits until there is one.
  func setLink(_ row: _ManagedRow, _ position: Int, toPrimaryKey key: _StoredValue) {
    let descriptor = row.access.descriptor
    let property = descriptor.properties[position]
    let transaction = requireWrite("\(descriptor.name).\(property.name) was set")
    change(transaction, "\(descriptor.name).\(property.name) cannot be set") {
      try transaction.link(
        descriptor.name, row.key, property.columnName, toPrimaryKeys: [key])
    }
    noteSetting(of: property, row.access.columns[position])
  }

  /// What adds unmanaged objects: the one at work, or a new one.
  var adder: ObjectAdder { activeAdder ?? ObjectAdder(self, policy: .error) }

  // MARK: Classes

  /// Adds again what a write that was cancelled had added to classes that are in use.
  private func completeClasses() throws {
    let lacking = lackingClasses
    if !lacking.isEmpty { try requireClasses(lacking) }
  }

  /// Sees to it that the file has these classes, and those that they link to.
  func requireClasses(_ descriptors: [ClassDescriptor]) throws {
    let wanted = ClassClosure.of(descriptors)
    if isFrozen || configuration.readOnly { return }
    let change = SchemaChange(from: schema, to: wanted, configuration)
    try change.check()
    if change.isEmpty { return }
    if let transaction {
      defer {
        noteChange()
        adoptSchema()
      }
      try change.apply(to: transaction) { try impliedSubscriptions?.complete(in: transaction) }
    } else {
      try file.database.write { transaction in
        let change = SchemaChange(from: transaction.schema, to: wanted, configuration)
        try change.check()
        try change.apply(to: transaction) { try impliedSubscriptions?.complete(in: transaction) }
      }
      pin(try file.database.snapshot())
      didAdvance?(.refresh)
    }
  }
}
