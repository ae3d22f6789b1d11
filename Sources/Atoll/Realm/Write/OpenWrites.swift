internal import Dispatch
internal import Foundation
internal import Synchronization

/// Keeps realms in which a write was begun, so that `try Realm().beginWrite()` and then
/// `try Realm().commitWrite()` are of one realm.
///
/// One belongs to each thread, and ends with it: the writes that are open then are undone.
///
/// Invariant: while a realm is kept, a timer is under way that fires at its deadline or before, and
/// starts the next one then. So a thread that writes all the time has one timer.
final class OpenWrites: Sendable {
  private struct Kept {
    let deadline: DispatchTime
    let realm: Carried<_RealmContext>
  }

  private struct State {
    var realms: [ObjectIdentifier: Kept] = [:]
    var timers: [DispatchTime] = []
  }

  private let state = Mutex(State())

  private static let name = "atoll.open-writes"

  /// How long a thread keeps a realm that nothing else keeps.
  ///
  /// A thread of a queue lives on after a block that an error has ended, and a write that stays open
  /// there lets no other begin.
  private static let keepingTime = DispatchTimeInterval.seconds(10)

  /// Those of this thread.
  static var current: OpenWrites {
    let dictionary = Thread.current.threadDictionary
    if let known = dictionary[name] as? OpenWrites { return known }
    let made = OpenWrites()
    dictionary[name] = made
    return made
  }

  /// When the timers fire that are under way.
  var timers: [DispatchTime] { state.withLock { $0.timers } }

  /// Keeps a realm whose write has begun here.
  ///
  /// That is until the write ends: where the realm is confined to a thread, for `time` at most;
  /// elsewhere as long as what runs there now, as one that goes on later needs a realm of its own
  /// for it.
  static func keep(_ context: _RealmContext, for time: DispatchTimeInterval = keepingTime) {
    guard context.confinement.hasScheduler else {
      context.isKeptByThread = true
      let deadline = DispatchTime.now() + time
      let keeper = current
      keeper.state.withLock { state in
        state.realms[ObjectIdentifier(context)] = Kept(
          deadline: deadline, realm: Carried(value: context))
      }
      keeper.startTimer(deadline)
      return
    }
    let kept = KeptRealm(context)
    context.kept = kept
    context.confinement.schedule { withExtendedLifetime(kept) {} }
  }

  /// Keeps a realm no longer whose write has ended here.
  static func letGo(of context: _RealmContext) {
    context.kept?.letGo()
    if context.isKeptByThread { current.remove(context) }
  }

  private func remove(_ context: _RealmContext) {
    context.isKeptByThread = false
    let removed = state.withLock { $0.realms.removeValue(forKey: ObjectIdentifier(context)) }
    withExtendedLifetime(removed) {}
  }

  /// Sees to it that a timer fires at `deadline` or before.
  private func startTimer(_ deadline: DispatchTime) {
    let isNeeded = state.withLock { state in
      if state.timers.contains(where: { $0 <= deadline }) { return false }
      state.timers.append(deadline)
      return true
    }
    guard isNeeded else { return }
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.fire(deadline) }
  }

  /// Keeps no longer what has been kept until `time`.
  private func fire(_ time: DispatchTime) {
    let (dropped, next) = state.withLock { state in
      state.timers.removeAll { $0 == time }
      let due = state.realms.filter { $0.value.deadline <= time }
      for id in due.keys { state.realms[id] = nil }
      return (due, state.realms.values.map(\.deadline).min())
    }
    // They may be the last references: what their end does is not done in the lock.
    withExtendedLifetime(dropped) {}
    if let next { startTimer(next) }
  }
}

/// A realm that is kept by what is scheduled where it is confined, until its write has ended.
final class KeptRealm: Sendable {
  private let realm: Mutex<Carried<_RealmContext>?>

  init(_ context: _RealmContext) { realm = Mutex(Carried(value: context)) }

  func letGo() {
    let realm = realm.withLock { $0.take() }
    withExtendedLifetime(realm) {}
  }
}
