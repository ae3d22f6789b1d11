extension Realm {
  /// Whether to wait for what the server has before a realm is given out.
  public enum OpenBehavior: Sendable {
    /// No.
    case never
    /// Always.
    case always
    /// When there is no file yet.
    case once
  }

  /// Opens a realm for the main actor.
  ///
  /// - Throws: `Realm.Error`; `SyncError` and what `SyncSubscriptionSet.update` throws when the
  ///   data of a synced file is waited for; `CancellationError` when the task is cancelled.
  @MainActor
  public init(
    configuration: Realm.Configuration = .defaultConfiguration,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    try await self.init(configuration, .main, downloadBeforeOpen)
  }

  /// Opens a realm for an actor.
  ///
  /// - Throws: `Realm.Error`; `SyncError` and what `SyncSubscriptionSet.update` throws when the
  ///   data of a synced file is waited for; `CancellationError` when the task is cancelled.
  public init<A: Actor>(
    configuration: Realm.Configuration = .defaultConfiguration, actor: A,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    self = try await Self.opened(configuration, on: actor, downloadBeforeOpen).value
  }

  /// Opens a realm for the caller's actor.
  ///
  /// The initializer of an actor runs on no actor until all properties of the actor are set.
  ///
  /// - Throws: `Realm.Error`, with the code `invalidInput` when the caller runs on no actor;
  ///   `SyncError` and what `SyncSubscriptionSet.update` throws when the data of a synced file is
  ///   waited for; `CancellationError` when the task is cancelled.
  public static func open(
    configuration: Realm.Configuration = .defaultConfiguration,
    _isolation: isolated (any Actor)? = #isolation, downloadBeforeOpen: OpenBehavior = .never
  ) async throws -> Realm {
    // The isolation is optional, as the compiler gives none in the initializer of an actor, also
    // where the type does not allow that.
    guard let _isolation else {
      throw Error(
        .invalidInput,
        "Realm.open is for functions that run on an actor; name it with "
          + "'Realm(configuration:actor:)'. In the initializer of an actor, set all properties of "
          + "the actor first, or open the realm in a method",
        fileURL: configuration.fileURL)
    }
    return try await opened(configuration, on: _isolation, downloadBeforeOpen).value
  }

  /// Opens a realm on the actor that it is for.
  ///
  /// - Parameters:
  ///   - configuration: Which file.
  ///   - actor: The place of the realm.
  ///   - behavior: Whether to wait for what the server has.
  ///   - willWait: Is told of the session before it is waited for.
  /// - Returns: The realm, for the actor.
  /// - Throws: As `open`.
  static func opened(
    _ configuration: Configuration, on actor: isolated any Actor, _ behavior: OpenBehavior,
    willWait: (SyncSession) -> Void = { _ in }
  ) async throws -> Carried<Realm> {
    Carried(value: try await Realm(configuration, .actor(actor), behavior, willWait))
  }

  private init(
    _ configuration: Configuration, _ confinement: Confinement, _ behavior: OpenBehavior,
    _ willWait: (SyncSession) -> Void = { _ in }, _isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try _Concurrency.Task.checkCancellation()
    let isNew = !Realm.fileExists(for: configuration)
    let context = try RealmOpening(configuration, confinement).context()
    if let opening = try context.asyncOpening(
      isDownloading: behavior == .always || behavior == .once && isNew)
    {
      willWait(opening.session)
      try await opening.wait()
    }
    try _Concurrency.Task.checkCancellation()
    self.init(context)
    context.refresh()
  }
}
