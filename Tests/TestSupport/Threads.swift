import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Holds threads back until all have come, so that the first does not end before the last begins.
private final class Barrier: Sendable {
  private let missing: Atomic<Int>

  init(_ count: Int) {
    missing = Atomic(count)
  }

  func arriveAndWait() {
    missing.subtract(1, ordering: .acquiringAndReleasing)
    while missing.load(ordering: .acquiring) > 0 { sched_yield() }
  }
}

/// What one thread does, as an object whose address can travel through C.
private final class Work {
  let run: () -> Void

  init(_ run: @escaping () -> Void) {
    self.run = run
  }
}

/// The function in which a thread begins.
private func start(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
  return nil
}

/// Runs `body` on `count` threads of the system at the same time, and returns when all are done.
///
/// Tasks would not do: they share as many threads as there are processors, and may not block.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
  let waiting = Barrier(count)
  let threads = (0..<count).map { index in
    let work = Unmanaged.passRetained(
      Work {
        waiting.arriveAndWait()
        body(index)
      }
    ).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    let failure = pthread_create(&thread, nil, { start($0) }, work)
    #else
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, start, work)
    #endif
    precondition(failure == 0, "the system gives no thread \(index)")
    return thread
  }
  for thread in threads {
    #if canImport(Darwin)
    if let thread { pthread_join(thread, nil) }
    #else
    pthread_join(thread, nil)
    #endif
  }
}
