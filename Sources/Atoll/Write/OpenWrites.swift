internal import Foundation

/// Keeps realms in which a write was begun, so that `try Realm().beginWrite()` and then
/// `try Realm().commitWrite()` are of one realm.
///
/// One belongs to each thread, and ends with it: the writes that are open then are undone.
final class OpenWrites {
  private var realms: [ObjectIdentifier: _RealmContext] = [:]

  private static let name = "atoll.open-writes"

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
  /// Where the realm is confined to a thread, that is until the write ends; elsewhere until what
  /// runs there now has ended, as one that goes on later needs a realm of its own for it.
  static func keep(_ context: _RealmContext) {
    guard context.confinement.hasScheduler else {
      context.isKeptByThread = true
      current.realms[ObjectIdentifier(context)] = context
      return
    }
    let kept = Carried(value: context)
    context.confinement.schedule { withExtendedLifetime(kept) {} }
  }

  func remove(_ context: _RealmContext) {
    context.isKeptByThread = false
    realms[ObjectIdentifier(context)] = nil
  }
}
