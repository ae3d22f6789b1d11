extension Realm {
  /// Runs `block` in a write and commits it.
  ///
  /// When `block` itself has ended the write with `commitWrite()` or `cancelWrite()`, nothing more
  /// is done, unless it has begun another one: no write is open after this one, and the last that
  /// was begun is committed, or undone when `block` throws.
  ///
  /// - Throws: what `block` throws, and nothing that it did remains; `Realm.Error` when the commit
  ///   fails.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ block: () throws -> Result
  ) throws -> Result {
    if let refusal = context.writeRefusal { throw refusal }
    try context.begin()
    do {
      let result = try block()
      // The block may have ended the write and begun another: one that stays open lets no other
      // begin, here or elsewhere.
      if context.isWriteOpen { try context.commit(withoutNotifying: tokens) }
      return result
    } catch {
      context.cancel()
      throw error
    }
  }

  /// Begins a write in the newest version; waits until no other realm writes.
  ///
  /// The realm stays open for it even if nothing holds it, until the write ends: on the main queue,
  /// another queue or an actor until its next turn at most; on any other thread until the thread
  /// ends, for ten seconds at most. A write that is open then is undone.
  ///
  /// When the file fails so that a write cannot begin, nothing is changed in it, and `commitWrite`
  /// throws why.
  public func beginWrite() {
    if let refusal = context.writeRefusal { Misuse.trap(refusal.message) }
    context.beginOrFail()
    OpenWrites.keep(context)
  }

  /// Makes what was done since `beginWrite()` a new version.
  ///
  /// - Parameter tokens: The observers of this realm that are not told of it.
  /// - Throws: `Realm.Error`; nothing of the write remains then.
  public func commitWrite(withoutNotifying tokens: [NotificationToken] = []) throws {
    if context.migration != nil, let refusal = context.writeRefusal { throw refusal }
    try context.commit(withoutNotifying: tokens)
  }

  /// Undoes what was done since `beginWrite()`; objects that were added are invalid from now on.
  public func cancelWrite() {
    if context.migration != nil {
      Misuse.trap("a migration is one write: end it with migration.fail, and nothing of it remains")
    }
    // A failure that the commit has thrown has undone it already.
    guard context.isWriteOpen else { return context.refuse("there is no write to cancel") }
    context.cancel()
  }

  /// Whether a write is open in this realm.
  public var isInWriteTransaction: Bool { context.isWriteOpen }
}
