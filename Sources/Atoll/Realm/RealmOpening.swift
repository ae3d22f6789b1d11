internal import AtollObjects
internal import Foundation
internal import Synchronization

/// The steps from a configuration to an open realm.
struct RealmOpening {
  let configuration: Realm.Configuration
  let confinement: Confinement

  init(_ configuration: Realm.Configuration, _ confinement: Confinement) {
    self.configuration = configuration
    self.confinement = confinement
  }

  /// The realm of this place: the one that is open, or a new one.
  ///
  /// - Throws: `Realm.Error`.
  func context() throws -> _RealmContext {
    try configuration.check()
    do {
      do {
        return try context(of: SharedFile.open(configuration))
      } catch Realm.Error.schemaMismatch
        where configuration.deleteRealmIfMigrationNeeded && configuration.fileURL != nil
      {
        _ = try Realm.deleteFiles(for: configuration)
        return try context(of: SharedFile.open(configuration))
      }
    } catch let error as ObjectError {
      throw Realm.Error(error, fileURL: configuration.fileURL)
    }
  }

  private func context(of file: SharedFile) throws -> _RealmContext {
    file.admitFailureHandler(configuration.failureHandler)
    if configuration.migrationBlock != nil {
      try SchemaVersion.checkMigration(configuration, file.database.snapshot())
    }
    let participant = configuration.participant
    try participant?.claim(file.database, url: configuration.fileURL)
    if let context = OpenRealms.find(file, confinement) {
      try context.requireClasses(descriptors)
      context.admit(configuration.objectTypes)
      context.admitDurability(configuration.durability)
      context.admitFailureHandler(configuration.failureHandler)
      return context
    }
    let context = _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      version: ReadVersion(try file.database.snapshot()))
    try SchemaVersion.raise(context, descriptors)
    OpenRealms.keep(context)
    if confinement.hasScheduler { file.watch() }
    try participant?.begin(context)
    return context
  }

  /// The classes that the realm is to have from the start.
  private var descriptors: [ClassDescriptor] {
    let types = configuration.objectTypes ?? RegisteredModels.all
    return types.map { ClassDescriptor.of($0) }
  }
}
