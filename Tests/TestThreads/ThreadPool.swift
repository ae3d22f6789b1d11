import Foundation
import Synchronization

/// Threads of the system that run the jobs of tasks, apart from the threads that tasks share.
///
/// A job may block or compute for long: no task outside of the pool waits for its thread.
final class ThreadPool: TaskExecutor {
  // SAFETY: `jobs` is read and written with `condition` locked only, which is thread-safe itself.
  private final class Queue: @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var firstJob = 0

    func append(_ job: UnownedJob) {
      condition.withLock {
        jobs.append(job)
        condition.signal()
      }
    }

    func next() -> UnownedJob {
      condition.withLock {
        while firstJob == jobs.count { condition.wait() }
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

  /// Starts the threads, which last as long as the process.
  init(threadCount: Int) {
    for index in 0..<threadCount {
      let thread = Thread { [self] in
        Thread.current.threadDictionary[Self.mark] = true
        while true { queue.next().runSynchronously(on: asUnownedTaskExecutor()) }
      }
      thread.name = "test \(index)"
      // What threads of tasks have on Darwin and Linux alike: tests of deep recursion count on it.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) { queue.append(UnownedJob(job)) }
}
