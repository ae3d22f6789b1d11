internal import AtollObjects
public import Foundation

/// The version of the classes that a file was last opened with, kept beside its objects.
enum SchemaVersion {
  private static let treeName = "realm"
  private static let key = Array("schemaVersion".utf8)

  /// The version in a file; nil when it was never opened by this layer.
  static func stored(in snapshot: Snapshot) throws -> UInt64? {
    try number(snapshot.namedTree(treeName)?.get(key))
  }

  /// Refuses to run a block where no block can be run.
  ///
  /// - Throws: `schemaMismatch`, where one would have to run; nothing was changed.
  static func checkMigration(_ configuration: Realm.Configuration, _ snapshot: Snapshot) throws {
    guard let reason = configuration.reasonForNoBlock, try needsBlock(configuration, snapshot)
    else {
      return
    }
    throw Realm.Error(
      .schemaMismatch,
      "the file has schema version \(try stored(in: snapshot) ?? 0), the configuration has "
        + "\(configuration.schemaVersion) and a migrationBlock, which is not run: \(reason)",
      fileURL: configuration.fileURL)
  }

  /// Whether the file has data of an older version, which a block is to move.
  static func needsBlock(
    _ configuration: Realm.Configuration, _ snapshot: Snapshot
  ) throws -> Bool {
    try configuration.migrationBlock != nil && !snapshot.schema.classes.isEmpty
      && stored(in: snapshot) ?? 0 < configuration.schemaVersion
  }

  /// Brings a file to the classes and the version of the code.
  ///
  /// A higher version than the file's lets the classes of a realm without sync lose and change
  /// properties. Those that the program has not named are brought to it at their first use.
  ///
  /// - Throws: `schemaMismatch` when the classes do not fit, `invalidInput` when the file's version
  ///   is higher; nothing is changed then.
  static func raise(_ context: _RealmContext, _ descriptors: [ClassDescriptor]) throws {
    let configuration = context.configuration
    let wanted = configuration.schemaVersion
    let stored = try stored(in: context.snapshot)
    if let stored, stored > wanted { throw isHigher(stored, configuration) }
    guard stored != wanted, !configuration.readOnly, stored != nil || wanted > 0 else {
      return try context.requireClasses(descriptors)
    }
    try checkAlone(context, from: stored ?? 0)
    if let block = configuration.migrationBlock, try needsBlock(configuration, context.snapshot) {
      try context.migrate(block, descriptors)
    } else {
      var isFilled = false
      try context.file.database.write { transaction in
        // Another process may have put its first objects into the file while this one waited.
        isFilled = configuration.migrationBlock != nil && !transaction.schema.classes.isEmpty
        guard try !isFilled && begin(transaction, configuration) != nil else { return }
        try context.requireClasses(descriptors, in: transaction)
      }
      if isFilled {
        context.pin(try context.file.database.snapshot())
        try checkMigration(configuration, context.snapshot)
        return try raise(context, descriptors)
      }
    }
    context.pin(try context.file.database.snapshot())
    try context.requireClasses(descriptors)
    Logger.note(
      .info, "\(context.file.identity) went from schema version \(stored ?? 0) to \(wanted)")
  }

  /// Gives the file the version of the configuration.
  ///
  /// - Returns: The version that it had; nil where another process has been faster.
  /// - Throws: `invalidInput` when the file's version is higher.
  static func begin(
    _ transaction: Transaction, _ configuration: Realm.Configuration
  ) throws -> UInt64? {
    let wanted = configuration.schemaVersion
    let tree = try transaction.namedTree(treeName)
    let newest = try number(tree.get(key)) ?? 0
    guard newest <= wanted else { throw isHigher(newest, configuration) }
    guard newest < wanted else { return nil }
    // First, as it tells by whom classes are brought to it.
    try tree.set(Array("\(wanted)".utf8), for: key)
    if configuration.mayMigrate {
      let names = transaction.schema.classes.map(\.name)
      try tree.set(names.isEmpty ? nil : list(Set(names)), for: behindKey)
    }
    return newest
  }

  /// Refuses to bring a file to another version while it is open here in an older one, or is being
  /// written by this thread, which would wait for itself.
  private static func checkAlone(_ context: _RealmContext, from stored: UInt64) throws {
    let configuration = context.configuration
    let change = "the file is to go from schema version \(stored) to \(configuration.schemaVersion)"
    if context.file.isWrittenHere {
      throw Realm.Error(
        .alreadyOpen, "\(change), and this thread has a write of it open, or migrates it",
        fileURL: configuration.fileURL)
    }
    guard !context.snapshot.schema.classes.isEmpty,
      let older = OpenRealms.oldestVersion(of: context.file), older < configuration.schemaVersion
    else { return }
    throw Realm.Error(
      .alreadyOpen,
      "\(change), and this process has a realm of it open with version \(older): let go of that one "
        + "first",
      fileURL: configuration.fileURL)
  }

  /// Refuses to change the classes of a file that a newer program has brought to its version.
  ///
  /// - Throws: `invalidInput`.
  static func checkIsNotHigher(
    _ transaction: Transaction, _ configuration: Realm.Configuration
  ) throws {
    guard let stored = try number(transaction.namedTree(treeName).get(key)),
      stored > configuration.schemaVersion
    else { return }
    throw isHigher(stored, configuration)
  }

  // MARK: Of a realm that is open

  /// The version up to which a migration block has moved the data of a file.
  private static let movedKey = Array("movedVersion".utf8)

  /// Takes note that a block has moved the data.
  static func noteMoved(_ transaction: Transaction, _ configuration: Realm.Configuration) throws {
    try transaction.namedTree(treeName)
      .set(Array("\(configuration.schemaVersion)".utf8), for: movedKey)
  }

  /// Whether a realm that is open can go on with another version of its file.
  ///
  /// Not after a migration to a version that its program does not know, which has moved the data, or
  /// taken something away.
  static func mayGoOn(
    from schema: AtollObjects.Schema?, to newest: Snapshot, _ configuration: Realm.Configuration
  ) throws -> Bool {
    guard let tree = newest.namedTree(treeName), let stored = try number(tree.get(key)),
      stored > configuration.schemaVersion
    else { return true }
    if let moved = try number(tree.get(movedKey)), moved > configuration.schemaVersion {
      return false
    }
    guard let schema, schema !== newest.schema else { return true }
    return schema.visibleTables.allSatisfy { newest.schema.keeps($0) }
  }

  static func isHigher(
    _ stored: UInt64, _ configuration: Realm.Configuration
  ) -> Realm.Error {
    Realm.Error(
      configuration.deleteRealmIfMigrationNeeded ? .schemaMismatch : .invalidInput,
      "the file's schema version is \(stored) and the configuration's is "
        + "\(configuration.schemaVersion), which is lower",
      fileURL: configuration.fileURL)
  }

  // MARK: Classes that are behind

  /// The names of classes whose properties are still those of an older version, in bytes that
  /// separate them.
  private static let behindKey = Array("behind".utf8)

  /// The classes that a realm of this configuration may bring to the newest version: one of an older
  /// version may not, nor one that never migrates.
  static func behind(
    in snapshot: Snapshot, _ configuration: Realm.Configuration
  ) throws -> Set<String> {
    guard configuration.mayMigrate, !configuration.readOnly,
      let tree = snapshot.namedTree(treeName),
      try number(tree.get(key)) == configuration.schemaVersion
    else { return [] }
    return try names(tree.get(behindKey))
  }

  static func behind(
    in transaction: Transaction, _ configuration: Realm.Configuration
  ) throws -> Set<String> {
    let tree = try transaction.namedTree(treeName)
    guard configuration.mayMigrate, try number(tree.get(key)) == configuration.schemaVersion else {
      return []
    }
    return try names(tree.get(behindKey))
  }

  /// Takes note of classes that are of the newest version.
  static func note(migrated classes: Set<String>, in transaction: Transaction) throws {
    guard !classes.isEmpty else { return }
    let tree = try transaction.namedTree(treeName)
    let left = try names(tree.get(behindKey)).subtracting(classes)
    try tree.set(left.isEmpty ? nil : list(left), for: behindKey)
  }

  private static func number(_ bytes: [UInt8]?) -> UInt64? {
    bytes.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
  }

  /// No name has the byte 0xFF, as none is in UTF-8.
  private static func list(_ names: Set<String>) -> [UInt8] {
    Array(names.sorted().map { Array($0.utf8) }.joined(separator: [0xFF]))
  }

  private static func names(_ bytes: [UInt8]?) -> Set<String> {
    Set((bytes ?? []).split(separator: 0xFF).map { String(decoding: $0, as: UTF8.self) })
  }
}

extension AtollObjects.Schema {
  /// Whether all of a class of another version is there as it was; there may be more.
  fileprivate func keeps(_ table: TableSchema) -> Bool {
    guard let same = self.table(id: table.id), same.name == table.name,
      same.hasSameKeys(as: table)
    else { return false }
    return table.columns.allSatisfy { column in
      guard let kept = same.column(id: column.id), kept.name == column.name else { return false }
      var layout = kept.layout
      layout.isOptional = column.layout.isOptional
      return layout == column.layout
    }
  }
}

extension Realm.Configuration {
  /// Whether a higher version lets classes lose what they have: a server has it too, and a file that
  /// is to be deleted then is none that is changed.
  var mayMigrate: Bool { syncConfiguration == nil && !deleteRealmIfMigrationNeeded }

  /// Why a migration block of this configuration is never run; nil where it is.
  var reasonForNoBlock: String? {
    if syncConfiguration != nil {
      return "the classes of a synced realm only get classes and properties, for which no block is "
        + "needed, as the server and other devices have their data too"
    }
    if deleteRealmIfMigrationNeeded {
      return "with deleteRealmIfMigrationNeeded the file is deleted"
    }
    return readOnly ? "the realm is read-only" : nil
  }
}

/// The schema version of a file, which is not changed.
///
/// - Parameters:
///   - fileURL: The file.
///   - encryptionKey: The key of an encrypted file.
/// - Returns: the version; 0 for a file that was never opened with a higher one.
/// - Throws: `Realm.Error`.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  do {
    let options = Database.Options(
      mode: .readOnly, encryptionKey: encryptionKey.map { [UInt8]($0) })
    let database = try Database.open(fileURL.path, options: options)
    defer { try? database.close() }
    return try SchemaVersion.stored(in: database.snapshot()) ?? 0
  } catch {
    throw Realm.Error(error, fileURL: fileURL)
  }
}
