internal import AtollObjects
public import Foundation

/// The version of the classes that a file was last opened with, kept beside its objects.
enum SchemaVersion {
  private static let treeName = "realm"
  private static let key = Array("schemaVersion".utf8)

  /// The version in a file; nil when it was never opened by this layer.
  static func stored(in snapshot: Snapshot) throws -> UInt64? {
    try snapshot.namedTree(treeName)?.get(key).flatMap {
      UInt64(String(decoding: $0, as: UTF8.self))
    }
  }

  /// Refuses to open a file that has data of an older version, which a block is to move: no block
  /// is run.
  ///
  /// - Throws: `schemaMismatch`; nothing was changed.
  static func checkMigration(_ configuration: Realm.Configuration, _ snapshot: Snapshot) throws {
    guard configuration.migrationBlock != nil, !snapshot.schema.classes.isEmpty else { return }
    let stored = try stored(in: snapshot) ?? 0
    guard stored < configuration.schemaVersion else { return }
    throw Realm.Error(
      .schemaMismatch,
      "the file has schema version \(stored), the configuration has \(configuration.schemaVersion) "
        + "and a migrationBlock, and migrations are not run by this version. New classes, "
        + "properties and indexes, and properties that become optional, need none: open the realm "
        + "without a migrationBlock, move the data in a write, and leave what is old in its "
        + "place; or begin with an empty file with deleteRealmIfMigrationNeeded",
      fileURL: configuration.fileURL)
  }

  /// Brings a file to the classes and the version of the code.
  ///
  /// - Throws: `schemaMismatch` when the classes do not fit, `invalidInput` when the file's version
  ///   is higher; nothing is changed then.
  static func raise(_ context: _RealmContext, _ descriptors: [ClassDescriptor]) throws {
    let configuration = context.configuration
    let wanted = configuration.schemaVersion
    let stored = try stored(in: context.snapshot)
    if let stored, stored > wanted {
      throw Realm.Error(
        configuration.deleteRealmIfMigrationNeeded ? .schemaMismatch : .invalidInput,
        "the file's schema version is \(stored) and the configuration's is \(wanted), which is "
          + "lower",
        fileURL: configuration.fileURL)
    }
    try context.requireClasses(descriptors)
    guard stored != wanted, !configuration.readOnly else { return }
    if stored == nil, wanted == 0 { return }
    try context.file.database.write { transaction in
      try transaction.namedTree(treeName).set(Array("\(wanted)".utf8), for: key)
    }
    context.pin(try context.file.database.snapshot())
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
