import Synchronization

/// The open realms, by file and place.
///
/// They are not kept: each leaves when it ends. No reference to a realm, and to what it is confined
/// to, ends under the lock, which the `deinit` of a realm takes.
enum OpenRealms {
  private struct Entry: Sendable {
    /// Tells one realm from another that has taken its place.
    let number: UInt64
    let confinement: Confinement
    let schemaVersion: UInt64
  }

  private struct State {
    var lastNumber: UInt64 = 0
    var realms: [UInt64: UnretainedRealm] = [:]
    var places: [SharedFile.Identity: [Confinement.Identity: Entry]] = [:]
  }

  private static let state = Mutex(State())

  // MARK: References

  /// Refers to a realm, without keeping it.
  ///
  /// - Returns: Gives the realm where it is confined; nil when it has ended.
  static func reference(to context: _RealmContext) -> @Sendable () -> _RealmContext? {
    let number = number(of: context)
    return { realm(number) }
  }

  private static func realm(_ number: UInt64) -> _RealmContext? {
    state.withLock { $0.realms[number]?.retained() }
  }

  /// The number of a realm, which the realm has from the first call on.
  private static func number(of context: _RealmContext) -> UInt64 {
    if let number = context.openNumber { return number }
    let number = state.withLock { state in
      state.lastNumber += 1
      state.realms[state.lastNumber] = UnretainedRealm(context)
      return state.lastNumber
    }
    context.openNumber = number
    return number
  }

  /// Lets go of a realm that ends.
  static func remove(_ context: _RealmContext, _ number: UInt64) {
    let (file, place) = (context.file.identity, context.confinement.identity)
    let entry = state.withLock { state in
      state.realms[number] = nil
      // Another one may have taken its place.
      guard state.places[file]?[place]?.number == number else { return nil as Entry? }
      let entry = state.places[file]?.removeValue(forKey: place)
      if state.places[file]?.isEmpty ?? false { state.places[file] = nil }
      return entry
    }
    withExtendedLifetime(entry) {}
  }

  // MARK: Places

  static func find(_ file: SharedFile, _ confinement: Confinement) -> _RealmContext? {
    let (identity, place) = (file.identity, confinement.identity)
    let found = state.withLock { state in
      state.places[identity]?[place].flatMap { state.realms[$0.number]?.retained() }
    }
    // A realm whose file is another one was left behind by a file that was deleted meanwhile, and
    // one whose place is gone by an actor.
    return found.flatMap { $0.file === file && $0.confinement.isAlive ? $0 : nil }
  }

  static func keep(_ context: _RealmContext) {
    let entry = Entry(
      number: number(of: context), confinement: context.confinement,
      schemaVersion: context.configuration.schemaVersion)
    let (file, place) = (context.file.identity, context.confinement.identity)
    let old = state.withLock { $0.places[file, default: [:]].updateValue(entry, forKey: place) }
    withExtendedLifetime(old) {}
  }

  /// The lowest schema version that a realm of a file is open with; nil when none is open.
  static func oldestVersion(of file: SharedFile) -> UInt64? {
    let entries = state.withLock { state in
      (state.places[file.identity] ?? [:]).values.map { entry in
        (realm: state.realms[entry.number]?.retained(), entry: entry)
      }
    }
    return entries.filter { $0.realm?.file === file && $0.entry.confinement.isAlive }
      .map(\.entry.schemaVersion).min()
  }

  /// Notifies the realms of a file of a commit, each where it is confined.
  static func noteCommit(_ file: SharedFile.Identity) {
    let entries = state.withLock { state in
      (state.places[file] ?? [:]).values.filter(\.confinement.hasScheduler)
    }
    for entry in entries {
      let number = entry.number
      entry.confinement.schedule { realm(number)?.noteCommit() }
    }
  }
}
