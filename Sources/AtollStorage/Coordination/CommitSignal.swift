import Synchronization

/// Tells threads of any process that something was committed, in memory that they share.
///
///     offset  size  field
///          0     4  wakeUps    changes before each wake-up
///          4     4  isAwaited  not 0 when there may be waiters
///
/// 1. Who waits loads `wakeUps`, sets `isAwaited`, looks whether there is something new, and sleeps
///    only while `wakeUps` is as it was.
/// 2. Who commits stores what is new, and then loads `isAwaited`. Only if that is set it clears it,
///    changes `wakeUps` and wakes all: a commit without waiters costs one load.
///
/// All of it is sequentially consistent. So if a commit finds `isAwaited` clear, either the waiter
/// sets it later and then sees what is new, or another commit cleared it after the waiter had set
/// it, and changes `wakeUps` after the waiter loaded it.
///
/// There is no list of waiters, so one that dies leaves nothing but `isAwaited`, and one needless
/// wake-up. A process that dies between its commit and the wake-up wakes none: no wait should last
/// longer than the waiter can bear not to hear of that.
///
/// Nothing in the memory is trusted: any bytes give wake-ups that are too many, or that come at the
/// end of the timeout.
@safe final class CommitSignal: Sendable {
  static let byteCount = 8

  // SAFETY: the owner of this signal keeps the memory alive and mapped longer than the signal.
  private nonisolated(unsafe) let wakeUps: UnsafeMutablePointer<Atomic<UInt32>>
  private nonisolated(unsafe) let isAwaited: UnsafeMutablePointer<Atomic<UInt32>>

  /// A signal in the `byteCount` bytes at `memory`, whose address is a multiple of 4.
  init(at memory: UnsafeMutableRawPointer) {
    // SAFETY: two words inside of the bytes.
    unsafe wakeUps = unsafe memory.assumingMemoryBound(to: Atomic<UInt32>.self)
    unsafe isAwaited = unsafe (memory + 4).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Wakes all waiters, after what they wait for was stored.
  @inline(__always)
  func raise() {
    if unsafe isAwaited.pointee.load(ordering: .sequentiallyConsistent) != 0 { wakeAll() }
  }

  @inline(never)
  private func wakeAll() {
    // First: who sets it from here on waits for the next commit, or sees that `wakeUps` changed.
    unsafe isAwaited.pointee.store(0, ordering: .sequentiallyConsistent)
    unsafe wakeUps.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    unsafe SystemCalls.wakeAll(waitingFor: wakeUps)
  }

  /// Waits until `isReached` returns true, which is asked after every wake-up.
  ///
  /// Returns at the end of the timeout as well, and blocks the thread until then.
  func wait(timeout: Duration, until isReached: () -> Bool) {
    let end = ContinuousClock.now.advanced(by: timeout)
    while true {
      let seen = unsafe wakeUps.pointee.load(ordering: .sequentiallyConsistent)
      unsafe isAwaited.pointee.store(1, ordering: .sequentiallyConsistent)
      if isReached() { return }
      let remaining = ContinuousClock.now.duration(to: end)
      guard remaining > .zero else { return }
      unsafe SystemCalls.wait(for: wakeUps, toDifferFrom: seen, timeout: remaining)
    }
  }
}
