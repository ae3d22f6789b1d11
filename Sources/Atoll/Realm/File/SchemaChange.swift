internal import AtollObjects

/// What the classes of a file lack of the model classes, and where the two contradict each other.
struct SchemaChange {
  private var newClasses: [ClassSchema] = []
  private var newProperties: [(className: String, property: PropertySchema)] = []
  /// The classes of new properties with a default that the objects of the file get.
  private var newDefaults: [(owner: ClassDescriptor, property: PropertyDescriptor)] = []
  private var newIndexes: [(className: String, property: String)] = []
  private var newFullTextIndexes: [(className: String, property: String)] = []
  private var oldFullTextIndexes: [(className: String, property: String)] = []
  /// Of several properties, or unique.
  private var newJointIndexes: [(className: String, index: IndexSchema)] = []
  private var newRules: [(className: String, property: String, rule: DeletionRule)] = []
  /// Whether a property may lose its rule without a higher version, which a synced realm never has.
  private let losesRules: Bool
  private var nowOptional: [(className: String, property: String)] = []
  private var nowSynced: [String] = []
  // What only a class that is behind the schema version goes through, as data goes with it.
  private var oldProperties: [(className: String, property: String)] = []
  private var nowRequired: [(className: String, property: String)] = []
  private var oldIndexes: [(className: String, property: String)] = []
  private var oldJointIndexes: [(className: String, index: IndexSchema)] = []
  /// The classes whose primary key is taken away before the other changes, and given after them.
  private var newPrimaryKeys: [(className: String, property: String?)] = []
  private var newEmbedding: [(className: String, isEmbedded: Bool)] = []
  /// The types in the file of properties that are of another type now.
  private var formerTypes: [Place: String] = [:]
  /// Those of the classes that were behind, and are not any more.
  private(set) var migrated: Set<String> = []
  /// What cannot be changed in place, in sentences.
  private(set) var problems: [String] = []

  private struct Place: Hashable {
    let className: String
    let property: String

    init(_ className: String, _ property: String) {
      self.className = className
      self.property = property
    }
  }

  /// The change for a realm that is opened with a configuration.
  ///
  /// `behind`: the classes in the file that are of an older schema version.
  init(
    from schema: AtollObjects.Schema, to classes: [ClassDescriptor],
    _ configuration: Realm.Configuration, behind: Set<String>
  ) {
    // Changes of the classes are recorded for a server then.
    let isSynced = configuration.syncConfiguration != nil
    losesRules = isSynced
    var owners: [String: ClassDescriptor] = [:]
    for descriptor in classes {
      problems += descriptor.problems + descriptor.problemsOfRules
      if isSynced, !descriptor.isEmbedded, descriptor.primaryKey == nil {
        problems.append(
          "class '\(descriptor.name)' has no primary key, by which the server and other devices "
            + "know its objects; add '@Persisted(primaryKey: true) var _id: ObjectId'")
      }
      if !isSynced, descriptor.isAsymmetric {
        problems.append(
          "the objects of the asymmetric class '\(descriptor.name)' go to a server, and this realm "
            + "has none; open it with user.flexibleSyncConfiguration()")
      }
      if let other = owners.updateValue(descriptor, forKey: descriptor.name) {
        problems.append(
          "the classes \(String(reflecting: other.type)) and "
            + "\(String(reflecting: descriptor.type)) have one name, '\(descriptor.name)'; give "
            + "one of them another with _realmObjectName()"
        )
        continue
      }
      var wanted = descriptor.schema
      if !configuration.hasPrimaryKeys { wanted.primaryKey = nil }
      guard let known = schema[descriptor.name] else {
        wanted.isSynced = isSynced
        newClasses.append(wanted)
        continue
      }
      if isSynced, !known.isSynced { nowSynced.append(known.name) }
      if behind.contains(known.name) {
        migrate(known, to: wanted)
      } else {
        compare(wanted, with: known)
      }
      // In a synced realm they stay as the server has them.
      if !isSynced { noteDefaults(of: descriptor, in: known) }
    }
    for descriptor in classes { checkOrigins(of: descriptor) }
  }

  var isEmpty: Bool {
    newClasses.isEmpty && newProperties.isEmpty && newIndexes.isEmpty
      && newFullTextIndexes.isEmpty && oldFullTextIndexes.isEmpty && nowOptional.isEmpty
      && nowSynced.isEmpty && migrated.isEmpty && newJointIndexes.isEmpty
      && newRules.isEmpty
  }

  /// Whether the file can be read as if the change was made; `isOfNewClass`: as far as no object is
  /// read.
  func isPresumable(isOfNewClass: Bool) -> Bool {
    nowOptional.isEmpty && newFullTextIndexes.isEmpty && migrated.isEmpty
      && (isOfNewClass || newDefaults.isEmpty)
  }

  /// The schema of a version with the classes and properties that are new.
  func presumedSchema(of snapshot: Snapshot) throws -> AtollObjects.Schema {
    try snapshot.presumedSchema(adding: newClasses, newProperties)
  }

  private mutating func compare(_ wanted: ClassSchema, with known: ClassSchema) {
    if wanted.primaryKey != known.primaryKey {
      problems.append(
        "the primary key of class '\(known.name)' is \(Self.text(known.primaryKey)) in the file "
          + "and \(Self.text(wanted.primaryKey)) in the code")
    }
    if wanted.isEmbedded != known.isEmbedded {
      problems.append(
        "class '\(known.name)' is \(known.isEmbedded ? "" : "not ")embedded in the file and "
          + "\(wanted.isEmbedded ? "" : "not ")in the code")
    }
    if wanted.isAsymmetric != known.isAsymmetric {
      problems.append(
        "class '\(known.name)' is \(known.isAsymmetric ? "" : "not ")asymmetric in the file and "
          + "\(wanted.isAsymmetric ? "" : "not ")in the code")
    }
    for property in wanted.properties {
      guard let old = known[property.name] else {
        newProperties.append((known.name, property))
        continue
      }
      compare(property, with: old, of: known)
    }
    for index in wanted.indexes {
      // A unique index answers what one that is not does.
      let isThere = known.indexes.contains {
        $0.hasSameProperties(as: index) && ($0.isUnique || !index.isUnique)
      }
      if !isThere { newJointIndexes.append((known.name, index)) }
    }
  }

  /// What brings a class that is behind to the code's: without a block, what the file has of a property
  /// that is gone, or is of another type now, goes.
  private mutating func migrate(_ known: ClassSchema, to wanted: ClassSchema) {
    migrated.insert(known.name)
    if wanted.isAsymmetric != known.isAsymmetric { return compare(wanted, with: known) }
    var hasNewKey = wanted.primaryKey != known.primaryKey
    if wanted.isEmbedded != known.isEmbedded {
      newEmbedding.append((known.name, wanted.isEmbedded))
    }
    for property in wanted.properties {
      guard let old = known[property.name] else {
        newProperties.append((known.name, property))
        continue
      }
      let isKey = known.primaryKey == old.name
      guard property.isOfType(of: old) else {
        oldProperties.append((known.name, old.name))
        newProperties.append((known.name, property))
        formerTypes[Place(known.name, old.name)] = Self.text(old)
        hasNewKey = hasNewKey || isKey
        continue
      }
      if property.isOptional != old.isOptional, property.type != .link, property.type != .mixed {
        if property.isOptional {
          nowOptional.append((known.name, old.name))
        } else {
          nowRequired.append((known.name, old.name))
        }
        hasNewKey = hasNewKey || isKey
      }
      compareIndexes(property, with: old, of: known)
      if property.deletionRule != old.deletionRule {
        newRules.append((known.name, old.name, property.deletionRule))
      }
      if old.isIndexed, !property.isIndexed, wanted.primaryKey != old.name {
        oldIndexes.append((known.name, old.name))
      }
    }
    for old in known.properties where wanted[old.name] == nil {
      oldProperties.append((known.name, old.name))
    }
    migrateIndexes(of: known, to: wanted)
    if hasNewKey { newPrimaryKeys.append((known.name, wanted.primaryKey)) }
  }

  private mutating func migrateIndexes(of known: ClassSchema, to wanted: ClassSchema) {
    var kept = known
    // Those with a property that goes go with it.
    kept.indexes.removeAll { index in
      oldProperties.contains { old in
        old.className == known.name && index.properties.contains(old.property)
      }
    }
    for index in wanted.indexes where !kept.has(index) {
      newJointIndexes.append((known.name, index))
    }
    for index in kept.indexes where !wanted.has(index) {
      oldJointIndexes.append((known.name, index))
    }
  }

  private mutating func noteDefaults(of descriptor: ClassDescriptor, in known: ClassSchema) {
    for property in descriptor.plainProperties
    where property.hasDefault
      && newProperties.contains(where: {
        $0.className == known.name && $0.property.name == property.columnName
      })
    {
      newDefaults.append((descriptor, property))
    }
  }

  private static func text(_ name: String?) -> String { name.map { "'\($0)'" } ?? "none" }

  private mutating func compare(
    _ wanted: PropertySchema, with known: PropertySchema, of owner: ClassSchema
  ) {
    let name = "\(owner.name).\(known.name)"
    if !wanted.isOfType(of: known) {
      problems.append(
        "\(name) is of type \(Self.text(known)) in the file and \(Self.text(wanted)) in the code")
      return
    }
    if wanted.isOptional, !known.isOptional, wanted.type != .link {
      if owner.primaryKey == known.name {
        problems.append("the primary key \(name) is required in the file and optional in the code")
      } else {
        nowOptional.append((owner.name, known.name))
      }
    } else if !wanted.isOptional, known.isOptional, wanted.type != .link {
      problems.append("\(name) is optional in the file and required in the code")
    }
    compareIndexes(wanted, with: known, of: owner)
    if wanted.deletionRule != known.deletionRule, losesRules || wanted.deletionRule != .nullify {
      newRules.append((owner.name, known.name, wanted.deletionRule))
    }
  }

  private mutating func compareIndexes(
    _ wanted: PropertySchema, with known: PropertySchema, of owner: ClassSchema
  ) {
    if wanted.isIndexed, !known.isIndexed, owner.primaryKey != known.name {
      newIndexes.append((owner.name, known.name))
    }
    if wanted.isFullTextIndexed, !known.isFullTextIndexed {
      newFullTextIndexes.append((owner.name, known.name))
    }
    if !wanted.isFullTextIndexed, known.isFullTextIndexed {
      oldFullTextIndexes.append((owner.name, known.name))
    }
  }

  private static func text(_ property: PropertySchema) -> String {
    let element = property.linkTarget.map { "link to '\($0)'" } ?? property.type.queryName
    return switch property.collection {
    case .none: element
    case .list: "list of \(element)"
    case .set: "set of \(element)"
    case .map: "map of \(element)"
    }
  }

  private mutating func checkOrigins(of descriptor: ClassDescriptor) {
    for property in descriptor.properties where property.isComputed {
      guard let target = property.target else { continue }
      let origin = property.originName.flatMap { ClassDescriptor.of(target).property($0) }
      guard let origin, !origin.isComputed,
        origin.target == descriptor.type || origin.form.stored.type == .mixed
      else {
        problems.append(
          "\(descriptor.name).\(property.name) follows '\(property.originName ?? "")' of class "
            + "'\(target.className())' backwards, which is no link to '\(descriptor.name)'")
        continue
      }
    }
  }

  /// Refuses what cannot be changed in place.
  ///
  /// - Throws: `schemaMismatch` with every problem.
  func check() throws {
    guard problems.isEmpty else {
      throw Realm.Error(
        .schemaMismatch,
        "the model classes do not fit the file:" + problems.map { "\n- \($0)" }.joined()
          + "\nA higher schemaVersion lets a realm without sync change the file")
    }
  }

  // MARK: With a block

  /// The classes whose objects may get other keys when the change begins.
  var withOtherKeys: [String] { newPrimaryKeys.map(\.className) }

  /// The properties that are gone, and that a block may still give another name.
  var leavingProperties: [(className: String, property: String)] {
    oldProperties.filter { !isReplaced($0) }
  }

  /// Whether a property gives way to one of its name, of another type.
  private func isReplaced(_ old: (className: String, property: String)) -> Bool {
    newProperties.contains { $0.className == old.className && $0.property.name == old.property }
  }

  /// Makes the part of the change that a migration block is to find: what is gone, and what asks
  /// something of all objects, is left for what there is to change after it.
  func prepare(_ transaction: Transaction) throws {
    if !newClasses.isEmpty { try transaction.addClasses(newClasses) }
    for (className, _) in newPrimaryKeys {
      try transaction.changePrimaryKey(of: className, to: nil)
    }
    for (className, isEmbedded) in newEmbedding where !isEmbedded {
      try transaction.setEmbedded(className, false)
    }
    for old in oldProperties where isReplaced(old) {
      try transaction.removeProperty(old.property, of: old.className)
    }
    for (className, property) in newProperties where !hasDefault(className, property) {
      try transaction.addProperty(property.withoutIndexes, to: className)
    }
    for (owner, property) in newDefaults { try add(property, of: owner, to: transaction) }
    for (className, property) in nowOptional {
      try transaction.makeOptional(property, of: className)
    }
    for (className, property) in nowRequired {
      try transaction.makeRequired(property, of: className)
    }
    for old in leavingProperties {
      try transaction.setDeletionRule(.nullify, on: old.property, of: old.className)
    }
    try setRules(transaction)
  }

  private func setRules(_ transaction: Transaction) throws {
    for (className, property, rule) in newRules {
      try transaction.setDeletionRule(rule, on: property, of: className)
    }
  }

  /// What the change does, in words.
  var described: [MigrationPlan.Change] {
    var changes = newClasses.map { MigrationPlan.Change.addClass($0.name) }
    for (className, property) in newProperties {
      let type = Self.text(property)
      if let old = formerTypes[Place(className, property.name)] {
        changes.append(.changeType(of: property.name, inClass: className, from: old, to: type))
      } else {
        changes.append(.addProperty(property.name, toClass: className, type: type))
      }
    }
    for old in leavingProperties {
      changes.append(.removeProperty(old.property, fromClass: old.className))
    }
    changes += nowOptional.map { .makeOptional($0.property, inClass: $0.className) }
    changes += nowRequired.map { .makeRequired($0.property, inClass: $0.className) }
    changes += newPrimaryKeys.map { .changePrimaryKey(ofClass: $0.className, to: $0.property) }
    changes += newEmbedding.map { .setEmbedded($0.className, $0.isEmbedded) }
    changes += newIndexes.map { .addIndex(on: $0.property, inClass: $0.className) }
    changes += oldIndexes.map { .removeIndex(on: $0.property, inClass: $0.className) }
    changes += newFullTextIndexes.map { .addFullTextIndex(on: $0.property, inClass: $0.className) }
    changes += oldFullTextIndexes.map {
      .removeFullTextIndex(on: $0.property, inClass: $0.className)
    }
    changes += newRules.map {
      .setDeleteRule(DeleteRule.Kind($0.rule), on: $0.property, inClass: $0.className)
    }
    changes += newJointIndexes.map { className, index in
      .addJointIndex(on: index.properties, inClass: className, isUnique: index.isUnique)
    }
    changes += oldJointIndexes.map { className, index in
      .removeJointIndex(on: index.properties, inClass: className, isUnique: index.isUnique)
    }
    return changes
  }

  // MARK: At once

  /// Makes the change, and then what goes with it; when anything fails, nothing of it was made.
  func apply(to transaction: Transaction, then complete: () throws -> Void) throws {
    try transaction.changeSchema {
      try apply(to: transaction)
      try complete()
    }
  }

  /// Applies last what an open transaction cannot undo, except removals that later steps need.
  private func apply(to transaction: Transaction) throws {
    if !newClasses.isEmpty { try transaction.addClasses(newClasses) }
    for (className, _) in newPrimaryKeys {
      try transaction.changePrimaryKey(of: className, to: nil)
    }
    // First: the objects stay when what owned them goes.
    for (className, isEmbedded) in newEmbedding where !isEmbedded {
      try transaction.setEmbedded(className, false)
    }
    for (className, property) in oldProperties {
      try transaction.removeProperty(property, of: className)
    }
    for (className, property) in newProperties where !hasDefault(className, property) {
      try transaction.addProperty(property, to: className)
    }
    for className in nowSynced { try transaction.markSynced(className) }
    try setRules(transaction)
    for (className, property) in newIndexes {
      try Self.addingIndex { () throws(ObjectError) in
        try transaction.addIndex(on: property, of: className)
      }
    }
    for (className, property) in newFullTextIndexes {
      try transaction.addFullTextIndex(on: property, of: className)
    }
    for (owner, property) in newDefaults {
      try add(property, of: owner, to: transaction)
      let (name, schema) = (property.columnName, property.schema)
      if schema.isIndexed { try transaction.addIndex(on: name, of: owner.name) }
      if schema.isFullTextIndexed { try transaction.addFullTextIndex(on: name, of: owner.name) }
    }
    for (className, property) in nowOptional {
      try transaction.makeOptional(property, of: className)
    }
    for (className, property) in nowRequired {
      try transaction.makeRequired(property, of: className)
    }
    for (className, property) in oldFullTextIndexes {
      try transaction.removeFullTextIndex(on: property, of: className)
    }
    for (className, property) in newPrimaryKeys {
      try transaction.changePrimaryKey(of: className, to: property)
    }
    for (className, index) in newJointIndexes {
      try Self.addingIndex { () throws(ObjectError) in
        try transaction.addIndex(index, of: className)
      }
    }
    for (className, index) in oldJointIndexes {
      try transaction.removeIndex(index, of: className)
    }
    for (className, isEmbedded) in newEmbedding where isEmbedded {
      try transaction.setEmbedded(className, true)
    }
    for (className, property) in oldIndexes {
      try transaction.removeIndex(on: property, of: className)
    }
  }

  private func hasDefault(_ className: String, _ property: PropertySchema) -> Bool {
    newDefaults.contains {
      $0.owner.name == className && $0.property.columnName == property.name
    }
  }

  /// Adds a property without its indexes, in which each object gets what a new one has.
  private func add(
    _ property: PropertyDescriptor, of owner: ClassDescriptor, to transaction: Transaction
  ) throws {
    try transaction.addProperty(
      property.schema.withoutIndexes, to: owner.name,
      filledWith: {
        // Made for each object: each has a UUID of its own.
        property.storage.storedValue(of: owner.type.init(), nil)
      })
  }
}

extension ClassSchema {
  /// Whether the class has an index of these properties that is unique or not.
  fileprivate func has(_ index: IndexSchema) -> Bool {
    indexes.contains { $0.isUnique == index.isUnique && $0.hasSameProperties(as: index) }
  }
}

extension PropertySchema {
  /// The same, with no index.
  fileprivate var withoutIndexes: PropertySchema {
    var schema = self
    schema.isIndexed = false
    schema.isFullTextIndexed = false
    return schema
  }

  /// Whether values of one fit the other, but for null.
  func isOfType(of other: PropertySchema) -> Bool {
    type == other.type && collection == other.collection && linkTarget == other.linkTarget
  }
}
