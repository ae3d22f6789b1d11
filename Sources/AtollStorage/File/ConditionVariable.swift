#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#else
#error("A port gives SystemCalls, ErrorNumber and ConditionVariable for its system here.")
#endif

/// A mutex and a condition variable of the system, for the one wait that lasts.
///
/// `Synchronization.Mutex` cannot wait for a condition. The two objects live outside of Swift's
/// memory, because the system does not allow them to move.
@safe final class ConditionVariable: Sendable {
  // SAFETY: allocated and initialised once, freed in `deinit`; the objects guard themselves.
  private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    let mutexFailure = unsafe pthread_mutex_init(mutex, nil)
    let conditionFailure = unsafe pthread_cond_init(condition, nil)
    precondition(mutexFailure == 0, "a mutex with default attributes can be made")
    precondition(conditionFailure == 0, "a condition variable with default attributes can be made")
  }

  deinit {
    _ = unsafe pthread_cond_destroy(condition)
    _ = unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone, and afterwards wakes one waiter.
  func signalling<Result>(_ body: () -> Result) -> Result {
    _ = unsafe pthread_mutex_lock(mutex)
    defer {
      _ = unsafe pthread_cond_signal(condition)
      _ = unsafe pthread_mutex_unlock(mutex)
    }
    return body()
  }

  /// Runs `body` alone, again after each wake-up, until it returns true.
  func wait(until body: () -> Bool) {
    _ = unsafe pthread_mutex_lock(mutex)
    while !body() { _ = unsafe pthread_cond_wait(condition, mutex) }
    _ = unsafe pthread_mutex_unlock(mutex)
  }
}
