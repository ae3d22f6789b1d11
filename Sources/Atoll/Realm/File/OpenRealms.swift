import Synchronization

/// The open realms, by file and place.
///
/// They are not kept: each leaves when it ends.
enum OpenRealms {
  private struct Entry: Sendable {
    let realm: UnretainedRealm
    let confinement: Confinement
    let schemaVersion: UInt64
  }

  private static let open = Mutex<[SharedFile.Identity: [Confinement.Identity: Entry]]>([:])

  static func find(_ file: SharedFile, _ confinement: Confinement) -> _RealmContext? {
    // A realm whose file is another one was left behind by a file that was deleted meanwhile, and
    // one whose place is gone by an actor.
    find(file.identity, confinement.identity).flatMap { context in
      context.file === file && context.confinement.isAlive ? context : nil
    }
  }

  private static func find(
    _ file: SharedFile.Identity, _ place: Confinement.Identity
  ) -> _RealmContext? {
    // No reference to a realm ends under the lock, which its `deinit` takes.
    open.withLock { $0[file]?[place]?.realm.retained() }
  }

  static func keep(_ context: _RealmContext) {
    let entry = Entry(
      realm: UnretainedRealm(context), confinement: context.confinement,
      schemaVersion: context.configuration.schemaVersion)
    context.isInOpenRealms = true
    open.withLock { open in
      open[context.file.identity, default: [:]][context.confinement.identity] = entry
    }
  }

  /// Lets go of a realm that ends, if no other has taken its place.
  static func remove(_ context: _RealmContext) {
    let (file, place) = (context.file.identity, context.confinement.identity)
    open.withLock { open in
      guard open[file]?[place]?.realm.isReference(to: context) ?? false else { return }
      open[file]?[place] = nil
      if open[file]?.isEmpty ?? false { open[file] = nil }
    }
  }

  /// The lowest schema version that a realm of a file is open with; nil when none is open.
  static func oldestVersion(of file: SharedFile) -> UInt64? {
    let entries = open.withLock { open in
      (open[file.identity] ?? [:]).values.map { (context: $0.realm.retained(), entry: $0) }
    }
    return entries.filter { $0.context?.file === file && $0.entry.confinement.isAlive }
      .map(\.entry.schemaVersion).min()
  }

  /// Notifies the realms of a file of a commit, each where it is confined.
  static func noteCommit(_ file: SharedFile.Identity) {
    let places = open.withLock { open in
      (open[file] ?? [:]).filter { $0.value.confinement.hasScheduler }.mapValues(\.confinement)
    }
    for (place, confinement) in places {
      confinement.schedule { find(file, place)?.noteCommit() }
    }
  }
}
