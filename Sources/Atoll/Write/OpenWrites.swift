internal import Dispatch
internal import Foundation
internal import Synchronization

/// Keeps realms in which a write was begun, so that `try Realm().beginWrite()` and then
/// `try Realm().commitWrite()` are of one realm.
///
/// One belongs to each thread, and ends with it: the writes that are open then are undone.
final class OpenWrites: Sendable {
  private struct Kept {
    /// Of the write.
    var number: UInt32
    var realm: Carried<_RealmContext>
  }

  private let realms = Mutex<[ObjectIdentifier: Kept]>([:])

  private static let name = "atoll.open-writes"

  /// How long a thread keeps a realm that nothing else keeps, in seconds.
  ///
  /// A thread of a queue lives on after a block that an error has ended, and a write that stays open
  /// there lets no other begin.
  private static let keepingSeconds = 10

  /// Those of this thread.
  static var current: OpenWrites {
    let dictionary = Thread.current.threadDictionary
    if let known = dictionary[name] as? OpenWrites { return known }
    let made = OpenWrites()
    dictionary[name] = made
    return made
  }

  /// Keeps a realm whose write has begun here.
  ///
  /// Where the realm is confined to a thread, that is until the write ends, for ten seconds at most;
  /// elsewhere until what runs there now has ended, as one that goes on later needs a realm of its
  /// own for it.
  static func keep(_ context: _RealmContext) {
    let kept = Carried(value: context)
    guard context.confinement.hasScheduler else {
      context.isKeptByThread = true
      let keeper = current
      let id = ObjectIdentifier(context)
      let number = context.writeNumber
      keeper.realms.withLock { $0[id] = Kept(number: number, realm: kept) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(keepingSeconds)) {
        [weak keeper] in
        keeper?.drop(id) { $0 == number }
      }
      return
    }
    context.confinement.schedule { withExtendedLifetime(kept) {} }
  }

  func remove(_ context: _RealmContext) {
    context.isKeptByThread = false
    drop(ObjectIdentifier(context)) { _ in true }
  }

  /// Keeps a realm no longer, if its write is one of these.
  private func drop(_ id: ObjectIdentifier, where isMeant: (_ number: UInt32) -> Bool) {
    let dropped = realms.withLock { realms in
      realms[id].map { isMeant($0.number) } ?? false ? realms.removeValue(forKey: id) : nil
    }
    // It may be the last reference: what its end does is not done in the lock.
    withExtendedLifetime(dropped) {}
  }
}
