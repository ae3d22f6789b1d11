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

/// The body of one thread, as an object whose address can be passed through C.
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

#if canImport(Darwin)
private typealias ThreadName = pthread_t?
#else
private typealias ThreadName = pthread_t
#endif

/// Starts a thread of the system that does `work`.
@discardableResult
private func startThread(_ work: @escaping () -> Void) -> ThreadName {
  let argument = Unmanaged.passRetained(Work(work)).toOpaque()
  #if canImport(Darwin)
  var thread: ThreadName
  let failure = pthread_create(&thread, nil, { start($0) }, argument)
  #else
  var thread = ThreadName()
  let failure = pthread_create(&thread, nil, start, argument)
  #endif
  precondition(failure == 0, "the system gives no thread: \(failure)")
  return thread
}

/// Runs `body` on `count` threads of the system at the same time, and returns when all are done.
///
/// Tasks would not do: they share as many threads as there are processors, and may not block.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
  let waiting = Barrier(count)
  let threads = (0..<count).map { index in
    startThread {
      waiting.arriveAndWait()
      body(index)
    }
  }
  for thread in threads {
    #if canImport(Darwin)
    if let thread { pthread_join(thread, nil) }
    #else
    pthread_join(thread, nil)
    #endif
  }
}

/// Runs `body` once for each element, on `count` threads of the system; each takes the next one.
package func onThreads<Element: Sendable>(
  _ count: Int, each elements: [Element], _ body: @escaping @Sendable (Element) -> Void
) {
  let next = Atomic(0)
  onThreads(count) { _ in
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < elements.count else { return }
      body(elements[index])
    }
  }
}

/// Runs `body` on a thread of its own, while the calling task waits without holding one.
///
/// For work that blocks or spins: on a machine with two cores, two such tests would hold every
/// thread that tasks have, and a third, whose end they wait for, would never run.
package func onOwnThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    startThread { continuation.resume(with: Result { try body() }) }
  }
}
