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
    if let sync = configuration.syncConfiguration {
      try SyncOwner(sync).claim(file.database, url: configuration.fileURL)
    }
    if let context = OpenRealms.find(file, confinement) {
      try context.requireClasses(descriptors)
      context.admit(configuration.objectTypes)
      return context
    }
    let context = _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      snapshot: try file.database.snapshot())
    try SchemaVersion.raise(context, descriptors)
    OpenRealms.keep(context)
    if confinement.hasScheduler { file.watch() }
    if configuration.syncConfiguration != nil { try context.beginSync() }
    return context
  }

  /// The classes that the realm is to have from the start.
  private var descriptors: [ClassDescriptor] {
    let types = configuration.objectTypes ?? RegisteredModels.all
    return types.map { ClassDescriptor.of($0) }
  }
}

/// The classes that realms without a list of classes have from the start.
enum RegisteredModels {
  private static let types = Mutex<[ObjectBase.Type]>([])

  static var all: [ObjectBase.Type] {
    types.withLock { $0 }.filter { $0.shouldIncludeInDefaultSchema() }
  }

  static func add(_ new: [ObjectBase.Type]) {
    types.withLock { types in
      for type in new where !types.contains(where: { $0 == type }) { types.append(type) }
    }
  }
}

extension Realm {
  /// Names classes that realms without `objectTypes` have from the start.
  ///
  /// A class is also added at its first mention, so this matters where one is looked for by its name,
  /// or where a file is to have a class before it is used.
  public static func registerModels(_ types: ObjectBase.Type...) { RegisteredModels.add(types) }
}

/// The open realms, by file and place.
enum OpenRealms {
  // SAFETY: the references are read and written under the lock only, and what they lead to is used
  // where it is confined.
  private struct Weak: @unchecked Sendable {
    weak var context: _RealmContext?
    let confinement: Confinement
  }

  private struct Place: Hashable, Sendable {
    let file: SharedFile.Identity
    let confinement: Confinement.Identity
  }

  private static let open = Mutex<[Place: Weak]>([:])

  static func find(_ file: SharedFile, _ confinement: Confinement) -> _RealmContext? {
    let place = Place(file: file.identity, confinement: confinement.identity)
    // A realm whose file is another one was left behind by a file that was deleted meanwhile, and one
    // whose place is gone by an actor.
    return open.withLock { $0[place] }?.context.flatMap { context in
      context.file === file && context.confinement.isAlive ? context : nil
    }
  }

  static func keep(_ context: _RealmContext) {
    let weak = Weak(context: context, confinement: context.confinement)
    let place = Place(
      file: context.file.identity, confinement: context.confinement.identity)
    open.withLock { open in
      open = open.filter { $0.value.context != nil }
      open[place] = weak
    }
  }

  /// Tells the realms of a file that somebody has committed, each where it is confined.
  static func noteCommit(_ file: SharedFile.Identity) {
    let realms = open.withLock { open in
      open.filter { $0.key.file == file && $0.value.confinement.hasScheduler }.map(\.value)
    }
    for realm in realms {
      realm.confinement.schedule { realm.context?.noteCommit() }
    }
  }
}
