internal import AtollObjects

/// A migration that is under way: the base version, and the one transaction that goes over to the
/// new version.
///
/// Before the block the classes get what is new in them; what is gone is taken from them after it,
/// with all that asks something of the objects, as another primary key does.
final class MigrationWork {
  private let configuration: Realm.Configuration
  /// Reads the base version.
  let old: _RealmContext
  /// Has the transaction.
  let new: _RealmContext
  /// The classes that the program has named, with all that they lead to.
  private var models: [ClassDescriptor]
  /// The names of the classes that the file had.
  private let behind: Set<String>
  /// What there is still of properties that are gone, by the tables.
  private var hidden: [UInt32: Set<UInt32>] = [:]
  /// Of classes whose objects have got other keys the keys before, ascending: the first has 1 now.
  private var formerKeys: [UInt32: [ObjectKey]] = [:]
  /// The columns of the primary keys that the block has given up, by the tables.
  private var releasedKeys: [UInt32: UInt32] = [:]
  /// The classes that the block has given up.
  private var dropped: Set<String> = []
  private(set) var failure: (any Error)?

  init(
    _ configuration: Realm.Configuration, old: _RealmContext, new: _RealmContext,
    _ models: [ClassDescriptor]
  ) {
    self.configuration = configuration
    self.old = old
    self.new = new
    self.models = models
    behind = Set(old.schema.classes.map(\.name))
    old.migration = self
    new.migration = self
  }

  func fail(_ error: any Error) { failure = failure ?? error }

  private func refuse(_ sentence: String) {
    fail(Realm.Error(.schemaMismatch, sentence, fileURL: configuration.fileURL))
  }

  /// Does a part of the work, of which an error ends the migration.
  private func working(_ body: (Transaction) throws -> Void) {
    guard failure == nil, let transaction = new.transaction else { return }
    do { try body(transaction) } catch {
      fail(Realm.Error.isFailure(error) ? error : invalid(error))
    }
  }

  /// An error of the layers below as that of a migration.
  private func invalid(_ error: any Error) -> any Error {
    guard error is ObjectError else { return error }
    return Realm.Error(
      .schemaMismatch, "the migration does not fit the classes: \(error)",
      fileURL: configuration.fileURL)
  }

  // MARK: Before and after the block

  /// Gives the classes what is new in them.
  func prepare() { working { try prepare(models, $0) } }

  private func prepare(_ classes: [ClassDescriptor], _ transaction: Transaction) throws {
    let change = SchemaChange(
      from: transaction.schema, to: classes, configuration, behind: behind)
    try change.check()
    for name in change.withOtherKeys {
      guard let table = transaction.schema.table(name) else { continue }
      try noteKeys(of: table, transaction)
    }
    try change.prepare(transaction)
    for (className, property) in change.leavingProperties {
      guard let table = transaction.schema.table(className), let column = table.column(property)
      else { continue }
      hidden[table.id, default: []].insert(column.id)
    }
    new.counts.noteAny()
    new.adoptSchema()
    for (table, columns) in hidden { new.classes.dynamicAccess(ofTable: table)?.hide(columns) }
  }

  /// Remembers the keys of a class whose objects are to get others.
  private func noteKeys(of table: TableSchema, _ transaction: Transaction) throws {
    guard table.isKeyedByPrimaryKey else { return }
    var keys: [ObjectKey] = []
    try transaction.table(table.name).forEach { keys.append($0.key) }
    formerKeys[table.id] = keys
  }

  /// Takes from the classes what is gone, and brings them to the program's.
  ///
  /// - Throws: What has ended the migration.
  func finish() throws {
    working { transaction in
      let change = SchemaChange(
        from: transaction.schema, to: models, configuration,
        behind: Set(transaction.schema.classes.map(\.name)))
      try change.check()
      try change.apply(to: transaction) {}
      try giveKeysBack(transaction)
      let removed = try removeDropped(transaction)
      try SchemaVersion.note(
        migrated: change.migrated.union(removed).union(models.map(\.name)), in: transaction)
    }
    if let failure { throw failure }
    // Nothing but this ends it.
    guard new.transaction != nil else {
      throw Realm.Error(.fail, "the write of the migration has ended before its block")
    }
  }

  /// Makes the primary keys of classes that the program has not named what they were.
  private func giveKeysBack(_ transaction: Transaction) throws {
    for (table, column) in releasedKeys.sorted(by: { $0.key < $1.key }) {
      guard let table = transaction.schema.table(id: table), table.primaryKey == nil,
        !dropped.contains(table.name), !models.contains(where: { $0.name == table.name }),
        let column = table.column(id: column)
      else { continue }
      try transaction.changePrimaryKey(of: table.name, to: column.name)
    }
  }

  /// Removes the classes that the block has given up, but for those that another class still links to,
  /// which have no objects.
  ///
  /// - Returns: Their names.
  private func removeDropped(_ transaction: Transaction) throws -> Set<String> {
    var removed = dropped
    var kept = transaction.schema.classes.filter { !dropped.contains($0.name) }
    while let next = kept.popLast() {
      for target in next.properties.compactMap(\.linkTarget) where removed.remove(target) != nil {
        kept += [transaction.schema[target]].compactMap { $0 }
      }
    }
    // They may lead to each other.
    for name in removed {
      for property in transaction.schema[name]?.properties ?? [] {
        guard let target = property.linkTarget, target != name else { continue }
        try transaction.removeProperty(property.name, of: name)
      }
    }
    for name in removed { try transaction.removeClass(name) }
    return removed
  }

  /// Lets all objects of the migration be of no use.
  func end() {
    for context in [old, new] {
      context.invalidate()
      context.migration = nil
    }
  }

  /// Ends the process when the block has ended.
  func check() {
    new.checkConfinement()
    guard new.transaction == nil else { return }
    Misuse.trap("a migration was used after its block; do all that it is for in the block")
  }

  // MARK: Classes

  var oldSchema: Schema {
    Schema(old.schema.visibleTables.map { ClassDescriptor($0, in: old.schema) })
  }

  var newSchema: Schema {
    let names = Set(models.map(\.name))
    let others = new.schema.visibleTables.filter { !names.contains($0.name) && !hasLeft($0.name) }
    return Schema(models + others.map { ClassDescriptor($0, in: new.schema) })
  }

  /// The program's class of a name, which the block has mentioned.
  ///
  /// One that the program has not named for the realm is brought to the new version now.
  private func model(_ name: String) -> ClassDescriptor? {
    if let model = models.first(where: { $0.name == name }) { return model }
    guard failure == nil, configuration.objectTypes == nil,
      let found = ClassDescriptor.onlyKnown(named: name)
    else { return nil }
    let added = ClassClosure.of([found]).filter { added in
      !models.contains { $0.name == added.name }
    }
    models += added
    working { try prepare(added, $0) }
    return found
  }

  /// Whether a class of the file is none of the new version.
  private func hasLeft(_ name: String) -> Bool {
    dropped.contains(name)
      || configuration.objectTypes != nil && !models.contains { $0.name == name }
  }

  /// The numbers of the columns of a class that are no properties of it.
  func hiddenColumns(of table: UInt32, in context: _RealmContext) -> Set<UInt32> {
    context === new ? hidden[table] ?? [] : []
  }

  /// The name in the file of a property of a class of the program that has another name in Swift.
  private func columnName(of name: String, in className: String) -> String? {
    let property = models.first { $0.name == className }?.property(name)
    return property.flatMap { $0.columnName == name ? nil : $0.columnName }
  }

  /// Ends the process for a property that an object does not have.
  func refuseProperty(_ name: String, of descriptor: ClassDescriptor, in context: _RealmContext) {
    if context === old {
      Misuse.trap(
        "the objects of class '\(descriptor.name)' had no property '\(name)' in the version of the "
          + "file; ask the version that the block is given, or objectSchema of the old object")
    }
    if context === new, let column = columnName(of: name, in: descriptor.name) {
      Misuse.trap(
        "a migration names properties as the file does: '\(name)' of class '\(descriptor.name)' is "
          + "'\(column)'")
    }
    guard context === new, descriptor.isDynamic,
      !models.contains(where: { $0.name == descriptor.name })
    else { return }
    Misuse.trap(
      "class '\(descriptor.name)' has no property '\(name)' in the migration, as the program has not "
        + "named it: name it in objectTypes, or with Realm.registerModels, and what is new in it is "
        + "there when the block runs")
  }

  /// The class with a name, which objects are made of.
  func newClass(named name: String) -> ClassDescriptor? {
    _ = model(name)
    guard !hasLeft(name), let table = new.schema.table(name), !table.isHidden
    else { return nil }
    return new.dynamicAccess(ofTable: table.id)?.descriptor
  }

  // MARK: Objects

  /// Whether a realm is the one that shows the old version of another one.
  func isOld(_ context: _RealmContext, of other: _RealmContext) -> Bool {
    context === old && other === new
  }

  /// The key that an object of the base version has now.
  private func presentKey(_ table: UInt32, _ key: ObjectKey) -> ObjectKey? {
    guard let former = formerKeys[table] else { return key }
    var (low, high) = (0, former.count)
    while low < high {
      let middle = (low + high) / 2
      if former[middle] < key { low = middle + 1 } else { high = middle }
    }
    guard low < former.count, former[low] == key else { return nil }
    return ObjectKey(rawValue: UInt64(low) + 1)
  }

  /// An old object as the new version has it; nil when it is not there any more.
  func present(_ row: _ManagedRow) -> _ManagedRow? {
    guard row.context === old, row.isUsable, let transaction = new.transaction,
      let access = new.dynamicAccess(ofTable: row.access.table.id),
      let key = presentKey(access.table.id, row.key),
      contains(access.table, key, transaction)
    else { return nil }
    return new.row(access.descriptor, key)
  }

  /// Calls a block with each object that the class had, in both its forms.
  func enumerate(_ name: String, _ body: MigrationObjectEnumerateBlock) {
    let model = model(name)
    guard failure == nil else { return }
    let table = old.schema.table(name)
    if let table, !table.isHidden { return enumerate(table, hasLeft: hasLeft(name), body) }
    guard model != nil, let table = new.schema.table(name), let transaction = new.transaction
    else { return }
    let hadOtherKeys = formerKeys[table.id] != nil
    for known in keys(of: table, transaction) where failure == nil {
      // The block may set the primary key of one of them, which gives all of them other keys.
      let moved = hadOtherKeys ? known : presentKey(table.id, known)
      guard let key = moved, contains(table, key, transaction) else { continue }
      body(nil, new.dynamicObject(ObjectLink(table: table.id, key: key.rawValue)))
    }
  }

  /// Whether there is an object; what cannot be read ends the migration.
  private func contains(
    _ table: TableSchema, _ key: ObjectKey, _ transaction: Transaction
  ) -> Bool {
    var isThere = false
    working { _ in isThere = try transaction.contains(table: table.id, key) }
    return isThere
  }

  private func enumerate(
    _ table: TableSchema, hasLeft: Bool, _ body: MigrationObjectEnumerateBlock
  ) {
    for key in keys(of: table, old.snapshot) where failure == nil {
      guard let before = old.dynamicObject(ObjectLink(table: table.id, key: key.rawValue)) else {
        return
      }
      if hasLeft {
        body(before, nil)
      } else if let now = before._row.flatMap(present)?.dynamicObject {
        // One that the block has deleted meanwhile is passed over.
        body(before, now)
      }
    }
  }

  private func keys(of table: TableSchema, _ source: some TreeSource) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    new.reading("the class '\(table.name)' cannot be enumerated", or: ()) {
      try source.table(table.name).forEach { keys.append($0.key) }
    }
    return keys
  }

  /// Deletes the objects of a class, and the class if the new version does not have it.
  ///
  /// - Returns: Whether the file has the class.
  func deleteData(_ name: String) -> Bool {
    _ = model(name)
    guard let table = new.schema.table(name), !table.isHidden, !dropped.contains(name) else {
      return false
    }
    working { transaction in
      for key in keys(of: table, transaction) {
        guard try transaction.contains(table: table.id, key) else { continue }
        try transaction.delete(name, key)
      }
    }
    new.counts.noteAny()
    if !models.contains(where: { $0.name == name }) { dropped.insert(name) }
    return true
  }

  // MARK: Properties

  /// Lets a property that is new be one that is gone, with its values.
  func rename(_ name: String, of className: String, to newName: String) {
    let model = model(className)
    guard failure == nil else { return }
    let what = "'\(className).\(name)' cannot be renamed to '\(newName)'"
    guard let table = old.schema.table(className) else {
      return refuse("\(what): the file has no class '\(className)'")
    }
    guard let before = table.column(name) else {
      return refuse("\(what): the file has no such property")
    }
    guard let table = new.schema.table(className), let column = table.column(id: before.id) else {
      return refuse("\(what): the class has a property '\(name)' of another type now")
    }
    guard column.name == before.name else {
      return refuse("\(what): it was renamed to '\(column.name)' before")
    }
    if let target = table.column(newName),
      old.schema.table(className)?.column(id: target.id) != nil
    {
      return refuse(
        "\(what): the file has values under that name, which would go; move them in the block")
    }
    let known = old.schema[className]?[name]
    let wanted = model?.schema[newName]
    if let model {
      if model.schema[name] != nil {
        return refuse("\(what): the class still has '\(name)'")
      }
      guard let wanted else {
        let column = columnName(of: newName, in: className)
        return refuse(
          column.map { "\(what): the file is to name that property '\($0)'" }
            ?? "\(what): the class has no property '\(newName)'")
      }
      guard let known, wanted.isOfType(of: known) else {
        return refuse("\(what): the two are of different types")
      }
    } else if table.column(newName) != nil {
      return refuse("\(what): the class has a property '\(newName)' already")
    }
    working { transaction in
      if table.column(newName) != nil {
        try transaction.removeProperty(newName, of: className)
      }
      try transaction.renameProperty(name, of: className, to: newName)
      if let wanted, let known, wanted.type != .link, wanted.isOptional != known.isOptional {
        if wanted.isOptional {
          try transaction.makeOptional(newName, of: className)
        } else {
          try transaction.makeRequired(newName, of: className)
        }
      }
      // What is deleted later in the block follows it.
      if let wanted, wanted.deletionRule != .nullify {
        try transaction.setDeletionRule(wanted.deletionRule, on: newName, of: className)
      }
      hidden[table.id]?.remove(column.id)
      new.counts.noteAny()
      new.adoptSchema()
      new.dynamicAccess(ofTable: table.id)?.hide(hidden[table.id] ?? [])
    }
  }

  /// Gives up the primary key of a class until the end of the block, so that it can be set.
  ///
  /// - Returns: The row of the object from now on; other rows of the class may be of no use.
  func releasePrimaryKey(of row: _ManagedRow) -> _ManagedRow {
    guard row.context === new, row.isUsable else { return row }
    let table = row.access.table
    var released = row
    working { transaction in
      try noteKeys(of: table, transaction)
      if let column = table.primaryKey { releasedKeys[table.id] = column.id }
      try transaction.changePrimaryKey(of: table.name, to: nil)
      let key =
        table.isKeyedByPrimaryKey ? presentKey(table.id, row.key) ?? row.key : row.key
      if table.isKeyedByPrimaryKey { new.classes.retireDynamic(ofTable: table.id) }
      new.counts.noteAny()
      new.adoptSchema()
      if let access = new.dynamicAccess(ofTable: table.id) {
        released = new.row(access.descriptor, key)
      }
    }
    return released
  }
}
