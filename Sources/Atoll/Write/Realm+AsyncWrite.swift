internal import AtollObjects
internal import AtollStorage
internal import Dispatch
internal import Foundation

extension Realm {
  // MARK: For async functions

  /// Runs `block` in a write, and commits it; the actor is free while other writers are waited for
  /// and while the disk is written.
  ///
  /// - Throws: what `block` throws, and nothing that it did remains; `CancellationError` when the
  ///   task is cancelled before `block` began; `Realm.Error` when the commit fails.
  @discardableResult
  public func asyncWrite<Result>(
    _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
  ) async throws -> Result {
    guard context.confinement.isActor else {
      Misuse.trap("asyncWrite is for realms that were opened for an actor")
    }
    if let refusal = context.writeRefusal { throw refusal }
    context.asyncWrites.begin()
    defer { context.asyncWrites.end() }
    try _Concurrency.Task.checkCancellation()
    while try !context.tryBegin() {
      await context.file.writers.wait(for: context.file)
      try _Concurrency.Task.checkCancellation()
    }
    let result: Result
    do {
      result = try block()
      if context.isWriteOpen { try context.commit(durability: .relaxed) }
    } catch {
      context.cancel()
      throw error
    }
    if context.configuration.durability == .full { try await context.file.makeDurable() }
    return result
  }

  // MARK: With completion handlers

  /// Runs `block` in a write, later, where the realm is confined; commits in the background.
  ///
  /// - Parameters:
  ///   - block: What to do; it may end the write itself, and another that it begins then is
  ///     committed instead.
  ///   - onComplete: Is called where the realm is confined when the write is durable, or with the
  ///     error; without it a failure is told to the failure handler of the configuration.
  /// - Returns: a number to cancel it by.
  @discardableResult
  public func writeAsync(
    _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    context.asyncWrites.add(block, isCommitted: true, onComplete: onComplete)
  }

  /// Runs `block` in a write, later, where the realm is confined; what it does not commit is
  /// undone.
  ///
  /// - Returns: a number to cancel it by.
  @discardableResult
  public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
    context.asyncWrites.add(asyncWriteBlock, isCommitted: false, onComplete: nil)
  }

  /// Commits the open write in the background.
  ///
  /// - Parameters:
  ///   - allowGrouping: Whether the commit may wait to be made durable together with those that
  ///     follow in this turn of the scheduler, and with asynchronous writes that wait for their
  ///     turn: the disk is written once for all of them.
  ///   - onComplete: Is called where the realm is confined when the write is durable, or with the
  ///     error; without it a failure is told to the failure handler of the configuration.
  /// - Returns: a number to cancel the completion by.
  @discardableResult
  public func commitAsyncWrite(
    allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionId {
    if !context.isWriteOpen { Misuse.trap("there is no write to commit") }
    return context.asyncWrites.commit(allowsGrouping: allowGrouping, onComplete)
  }

  /// Drops a write that has not begun, or the completion of one that was committed.
  ///
  /// - Throws: nothing; numbers that are not known are ignored.
  public func cancelAsyncWrite(_ id: AsyncTransactionId) throws { context.asyncWrites.cancel(id) }

  /// Whether an asynchronous write waits, is being done, or is not durable yet.
  public var isPerformingAsynchronousWriteOperations: Bool { !context.asyncWrites.isIdle }
}
