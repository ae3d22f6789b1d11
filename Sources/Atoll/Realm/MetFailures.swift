internal import Synchronization

// Misuse and failure are two things. A mistake of the program ends the process with a sentence. A
// damaged page and a disk that fails are no mistake of the program: they are thrown where a function
// throws, a write throws them at its end, and where nothing can be thrown the failure handler of the
// configuration is told, and what was asked for has the value of nothing.

/// The failures that a realm has met.
///
/// A frozen realm is read by many threads.
final class MetFailures: Sendable {
  private let number = Atomic<Int>(0)
  private let newest = Mutex<Realm.Error?>(nil)

  /// How many there were: what was read while the number stayed was read without one.
  var count: Int { number.load(ordering: .relaxed) }

  var last: Realm.Error? { newest.withLock { $0 } }

  func add(_ failure: Realm.Error) {
    newest.withLock { $0 = failure }
    number.add(1, ordering: .relaxed)
  }
}

/// The failures that were met while a lock was held, which are told when it is free.
final class HeldFailures: Sendable {
  private typealias Told = (handler: @Sendable (Realm.Error) -> Void, failure: Realm.Error)

  @TaskLocal private static var current: HeldFailures?
  @TaskLocal private static var telling: Telling?

  /// A call of a handler; a task that was begun by it goes on with this value.
  private final class Telling: Sendable {
    let isOver = Atomic(false)
  }

  /// Nil when the lock is free again: a task that was begun under it goes on with this value.
  private let held = Mutex<[Told]?>([])

  /// Tells a handler of a failure: now, or where a lock is held when it is free.
  ///
  /// A handler that reads what fails is not told of it once more: it would never end.
  static func tell(_ failure: Realm.Error, to handler: @escaping @Sendable (Realm.Error) -> Void) {
    if let telling, !telling.isOver.load(ordering: .relaxed) { return }
    let isHeld = current?.held.withLock { held in
      held?.append((handler, failure))
      return held != nil
    }
    if isHeld != true { call(handler, failure) }
  }

  private static func call(
    _ handler: @Sendable (Realm.Error) -> Void, _ failure: Realm.Error
  ) {
    let telling = Telling()
    defer { telling.isOver.store(true, ordering: .relaxed) }
    $telling.withValue(telling) { handler(failure) }
  }

  /// Runs what holds a lock, and then tells of the failures that it has met.
  static func telling<Result>(after body: () throws -> Result) rethrows -> Result {
    let failures = HeldFailures()
    defer {
      let told = failures.held.withLock { $0.take() }
      for told in told ?? [] { call(told.handler, told.failure) }
    }
    return try $current.withValue(failures) { try body() }
  }
}
