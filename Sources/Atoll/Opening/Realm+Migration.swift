internal import AtollObjects
internal import Foundation

extension Realm {
  /// Brings the file of a configuration to its classes and its schema version, and leaves no realm
  /// open.
  ///
  /// - Throws: As `init(configuration:)`.
  public static func performMigration(
    for configuration: Configuration = .defaultConfiguration
  ) throws {
    _ = try RealmOpening(configuration, .current).context()
  }

  /// What `init(configuration:)` would change in the classes of the file; nothing is changed now.
  ///
  /// Of classes that the program has not named yet nothing is known.
  ///
  /// - Throws: `Realm.Error` when the file cannot be read, or has a higher schema version.
  public static func migrationPlan(
    for configuration: Configuration = .defaultConfiguration
  ) throws -> MigrationPlan {
    try configuration.check()
    do {
      if let file = try SharedFile.existing(configuration) {
        return try RealmOpening(configuration, .current).plan(file.database.snapshot())
      }
      guard case .file(let path) = try configuration.fileIdentity(),
        FileManager.default.fileExists(atPath: path)
      else { return try RealmOpening(configuration, .current).plan(nil) }
      let options = Database.Options(
        mode: .readOnly, encryptionKey: configuration.keyBytes)
      let database = try Database.open(path, options: options)
      defer { try? database.close() }
      return try RealmOpening(configuration, .current).plan(database.snapshot())
    } catch let error as Realm.Error {
      throw error
    } catch { throw Error(error, fileURL: configuration.fileURL) }
  }
}
