#if Sync
import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP as calls, instead of the end of the process.
///
/// The handler of a signal writes its number to a pipe that a thread reads. The signals are
/// unblocked on the calling thread, as a program that starts a server may leave them blocked to it:
/// threads of Dispatch block all, and what they start inherits that.
final class ServerSignals {
  enum Request: Sendable {
    /// SIGINT or SIGTERM: end in good order.
    case end
    /// SIGHUP: read the configuration again.
    case reload
  }

  private static let numbers = [SIGINT, SIGTERM, SIGHUP]
  /// Where the handler writes; -1 for nowhere.
  private static let writeEnd = Atomic<Int32>(-1)

  /// Begins to call `handle`, on a thread of its own; once in a process.
  ///
  /// Without a pipe the signals end the process, which loses nothing.
  init(_ handle: @escaping @Sendable (Request) -> Void) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the array has room for the two descriptors that `pipe` writes.
    guard unsafe pipe(&ends) == 0 else { return }
    let readEnd = ends[0]
    Self.writeEnd.store(ends[1], ordering: .releasing)
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while true {
        // SAFETY: one byte is read into a variable of one byte.
        let count = unsafe read(readEnd, &byte, 1)
        if count == 1 {
          handle(Int32(byte) == SIGHUP ? .reload : .end)
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }
    for number in Self.numbers {
      _ = signal(number) { ServerSignals.note($0) }
    }
    Self.unblock()
  }

  /// The handler of a signal: one system call, and no allocation.
  private static func note(_ number: Int32) {
    var byte = UInt8(truncatingIfNeeded: number)
    // SAFETY: one byte is written from a variable of one byte.
    _ = unsafe write(writeEnd.load(ordering: .acquiring), &byte, 1)
  }

  private static func unblock() {
    var set = sigset_t()
    // SAFETY: the calls fill and read the variable and keep nothing of it.
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Lets the signals end the process again: a second Ctrl-C is not to be waited for.
  func forget() {
    for number in Self.numbers { _ = signal(number, SIG_DFL) }
  }
}

/// Why the main thread continues: a signal requested the end, or there is nothing left to serve.
final class ServerEnd: Sendable {
  private let hasFailed = Mutex(false)
  private let semaphore = DispatchSemaphore(value: 0)

  func ask() { semaphore.signal() }

  func fail() {
    hasFailed.withLock { $0 = true }
    semaphore.signal()
  }

  /// Blocks until one of the two; returns whether it was a failure.
  func wait() -> Bool {
    semaphore.wait()
    return hasFailed.withLock { $0 }
  }
}

/// Concurrent work that the main thread waits for.
enum BlockingTask {
  /// Waits for so long at most; returns whether `body` has ended.
  static func wait(
    milliseconds: Int, _ body: @escaping @Sendable () async -> Void
  ) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached {
      await body()
      semaphore.signal()
    }
    return semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}
#endif
