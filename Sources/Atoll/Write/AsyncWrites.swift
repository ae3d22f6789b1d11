internal import AtollStorage

/// The writes of a realm that are done one after another, later, where the realm is confined.
///
/// Holds the realm as long as one waits.
final class AsyncWrites {
  private unowned let context: _RealmContext
  private var waiting: [Entry] = []
  /// The commits that are not durable yet.
  private var completing: [AsyncTransactionId: ((any Swift.Error)?) -> Void] = [:]
  private var unfinished: Set<AsyncTransactionId> = []
  private var lastID: AsyncTransactionId = 0
  private var isScheduled = false

  private struct Entry {
    let id: AsyncTransactionId
    let block: () -> Void
    /// Whether a write that the block leaves open is committed, and not undone.
    let isCommitted: Bool
    let onComplete: (((any Swift.Error)?) -> Void)?
  }

  init(_ context: _RealmContext) { self.context = context }

  var isIdle: Bool { waiting.isEmpty && unfinished.isEmpty }

  func add(
    _ block: @escaping () -> Void, isCommitted: Bool,
    onComplete: (((any Swift.Error)?) -> Void)?
  ) -> AsyncTransactionId {
    context.checkConfinement()
    guard context.confinement.hasScheduler else {
      Misuse.trap(
        "an asynchronous write was asked of a realm of a plain thread; open the realm for a queue "
          + "or an actor")
    }
    if context.isFrozen || context.configuration.readOnly {
      Misuse.trap("a frozen or read-only realm cannot be written")
    }
    lastID += 1
    waiting.append(
      Entry(id: lastID, block: block, isCommitted: isCommitted, onComplete: onComplete))
    schedule()
    return lastID
  }

  func cancel(_ id: AsyncTransactionId) {
    context.checkConfinement()
    waiting.removeAll { $0.id == id }
    completing[id] = nil
  }

  // MARK: One after another

  private func schedule() {
    guard !isScheduled, !waiting.isEmpty else { return }
    isScheduled = true
    let realm = Carried(value: context)
    context.confinement.schedule { realm.value.asyncWrites.runNext() }
  }

  private func runNext() {
    isScheduled = false
    guard !waiting.isEmpty else { return }
    do {
      guard try context.tryBegin() else { return waitForTurn() }
    } catch {
      if !waiting.isEmpty { waiting.removeFirst().onComplete?(error) }
      schedule()
      return
    }
    // What is told of other commits may have cancelled it.
    guard !waiting.isEmpty else { return context.cancel() }
    let entry = waiting.removeFirst()
    let number = context.writeNumber
    entry.block()
    if context.transaction != nil, context.writeNumber == number {
      if entry.isCommitted { finish(entry.id, entry.onComplete) } else { context.cancel() }
    } else {
      entry.onComplete?(nil)
    }
    schedule()
  }

  private func waitForTurn() {
    isScheduled = true
    let realm = Carried(value: context)
    let (file, confinement) = (context.file, context.confinement)
    let owner = confinement.owner
    _Concurrency.Task.detached {
      await file.writers.wait(for: file)
      // A write that was asked for is done, also when nothing else keeps the actor meanwhile.
      withExtendedLifetime(owner) {
        confinement.schedule { realm.value.asyncWrites.runNext() }
      }
    }
  }

  // MARK: Commits

  func commit(_ onComplete: (((any Swift.Error)?) -> Void)?) -> AsyncTransactionId {
    lastID += 1
    finish(lastID, onComplete)
    return lastID
  }

  private func finish(_ id: AsyncTransactionId, _ onComplete: (((any Swift.Error)?) -> Void)?) {
    do { try context.commit(durability: .relaxed) } catch {
      onComplete?(error)
      return
    }
    unfinished.insert(id)
    completing[id] = onComplete
    let realm = Carried(value: context)
    let confinement = context.confinement
    let owner = confinement.owner
    context.file.makeDurable { result in
      withExtendedLifetime(owner) {
        confinement.schedule { realm.value.asyncWrites.complete(id, result) }
      }
    }
  }

  private func complete(_ id: AsyncTransactionId, _ result: Result<Void, any Swift.Error>) {
    unfinished.remove(id)
    guard let onComplete = completing.removeValue(forKey: id) else { return }
    switch result {
    case .success: onComplete(nil)
    case .failure(let error): onComplete(error)
    }
  }
}
