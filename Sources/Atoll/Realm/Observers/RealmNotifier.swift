internal import AtollObjects
internal import Synchronization

/// Tells the observers of one realm what has changed.
///
/// After a commit of the realm itself its observers are told at the next turn of the scheduler, or
/// before the realm moves on if that is earlier; after commits of others, when the realm moves.
final class RealmNotifier {
  private unowned let context: _RealmContext

  // SAFETY: guarded by the lock; observers are used only where the realm belongs.
  private struct Registry: @unchecked Sendable {
    var observers: [Int: any RealmObserver] = [:]
    var nextNumber = 0
  }

  private let registry = Mutex(Registry())
  /// What writes of this realm did that was not told yet: held, so that it is known then.
  private var ownCommits: [CommittedChanges] = []
  private var isScheduled = false

  init(_ context: _RealmContext) { self.context = context }

  // MARK: Observers

  /// Adds an observer; it hears of the initial state at the next turn of the scheduler, or before
  /// the realm moves on if that is earlier.
  func add(_ observer: any RealmObserver) -> NotificationToken {
    let token = NotificationToken(observer.observation)
    attach(observer)
    schedule()
    return token
  }

  func attach(_ observer: any RealmObserver) {
    // SAFETY: the observer stays where the realm belongs.
    nonisolated(unsafe) let observer = observer
    let number = registry.withLock { registry in
      registry.nextNumber += 1
      unsafe registry.observers[registry.nextNumber] = observer
      return registry.nextNumber
    }
    if unsafe !observer.observation.begin(in: self, number: number) { remove(number) }
  }

  func remove(_ number: Int) {
    // What an observer holds may end with it, and run code of the application: not under the lock.
    let removed = registry.withLock { registry in
      let observer = registry.observers.removeValue(forKey: number)
      var content = Registry()
      content.observers[number] = observer
      return content
    }
    withExtendedLifetime(removed) {}
  }

  /// The observers in the order in which they were added.
  private var observers: [any RealmObserver] {
    let content = registry.withLock { $0 }
    return content.observers.sorted { $0.key < $1.key }.map(\.value)
  }

  private var hasObserversOfData: Bool {
    registry.withLock { $0.observers.contains { !$0.value.isOfRealm } }
  }

  // MARK: What the realm does

  /// A write of this realm was committed and made a version.
  func note(_ changes: CommittedChanges) {
    if hasObserversOfData { ownCommits.append(changes) }
  }

  /// The realm shows another version.
  func didAdvance(_ advance: _RealmContext.Advance) {
    switch advance {
    case .commit(let version, let tokens):
      let skipped = tokens.map(\.observation)
      // With a version of others on top of it, telling too much is better than missing theirs.
      if version == context.snapshot.version {
        for observer in observers where skipped.contains(where: { $0 === observer.observation }) {
          observer.rebase(context)
        }
      }
      notifyRealmObservers(.didChange, except: skipped)
      schedule()
    case .begin, .refresh:
      notifyRealmObservers(.didChange)
      deliver()
    }
  }

  /// There is a newer version, and the realm does not move by itself.
  func refreshRequired() { notifyRealmObservers(.refreshRequired) }

  private func notifyRealmObservers(
    _ notification: Realm.Notification, except skipped: [Observation] = []
  ) {
    for observer in observers where observer.isOfRealm {
      let observation = observer.observation
      if !skipped.contains(where: { $0 === observation }), observation.isActive {
        observer.note(notification, context)
      }
    }
  }

  // MARK: Delivery

  /// Sees to it that observers are told at the next turn of the scheduler.
  func schedule() {
    guard !isScheduled, hasObserversOfData, context.confinement.hasScheduler else { return }
    isScheduled = true
    // A scheduled delivery keeps no realm open: a realm closed meanwhile delivers nothing.
    let realm = OpenRealms.reference(to: context)
    context.confinement.schedule {
      // Held to the end of the call: its last owner may be a token that another thread invalidates.
      guard let context = realm() else { return }
      withExtendedLifetime(context) { context.notifier.deliverScheduled() }
    }
  }

  private func deliverScheduled() {
    guard isScheduled else { return }
    isScheduled = false
    // What the open write has changed may be undone: its end schedules what is to be told.
    if context.hasUncommittedChanges { return }
    deliver()
  }

  /// Tells observers what has not been told yet, before the realm moves on.
  ///
  /// Inside of a callback, only those that it has added hear of what they begin with: all others
  /// are told what they still miss when the callback has returned.
  func flush() {
    guard isScheduled else { return }
    deliver(toNewOnly: context.isNotifying)
  }

  private func deliver(toNewOnly: Bool = false) {
    let isNested = context.isNotifying
    context.isNotifying = true
    defer { context.isNotifying = isNested }
    let round = DeliveryRound(context, ownCommits)
    guard round.hasVersion else { return }
    let newest = round.snapshot.version
    for observer in observers where !observer.isOfRealm && (!toNewOnly || observer.isNew) {
      // A callback may have ended this one, or moved the realm and told everybody about it.
      guard observer.observation.isActive else { continue }
      guard context.snapshot.version == newest else { return }
      observer.deliver(round)
    }
    if !toNewOnly { ownCommits.removeAll { $0.version <= newest } }
  }
}

/// An observer of a realm, called where the realm belongs.
protocol RealmObserver: AnyObject {
  var observation: Observation { get }
  /// Whether it hears that the realm has changed, and not what.
  var isOfRealm: Bool { get }
  /// Whether it hears of the state that the realm shows, and has not been told of any yet.
  var isNew: Bool { get }
  func note(_ notification: Realm.Notification, _ context: _RealmContext)
  /// Tells what has changed since the last time.
  func deliver(_ round: DeliveryRound)
  /// Takes the present state for told.
  func rebase(_ context: _RealmContext)
}

extension RealmObserver {
  var isOfRealm: Bool { false }
  var isNew: Bool { false }
  func note(_ notification: Realm.Notification, _ context: _RealmContext) {}
}
