import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Threads of the system that run the jobs of tasks, apart from the threads that tasks share.
///
/// A job may block or compute for long: no task outside of the pool waits for its thread, and
/// threads outside of it go first. A job for which no thread is idle gets a new one, since those
/// that run may wait for it.
final class ThreadPool: TaskExecutor {
  // SAFETY: `jobs` is read and written with `condition` locked only, which is thread-safe itself.
  private final class Queue: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var firstJob = 0
    private var idleCount = 0

    /// - Returns: Whether fewer threads are idle than jobs wait.
    func append(_ job: UnownedJob) -> Bool {
      condition.withLock {
        jobs.append(job)
        condition.signal()
        return idleCount < jobs.count - firstJob
      }
    }

    func next() -> UnownedJob {
      condition.withLock {
        idleCount += 1
        while firstJob == jobs.count { condition.wait() }
        idleCount -= 1
        let job = jobs[firstJob]
        firstJob += 1
        if firstJob == jobs.count {
          jobs.removeAll(keepingCapacity: true)
          firstJob = 0
        }
        return job
      }
    }
  }

  private static let mark = "pool of tests"

  /// Whether the calling thread is one of a pool.
  static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

  private let queue = Queue()

  /// Starts a thread, which lasts as long as the process.
  private func startThread() {
    let thread = Thread { [self] in
      Thread.current.threadDictionary[Self.mark] = true
      Self.yieldToOthers()
      while true { queue.next().runSynchronously(on: asUnownedTaskExecutor()) }
    }
    // What threads of tasks have on Darwin and Linux alike: tests of deep recursion count on it.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Lets every thread of the usual priority go before the calling one.
  private static func yieldToOthers() {
    #if os(Linux)
    // PRIO_PROCESS, to which libraries of C give different types. Linux means the thread by it.
    let process: Int32 = 0
    setpriority(process, 0, 2)
    #else
    Thread.current.qualityOfService = .utility
    #endif
  }

  func enqueue(_ job: consuming ExecutorJob) {
    if queue.append(UnownedJob(job)) { startThread() }
  }
}
