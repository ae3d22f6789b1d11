internal import Synchronization

/// The open realms, by file and place.
enum OpenRealms {
  // SAFETY: the references are read and written under the lock only, and what they lead to is used
  // where it is confined.
  private struct Weak: @unchecked Sendable {
    weak var context: _RealmContext?
    let confinement: Confinement
    /// The file, as the map has one for each path.
    weak var file: SharedFile?
    let schemaVersion: UInt64
  }

  private struct Place: Hashable, Sendable {
    let file: SharedFile.Identity
    let confinement: Confinement.Identity
  }

  private static let open = Mutex<[Place: Weak]>([:])

  static func find(_ file: SharedFile, _ confinement: Confinement) -> _RealmContext? {
    let place = Place(file: file.identity, confinement: confinement.identity)
    // A realm whose file is another one was left behind by a file that was deleted meanwhile, and
    // one whose place is gone by an actor.
    return open.withLock { $0[place] }?.context.flatMap { context in
      context.file === file && context.confinement.isAlive ? context : nil
    }
  }

  static func keep(_ context: _RealmContext) {
    let weak = Weak(
      context: context, confinement: context.confinement, file: context.file,
      schemaVersion: context.configuration.schemaVersion)
    let place = Place(
      file: context.file.identity, confinement: context.confinement.identity)
    open.withLock { open in
      open = open.filter { $0.value.context != nil }
      open[place] = weak
    }
  }

  /// The lowest schema version that a realm of a file is open with; nil when none is open.
  static func oldestVersion(of file: SharedFile) -> UInt64? {
    open.withLock { open in
      open.values.filter { $0.file === file && $0.context != nil && $0.confinement.isAlive }
        .map(\.schemaVersion).min()
    }
  }

  /// Notifies the realms of a file of a commit, each where it is confined.
  static func noteCommit(_ file: SharedFile.Identity) {
    let realms = open.withLock { open in
      open.filter { $0.key.file == file && $0.value.confinement.hasScheduler }.map(\.value)
    }
    for realm in realms {
      realm.confinement.schedule { realm.context?.noteCommit() }
    }
  }
}
