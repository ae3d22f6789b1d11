internal import AtollObjects

// The classes of a realm. To read a class that the file does not have, or not with all of its
// properties, writes nothing and waits for no writer: what is missing has nothing in it. A write
// adds it, at the first use of the class in it.

extension _RealmContext {
  // MARK: One class

  /// Ends the process for a class that the realm does not have, and of which it shows an object.
  func refuseClass(_ descriptor: ClassDescriptor) {
    refuse(
      "the realm has no class '\(descriptor.name)', and it is added only in a write of a realm "
        + "that is neither frozen nor read-only")
  }

  /// A class of the program or of the file in this realm: as `readAccess`.
  func access(_ descriptor: ClassDescriptor) -> ClassAccess? {
    if let table = descriptor.table { return dynamicAccess(ofTable: table.id) }
    return readAccess(descriptor.type)
  }

  /// A class as the file has it, whatever the program has for it; nil where the version that is read
  /// does not have it.
  func dynamicAccess(ofTable id: UInt32) -> ClassAccess? {
    if isFrozen { return classes.shared.dynamicAccess(ofTable: id) { newDynamicAccess(id) } }
    checkConfinement()
    if let known = classes.dynamicAccess(ofTable: id) { return known }
    guard let access = newDynamicAccess(id) else { return nil }
    classes.keep(dynamic: access)
    return access
  }

  private func newDynamicAccess(_ id: UInt32) -> ClassAccess? {
    let schema = schema
    return schema.table(id: id).map { table in
      let hidden = migration?.hiddenColumns(of: id, in: self) ?? []
      return ClassAccess(ClassDescriptor(table, in: schema, hiding: hidden), table, in: schema)
    }
  }

  /// The class in this realm; nil while the file does not have it, so that there are no objects.
  ///
  /// In a write it is added.
  func readAccess(_ type: ObjectBase.Type) -> ClassAccess? {
    if let last = classes.last, last.descriptor.type == type, last.isComplete || transaction == nil
    {
      return last
    }
    if isFrozen { return classes.shared.access(type) { newAccess(ClassDescriptor.of(type)) } }
    if let access = classes[type], access.isComplete || transaction == nil {
      classes.last = access
      return access
    }
    let access = newAccess(ClassDescriptor.of(type))
    classes.keep(access, of: type)
    return access
  }

  private func newAccess(_ descriptor: ClassDescriptor) -> ClassAccess? {
    checkConfinement()
    if migration != nil {
      Misuse.trap(
        "objects of the type \(descriptor.type) were asked for in a migration: it has dynamic ones, "
          + "as migration.enumerateObjects and realm.dynamicObjects give them")
    }
    checkIsAmongTypes(descriptor)
    let isComplete =
      if transaction == nil {
        lack(of: descriptor).map { $0.presumed == nil } ?? false
      } else {
        require(descriptor)
      }
    guard let table = schema.table(descriptor.name) else { return nil }
    // Objects have the access that there is.
    let found = classes[descriptor.type] ?? ClassAccess(descriptor, table, in: schema)
    found.isComplete = isComplete
    return found
  }

  /// Sees to it that the file has a class now.
  func require(_ type: ObjectBase.Type) {
    let descriptor = ClassDescriptor.of(type)
    checkConfinement()
    checkIsAmongTypes(descriptor)
    require(descriptor)
  }

  /// - Returns: Whether the file has it.
  @discardableResult
  private func require(_ descriptor: ClassDescriptor) -> Bool {
    if transaction != nil, hasHalfDoneChange { return false }
    let isThere: Void? = changing("the class '\(descriptor.name)' cannot be used") {
      try requireClasses([descriptor])
    }
    return isThere != nil
  }

  // MARK: What the file lacks

  /// What queries of a class are asked of: the version that is read, with all that the class and
  /// those that it leads to declare.
  func source(of descriptor: ClassDescriptor) -> any TreeSource {
    let access = access(descriptor)
    if let transaction { return transaction }
    if descriptor.isDynamic { return snapshot }
    if let access, access.isComplete { return snapshot }
    guard let lack = lack(of: descriptor) else { return snapshot }
    guard let presumed = lack.presumed else {
      if !isFrozen { access?.isComplete = true }
      return snapshot
    }
    return PresumedVersion(snapshot, schema: presumed)
  }

  /// What the version that is read lacks of a class and those that it leads to; nil when the file
  /// fails.
  ///
  /// What cannot be presumed is added to the file, and waits for other writers; so are the classes
  /// of a realm that holds everything, which comes only for classes that the file has.
  private func lack(of descriptor: ClassDescriptor) -> ClassLack? {
    if isFrozen {
      // To find out what a frozen version lacks reads nothing.
      return classes.shared.lack(of: descriptor.type) {
        newLack(of: descriptor) ?? ClassLack(descriptor, snapshot.schema, presumed: nil)
      }
    }
    if let lack = classes.lack(of: descriptor.type, in: snapshot.schema) { return lack }
    guard let lack = newLack(of: descriptor) else { return nil }
    classes.keep(lack)
    return lack
  }

  private func newLack(of descriptor: ClassDescriptor) -> ClassLack? {
    reading("the class '\(descriptor.name)' cannot be used", or: nil) {
      let change = SchemaChange(
        from: snapshot.schema, to: ClassClosure.of([descriptor]), configuration,
        behind: isFrozen ? [] : try SchemaVersion.behind(in: snapshot, configuration))
      if change.isEmpty, change.problems.isEmpty {
        return ClassLack(descriptor, snapshot.schema, presumed: nil)
      }
      // What does not fit is no matter where nothing is ever added.
      if isFrozen || configuration.readOnly {
        return ClassLack(
          descriptor, snapshot.schema, presumed: try? change.presumedSchema(of: snapshot))
      }
      try change.check()
      let isNew = snapshot.schema.table(descriptor.name) == nil
      if !change.isPresumable(isOfNewClass: isNew) || configuration.impliesSubscriptions {
        try requireClasses([descriptor])
        return ClassLack(descriptor, snapshot.schema, presumed: nil)
      }
      return ClassLack(
        descriptor, snapshot.schema, presumed: try change.presumedSchema(of: snapshot))
    }
  }

  // MARK: All classes

  /// Takes over the classes of the version that is read now; those that are not in it are
  /// forgotten.
  func adoptSchema() { classes.adopt(schema) }

  /// The classes that the realm was opened with, and those that were used since, with all that
  /// their links lead to.
  var knownClasses: [ClassDescriptor] {
    let opened = configuration.objectTypes ?? RegisteredModels.all
    return ClassClosure.of(opened.map { ClassDescriptor.of($0) } + classes.descriptors)
  }

  /// The class with a name: one of this realm's; where any class is admitted, else one of the
  /// program's.
  ///
  /// A program may have several of one name, in different modules.
  func descriptor(named name: String) -> ClassDescriptor? {
    if let known = knownClasses.first(where: { $0.name == name }) { return known }
    return configuration.objectTypes == nil ? ClassDescriptor.known(named: name) : nil
  }

  /// The class of the objects of a table; nil where the program has none for it.
  func modelClass(ofTable table: UInt32) -> ObjectBase.Type? {
    if let type = classes.type(ofTable: table) { return type }
    return schema.table(id: table).flatMap { descriptor(named: $0.name) }?.type
  }

  /// Takes in the classes of another opening at this place; nil: any class.
  func admit(_ types: [ObjectBase.Type]?) {
    guard let known = configuration.objectTypes else { return }
    guard let types else {
      admitTypes(nil)
      return
    }
    let new = types.filter { type in !known.contains { $0 == type } }
    if !new.isEmpty { admitTypes(known + new) }
  }

  /// Ends the process for a class that the configuration does not name.
  private func checkIsAmongTypes(_ descriptor: ClassDescriptor) {
    if let types = configuration.objectTypes,
      !knownClasses.contains(where: { $0 === descriptor })
    {
      let names = types.map { $0.className() }.joined(separator: ", ")
      Misuse.trap(
        "the class '\(descriptor.name)' is not among the objectTypes of the realm's configuration "
          + "(\(names))")
    }
  }
}
