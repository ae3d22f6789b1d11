internal import AtollObjects
internal import Dispatch

/// The asynchronous writers of one file in this process, which wait for the writer lock without a
/// thread.
///
/// One thread, of no actor, waits for the lock for all of them, among the other writers of all
/// processes. It begins a transaction and offers it to the first that comes. An offer ends after
/// some milliseconds, so an actor that is busy, or waits for this lock itself, holds no other up
/// for long; who still waits asks again, and is offered the next one for twice the time.
final class WriterLine: Sendable {
  private struct State {
    var offer: Offer?
    /// Whether the thread waits for the lock, or offers.
    var isThreadAtWork = false
    /// How many wait for an offer.
    var waiterCount = 0
    /// How many offers have ended.
    var round = 0
    /// How long the next offer lasts.
    var offerMilliseconds = WriterLine.shortestOffer
  }

  /// A transaction on its way from the thread that began it to an asynchronous writer.
  ///
  /// SAFETY: used by one thread at a time: the thread that began it puts it in the state, and
  /// whichever takes it out, under the lock of the state, goes on with it.
  private struct Offer: @unchecked Sendable {
    let transaction: Transaction
    let taken = DispatchSemaphore(value: 0)
  }

  /// In milliseconds: long enough for a task to get to an actor that is free.
  private static let shortestOffer = 2
  /// In milliseconds: long enough where the machine has more to do than it can.
  private static let longestOffer = 128

  private let state = Monitor(State())
  private let lockQueue = DispatchQueue(label: "atoll.writer-lock")

  /// Begins a transaction without waiting: the one that is offered, or another one if the lock is
  /// free.
  ///
  /// - Returns: Nil when there is another writer; `wait(for:)` tells when to try again.
  func tryBeginWrite(_ database: Database) throws -> Transaction? {
    if let transaction = takeOffer() { return transaction }
    return try database.tryBeginWrite()
  }

  private func takeOffer() -> Transaction? {
    let offer = state.withLock { state in
      defer { state.offer = nil }
      return state.offer
    }
    offer?.taken.signal()
    return offer?.transaction
  }

  /// Returns when it is worth to try again, or when the task is cancelled.
  nonisolated(nonsending) func wait(for file: SharedFile) async {
    let round = state.withLock { state in
      state.waiterCount += 1
      if !state.isThreadAtWork {
        state.isThreadAtWork = true
        lockQueue.async { [self] in offerTransaction(of: file.database) }
      }
      return state.round
    }
    // All are woken and not the first: that one may have been cancelled meanwhile.
    await state.wait { $0.offer != nil || $0.round != round }
    state.withLock { $0.waiterCount -= 1 }
  }

  /// Waits for the writer lock, and offers what it is needed for.
  private func offerTransaction(of database: Database) {
    // An error is met again by those who wait, each of which throws it.
    if let transaction = try? database.beginWrite() {
      // All may have given up meanwhile: then none is to be held up.
      guard state.withLock({ $0.waiterCount > 0 }) else {
        transaction.cancel()
        return endRound()
      }
      let offer = Offer(transaction: transaction)
      let milliseconds = state.withLock { state in
        state.offer = offer
        return state.offerMilliseconds
      }
      _ = offer.taken.wait(timeout: .now() + .milliseconds(milliseconds))
      let left = takeOffer()
      left?.cancel()
      state.withLock { state in
        state.offerMilliseconds =
          left == nil ? Self.shortestOffer : min(2 * milliseconds, Self.longestOffer)
      }
    }
    endRound()
  }

  private func endRound() {
    state.withLock { state in
      state.isThreadAtWork = false
      state.round += 1
    }
  }
}
