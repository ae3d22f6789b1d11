internal import AtollStorage

/// The number of an asynchronous write.
public typealias AsyncTransactionId = UInt

/// The writes of a realm that are done one after another, later, where the realm is confined.
///
/// Holds the realm as long as one waits.
final class AsyncWrites {
  private unowned let context: _RealmContext
  private var waiting: [Entry] = []
  /// The commits that are not durable yet.
  private var completing: [AsyncTransactionId: ((any Swift.Error)?) -> Void] = [:]
  /// In the order of the commits.
  private var unfinished: [AsyncTransactionId] = []
  /// Those of them that wait for others, to be made durable together, in their order.
  private var grouped: [AsyncTransactionId] = []
  private var isGroupScheduled = false
  /// Asynchronous writes that have begun and are not committed.
  private var runningCount = 0
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

  var isIdle: Bool { waiting.isEmpty && unfinished.isEmpty && runningCount == 0 }

  /// Takes note of a write of an async function, which counts until `end()`.
  func begin() { runningCount += 1 }
  func end() { runningCount -= 1 }

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
    guard !waiting.isEmpty else { return proceed() }
    do {
      guard try context.tryBegin() else { return waitForTurn() }
    } catch {
      if !waiting.isEmpty { fail(waiting.removeFirst().onComplete, error) }
      proceed()
      return
    }
    // What is told of other commits may have cancelled it.
    guard !waiting.isEmpty else {
      context.cancel()
      return proceed()
    }
    let entry = waiting.removeFirst()
    begin()
    entry.block()
    end()
    // Also another write than that: the block may have ended it and begun one that it left open.
    if context.isWriteOpen {
      if entry.isCommitted { finish(entry.id, entry.onComplete) } else { context.cancel() }
    } else {
      entry.onComplete?(nil)
    }
    proceed()
  }

  /// Goes on with the next write; without one, nothing more comes to the commits that wait.
  private func proceed() {
    schedule()
    if !isScheduled, !grouped.isEmpty { scheduleGroup() }
  }

  private func waitForTurn() {
    isScheduled = true
    // Making it durable waits for that writer, too, but not for the turn of the next write here.
    synchronizeGroup()
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

  /// `allowsGrouping`: whether the commit may wait for the next one, to be made durable with it.
  func commit(
    allowsGrouping: Bool, _ onComplete: (((any Swift.Error)?) -> Void)?
  ) -> AsyncTransactionId {
    lastID += 1
    finish(lastID, allowsGrouping: allowsGrouping, onComplete)
    return lastID
  }

  private func finish(
    _ id: AsyncTransactionId, allowsGrouping: Bool = false,
    _ onComplete: (((any Swift.Error)?) -> Void)?
  ) {
    do { try context.commit(durability: .relaxed) } catch {
      return fail(onComplete, error)
    }
    unfinished.append(id)
    completing[id] = onComplete
    grouped.append(id)
    // What follows in this turn, or waits for its turn, joins the group.
    if allowsGrouping, context.confinement.hasScheduler {
      scheduleGroup()
    } else {
      synchronizeGroup()
    }
  }

  private func scheduleGroup() {
    guard !isGroupScheduled else { return }
    isGroupScheduled = true
    let realm = Carried(value: context)
    context.confinement.schedule { realm.value.asyncWrites.endGroup() }
  }

  private func endGroup() {
    isGroupScheduled = false
    // The last of the writes that wait sees to it.
    if waiting.isEmpty { synchronizeGroup() }
  }

  /// Makes all commits durable that are not, and calls their completions.
  ///
  /// Completions are called in the order of the commits.
  private func synchronizeGroup() {
    guard !grouped.isEmpty else { return }
    let group = grouped
    grouped = []
    let realm = Carried(value: context)
    let confinement = context.confinement
    let owner = confinement.owner
    guard context.configuration.durability == .full else {
      return confinement.schedule { realm.value.asyncWrites.complete(group, .success(())) }
    }
    context.file.makeDurable { result in
      withExtendedLifetime(owner) {
        confinement.schedule { realm.value.asyncWrites.complete(group, result) }
      }
    }
  }

  private func complete(_ group: [AsyncTransactionId], _ result: Result<Void, any Swift.Error>) {
    let completed: [AsyncTransactionId]
    if case .success = result {
      // What was committed before is durable, too, though its own synchronisation may still run.
      let last = group.last.flatMap { unfinished.firstIndex(of: $0) }
      completed = last.map { Array(unfinished[...$0]) } ?? []
      unfinished.removeFirst(completed.count)
    } else {
      let failed = Set(group)
      completed = unfinished.filter(failed.contains)
      unfinished.removeAll(where: failed.contains)
    }
    var isUnheard = false
    for id in completed {
      guard let onComplete = completing.removeValue(forKey: id) else {
        isUnheard = true
        continue
      }
      switch result {
      case .success: onComplete(nil)
      case .failure(let error): onComplete(error)
      }
    }
    if isUnheard, case .failure(let error) = result { fail(nil, error) }
  }

  /// Gives the error of a write to its completion; without one a failure is told.
  private func fail(_ onComplete: (((any Swift.Error)?) -> Void)?, _ error: any Swift.Error) {
    guard let onComplete else {
      return context.configuration.tellIfFailed(error, "a write cannot be committed")
    }
    onComplete(error)
  }
}
