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
        Logger.note(
          .warn, "\(configuration.fileName) is deleted, as its classes do not fit the program's")
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
      try checkVersion(of: context)
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

  /// What opening would change in a version of the file; nil: in a new file.
  func plan(_ snapshot: Snapshot?) throws -> MigrationPlan {
    let stored = try snapshot.flatMap { try SchemaVersion.stored(in: $0) } ?? 0
    let wanted = configuration.schemaVersion
    let deletion = MigrationPlan(
      oldVersion: stored, newVersion: wanted, deletesFile: true, changes: [], runsBlock: false,
      problems: [])
    if stored > wanted {
      if configuration.deleteRealmIfMigrationNeeded { return deletion }
      throw SchemaVersion.isHigher(stored, configuration)
    }
    let schema = snapshot?.schema ?? .empty
    let isRaised = stored < wanted && configuration.mayMigrate
    let change = SchemaChange(
      from: schema, to: ClassClosure.of(descriptors), configuration,
      behind: isRaised
        ? Set(schema.classes.map(\.name))
        : try snapshot.map { try SchemaVersion.behind(in: $0, configuration) } ?? [])
    let needsBlock = try snapshot.map { try SchemaVersion.needsBlock(configuration, $0) } ?? false
    if configuration.deleteRealmIfMigrationNeeded, needsBlock || !change.problems.isEmpty {
      return deletion
    }
    var problems = configuration.readOnly ? [] : change.problems
    if needsBlock, let reason = configuration.reasonForNoBlock {
      problems.append("the migrationBlock is not run: \(reason)")
    }
    return MigrationPlan(
      oldVersion: stored, newVersion: wanted, deletesFile: false,
      changes: configuration.readOnly ? [] : change.described,
      runsBlock: needsBlock && configuration.reasonForNoBlock == nil, problems: problems)
  }

  /// Refuses to take the realm of one schema version for that of another.
  private func checkVersion(of context: _RealmContext) throws {
    let version = context.configuration.schemaVersion
    guard version != configuration.schemaVersion else { return }
    throw Realm.Error(
      .alreadyOpen,
      "the realm is open here with schema version \(version), and not with "
        + "\(configuration.schemaVersion): let go of that one first",
      fileURL: configuration.fileURL)
  }

  /// The classes that the realm is to have from the start.
  private var descriptors: [ClassDescriptor] {
    let types = configuration.objectTypes ?? RegisteredModels.all
    return types.map { ClassDescriptor.of($0) }
  }
}
