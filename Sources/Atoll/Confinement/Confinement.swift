internal import Foundation
internal import Synchronization

/// The place that a realm is confined to, where its notifications are delivered.
enum Confinement: Sendable {
  /// A plain thread, which nothing can be delivered to.
  case thread(UInt)
  /// The main queue, which is also the main actor's.
  case main
  case queue(DispatchQueue)
  case isolated(ActorReference)
  /// Nothing: a frozen realm.
  case none

  static func actor(_ actor: any Actor) -> Confinement { .isolated(ActorReference(actor)) }

  /// The main queue when called there, else the thread.
  static var current: Confinement {
    if isOnMain { return .main }
    return .thread(ThreadNumber.current)
  }

  /// A serial queue, which the caller runs on; nil when it runs elsewhere.
  init?(queue: DispatchQueue) {
    if Self.isMain(queue) {
      guard Self.isOnMain else { return nil }
      self = .main
      return
    }
    guard Self.isOn(queue) else { return nil }
    self = .queue(queue)
  }

  /// Whether something can be delivered.
  var hasScheduler: Bool {
    switch self {
    case .main, .queue, .isolated: true
    case .thread, .none: false
    }
  }

  /// Whether asynchronous writes are possible: an async function can return here.
  var isActor: Bool {
    switch self {
    case .main, .isolated: true
    case .thread, .queue, .none: false
    }
  }

  /// What tells realms of one file apart.
  var identity: Identity {
    switch self {
    case .thread(let number): .thread(number)
    case .main: .main
    case .queue(let queue): .queue(Self.number(of: queue))
    case .isolated(let reference):
      reference.identity == ObjectIdentifier(MainActor.shared)
        ? .main : .object(reference.identity)
    case .none: .none
    }
  }

  enum Identity: Hashable, Sendable {
    case thread(UInt)
    case main
    case queue(Int)
    case object(ObjectIdentifier)
    case none
  }

  /// The actor, for those who keep it alive while something is on its way to it; nil elsewhere.
  var owner: (any Actor)? {
    guard case .isolated(let reference) = self else { return nil }
    return reference.actor
  }

  /// Whether the place still exists: the identity of an actor that is gone may be another one's
  /// now.
  var isAlive: Bool {
    guard case .isolated(let reference) = self else { return true }
    return reference.actor != nil
  }

  /// Runs `body` where the realm belongs, later; not at all when that is an actor that is gone.
  func schedule(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .main: DispatchQueue.main.async(execute: body)
    case .queue(let queue): queue.async(execute: body)
    case .isolated(let reference):
      guard let actor = reference.actor else { return }
      _Concurrency.Task { await Self.run(on: actor, body) }
    case .thread, .none: break
    }
  }

  /// As `schedule`; at once where nothing can be delivered.
  func deliver(_ body: @escaping @Sendable () -> Void) {
    if hasScheduler { schedule(body) } else { body() }
  }

  private static func run(on actor: isolated any Actor, _ body: @Sendable () -> Void) { body() }

  /// Ends the process unless the caller is where the realm belongs.
  ///
  /// For callers on another thread than last time; the executor knows whether that is another
  /// place.
  func check() {
    switch self {
    case .thread:
      Misuse.trap(
        "a realm, or an object or collection of it, was used on another thread than the one that "
          + "opened it; open the realm there again, hand over a ThreadSafeReference, or freeze it")
    case .main:
      // What the runtime says of a wrong thread is no sentence.
      if !Self.isOnMain { Misuse.trap(Self.wrongMain) }
    case .queue(let queue):
      if !Self.isOn(queue) { Misuse.trap(Self.wrongQueue(queue)) }
    case .isolated(let reference):
      guard let actor = reference.actor else {
        Misuse.trap(Self.wrongPlace + ". The actor is gone")
      }
      if identity == .main {
        if !Self.isOnMain { Misuse.trap(Self.wrongMain) }
        return
      }
      actor.preconditionIsolated(Self.wrongPlace)
    case .none: break
    }
  }

  private static let wrongPlace =
    "a realm, or an object or collection of it, was used outside of the actor that it was opened "
    + "for; open the realm there again, hand over a ThreadSafeReference, or freeze it"

  private static let wrongMain =
    "a realm of the main thread or the main actor, or an object or collection of it, was used on "
    + "another thread; open the realm there again, hand over a ThreadSafeReference, or freeze it"

  private static func wrongQueue(_ queue: DispatchQueue) -> String {
    "a realm of the queue '\(queue.label)', or an object or collection of it, was used outside of "
      + "the queue; open the realm there again, hand over a ThreadSafeReference, or freeze it"
  }

  // MARK: The main queue

  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether a queue is the main one; on Linux each `DispatchQueue.main` is another instance.
  private static func isMain(_ queue: DispatchQueue) -> Bool {
    queue.getSpecific(key: mainKey) == true
  }

  static var isOnMain: Bool {
    DispatchQueue.getSpecific(key: mainKey) == true || Thread.isMainThread
  }

  // MARK: Other queues

  private static let queueKey = DispatchSpecificKey<Int>()
  private static let lastQueueNumber = Mutex(0)

  /// The number of a queue, which the queue itself keeps: several instances of `DispatchQueue` may
  /// stand for one queue, and the place of one that is gone may be another one's now.
  private static func number(of queue: DispatchQueue) -> Int {
    if let number = queue.getSpecific(key: queueKey) { return number }
    return lastQueueNumber.withLock { last in
      // Another thread may have given it one.
      if let number = queue.getSpecific(key: queueKey) { return number }
      last += 1
      queue.setSpecific(key: queueKey, value: last)
      return last
    }
  }

  /// Whether the caller runs on a queue.
  static func isOn(_ queue: DispatchQueue) -> Bool {
    let number = number(of: queue)
    return DispatchQueue.getSpecific(key: queueKey) == number
  }
}

/// An actor, which its realm does not keep alive: the actor may well keep the realm.
///
/// SAFETY of `Sendable`: the reference is never set again, and reading a weak one is atomic.
struct ActorReference: @unchecked Sendable {
  private(set) weak var actor: (any Actor)?
  let identity: ObjectIdentifier

  init(_ actor: any Actor) {
    self.actor = actor
    identity = ObjectIdentifier(actor)
  }
}

/// The number of a thread, unique among those that live.
enum ThreadNumber {
  static var current: UInt {
    #if canImport(Glibc)
    pthread_self()
    #else
    UInt(bitPattern: pthread_self())
    #endif
  }
}
