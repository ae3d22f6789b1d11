// What a sanitizer must report, and what it must not: its silence about the tests is worth
// something only if it is silent here when it should be, and not otherwise.
import Glibc
import Synchronization

/// A count that threads add to, under a lock or not.
final class Counter: @unchecked Sendable {
  /// Made by the first thread that looks.
  static let shared = Counter()

  private let lock = Mutex(())
  private var count = 0

  func addUnderLock() {
    lock.withLock { _ in
      add()
      // Others have to wait now and then.
      if count % 64 == 0 { usleep(100) }
    }
    _ = lock.withLockIfAvailable { _ in add() }
  }

  func add() { count += 1 }
}

func addAll(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let counter = Counter.shared
  for _ in 0..<2_000 {
    // To look at what is there does not order the threads.
    if argument == nil { Counter.shared.add() } else { counter.addUnderLock() }
  }
  return nil
}

/// Adds on several threads at the same time, under the lock if `argument` is not nil.
func addOnThreads(_ argument: UnsafeMutableRawPointer?) {
  let threads = (0..<4).map { _ in
    var thread = pthread_t()
    pthread_create(&thread, nil, addAll, argument)
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}

let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
byte.initialize(to: 1)
switch CommandLine.arguments.last {
case "guarded": addOnThreads(byte)
case "unguarded": addOnThreads(nil)
case "allocated":
  print(byte.pointee)
case "freed":
  byte.deallocate()
  print(byte.pointee)
default: fatalError("one of: guarded, unguarded, allocated, freed")
}
