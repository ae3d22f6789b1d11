/// Is told that a realm has changed.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
  /// Calls `block` whenever the realm has changed: at once after a write of its own.
  ///
  /// - Returns: A token; it ends the observation when it is gone.
  public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
    context.checkConfinement()
    if context.isFrozen { Misuse.trap("a frozen realm never changes, so it cannot be observed") }
    return context.notifier.add(WholeRealmObserver(context, block))
  }
}

private final class WholeRealmObserver: RealmObserver {
  let observation = Observation()
  /// Kept alive by its observers.
  private let context: _RealmContext
  private let block: NotificationBlock

  init(_ context: _RealmContext, _ block: @escaping NotificationBlock) {
    self.context = context
    self.block = block
  }

  var isOfRealm: Bool { true }

  func note(_ notification: Realm.Notification, _ context: _RealmContext) {
    block(notification, Realm(context))
  }

  func deliver(_ round: DeliveryRound) {}
  func rebase(_ context: _RealmContext) {}
}
