internal import AtollObjects

extension _RealmContext {
  // MARK: Moving

  /// Moves to the newest version; does nothing in a write, in an observer, and in a frozen realm.
  ///
  /// A realm whose file was deleted, moved or damaged meanwhile stays where it is: what it reads is
  /// whole, and the next write says what is wrong.
  ///
  /// - Returns: whether it moved.
  @discardableResult
  func refresh() -> Bool {
    checkConfinement()
    guard transaction == nil, !isFrozen, !isNotifying else { return false }
    guard let newest = try? file.database.snapshot(), newest.version != version.pinned?.version
    else {
      return false
    }
    knownNotifier?.flush()
    // An observer may have moved the realm itself.
    guard transaction == nil, newest.version > version.pinned?.version ?? 0 else { return true }
    guard mayMove(to: newest) else { return false }
    pin(newest)
    didAdvance?(.refresh)
    return true
  }

  /// Moves to a version that was committed elsewhere, or says that there is one.
  ///
  /// Runs where the realm is confined.
  func noteCommit() {
    checkConfinement()
    guard transaction == nil, !isFrozen, version.pinned != nil else { return }
    if autorefresh {
      refresh()
    } else if let newest = try? file.database.snapshot(), newest.version != version.pinned?.version
    {
      refreshRequired?()
    }
  }

  /// Moves to the newest version if this one is older than `version`, also in an observer.
  func catchUp(with version: UInt64) {
    checkConfinement()
    guard transaction == nil, !isFrozen, snapshot.version < version,
      let newest = try? file.database.snapshot(), mayMove(to: newest)
    else { return }
    pin(newest)
    didAdvance?(.refresh)
  }

  /// Refuses a version whose classes are others than those that the realm has shown objects of.
  ///
  /// Another process has run a migration: what an object's key was may be another one's now.
  ///
  /// - Throws: `schemaMismatch`.
  func checkClasses(_ newest: Snapshot) throws {
    let changed = classes.misfit(newest.schema).map { "the class '\($0.name)' was" }
    if changed == nil,
      try SchemaVersion.mayGoOn(from: version.pinned?.schema, to: newest, configuration)
    {
      return
    }
    throw Realm.Error(
      .schemaMismatch,
      "\(changed ?? "classes were") changed by a migration of the file while this realm, of schema "
        + "version \(configuration.schemaVersion), was open: it stays in the version before; close "
        + "it, and open it with the new classes",
      fileURL: configuration.fileURL, isFailure: true)
  }

  /// As `checkClasses`; a refusal is told, once, to an app that has a handler of failures.
  ///
  /// Without one the next write throws it: no program is to end because a newer one begins.
  private func mayMove(to newest: Snapshot) -> Bool {
    do { try checkClasses(newest) } catch {
      if !hasToldOfClasses, configuration.failureHandler != nil {
        tell(of: error, "the realm cannot go on")
      }
      hasToldOfClasses = true
      return false
    }
    return true
  }

  // MARK: Without a version

  /// Finds the newest version, where the realm has none, or one before its own last commit.
  ///
  /// When it cannot be read, the version before goes on; without one, a version with the same
  /// classes and no objects stands in. Neither is kept: the next use tries again.
  func foundSnapshot() -> Snapshot {
    do {
      let newest = try file.database.snapshot()
      try checkClasses(newest)
      let wasBehind = version.isBehind || version.hasStandIn
      pin(newest)
      // Observers have not been told of what was committed.
      if wasBehind { knownNotifier?.schedule() }
      return newest
    } catch {
      if version.noteMissingNewest() { tell(of: error, "the realm cannot be read") }
      do { return try version.substitute() } catch {
        Misuse.trap("a realm cannot be read, and no memory is left: \(error)")
      }
    }
  }

  /// Moves to what the realm itself has committed; the version before goes on while no newer one can
  /// be read.
  func moveToOwnCommit() {
    // Another process may have migrated the file in the moment since.
    if let newest = try? file.database.snapshot(), (try? checkClasses(newest)) != nil {
      return pin(newest)
    }
    stayBehind()
  }

  // MARK: Frozen realms

  /// The version that is read, or that the write began with, for any thread.
  func frozen() -> _RealmContext {
    if isFrozen { return self }
    checkConfinement()
    let snapshot = snapshot
    let isStandIn = version.pinned == nil
    if !isStandIn, let frozen = lastFrozen, frozen.snapshot.version == snapshot.version {
      return frozen
    }
    let frozen = _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      version: ReadVersion(snapshot, isStandIn: isStandIn), isFrozen: true)
    frozen.commitCheck = commitCheck
    if isStandIn {
      // What is not in it follows from the failure.
      if let failure = failures.last { frozen.failures.add(failure) }
    } else {
      lastFrozen = frozen
    }
    return frozen
  }

  /// The newest version, for any thread; nil when it cannot be read.
  func frozenNewest() -> _RealmContext? {
    guard let newest = try? file.database.snapshot() else { return nil }
    return _RealmContext(
      file: file, configuration: configuration, confinement: confinement,
      version: ReadVersion(newest), isFrozen: true)
  }

  /// The live realm of the caller's place; when it cannot be opened, one that goes on with the
  /// version of this one.
  ///
  /// On the main queue that is the main actor's. Elsewhere a function that is not asynchronous does
  /// not know on which actor it runs: what was frozen on an actor is thawed for that one.
  func thawed() -> _RealmContext {
    guard isFrozen else { return self }
    let place: Confinement =
      switch confinement {
      case .isolated where !Confinement.isOnMain: confinement
      case .queue(let queue) where Confinement.isOn(queue): confinement
      default: .current
      }
    do { return try RealmOpening(configuration, place).context() } catch {
      tell(of: error, "the realm cannot be opened")
      if let open = OpenRealms.find(file, place) { return open }
      let context = _RealmContext(
        file: file, configuration: configuration, confinement: place,
        version: ReadVersion(snapshot))
      context.commitCheck = commitCheck
      if let failure = failures.last { context.failures.add(failure) }
      // The next use looks for the newest version, as that of a realm would that had opened.
      if version.hasStandIn { context.pin(nil) } else { context.stayBehind() }
      OpenRealms.keep(context)
      if place.hasScheduler { file.watch() }
      return context
    }
  }
}

extension Realm {
  /// Moves to the newest version.
  ///
  /// - Returns: whether there was a newer one; false in a write and in an observer.
  @discardableResult
  public func refresh() -> Bool {
    if context.configuration.readOnly { Misuse.trap("a read-only realm cannot be refreshed") }
    return context.refresh()
  }

  /// Moves to the newest version.
  @discardableResult
  public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
    guard context.confinement.isActor else {
      Misuse.trap("asyncRefresh is for realms that were opened for an actor")
    }
    return context.refresh()
  }

  /// Whether the realm moves by itself when others have committed.
  public var autorefresh: Bool {
    get { context.autorefresh }
    nonmutating set {
      context.checkConfinement()
      if newValue, context.isFrozen || context.configuration.readOnly {
        Misuse.trap("a frozen or read-only realm does not move")
      }
      context.autorefresh = newValue
    }
  }

  /// Gives up the version that is read; all objects and collections of the realm become invalid.
  ///
  /// A frozen realm stays as it is: others may read the same version.
  public func invalidate() {
    if context.isFrozen { return }
    if context.migration != nil {
      Misuse.trap("a realm of a migration was invalidated: it ends with the migration's block")
    }
    context.invalidate()
  }

  /// Whether the realm is one version for ever, which any thread may read.
  public var isFrozen: Bool { context.isFrozen }

  /// The version that is read now, for any thread; in a write, the version before it.
  public func freeze() -> Realm { Realm(context.frozen()) }

  /// The live realm of the caller's thread, queue or actor.
  public func thaw() -> Realm { Realm(context.thawed()) }
}
