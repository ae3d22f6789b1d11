/// A realm, a collection or an object in one version, which any thread, task or actor may read.
///
///     let dogs = realm.objects(Dog.self).snapshot()
///     let names = await Task.detached { dogs.value.map(\.name) }.value
///
/// Swift does not let a frozen collection or object go to another thread, though it may be read
/// there. A snapshot may go: each reader gets a frozen value of its own from it.
///
/// The version stays in the file until the last copy of the snapshot is gone, and everything that
/// was read from it. Until then the file is open: it cannot be deleted, and what is in memory only
/// stays there.
public struct RealmSnapshot<Value>: Sendable {
  // SAFETY: what is frozen never changes, and several threads may read the realm that it belongs to.
  // An object or a collection, which may keep what was read through it, is not given out itself.
  private let frozen: Carried<Value>

  init(_ frozen: Value) { self.frozen = Carried(value: frozen) }

  /// The frozen realm, collection or object, for the thread that asks.
  ///
  /// What is read from it is frozen, too.
  public var value: Value {
    guard let confined = frozen.value as? any ThreadConfined else { return frozen.value }
    return Self.copied(confined) as? Value ?? frozen.value
  }

  /// Another instance of what is frozen; nil where it cannot be read, as was told.
  private static func copied(_ frozen: some ThreadConfined) -> Any? {
    frozen.realm.flatMap { frozen._moved(to: $0.context) }
  }
}

extension Realm {
  /// The version that is read now, in a form that may go to other threads; in a write, the version
  /// before it.
  ///
  /// - Returns: A snapshot, whose value is a frozen realm.
  public func snapshot() -> RealmSnapshot<Realm> { RealmSnapshot(freeze()) }
}

extension ThreadConfined {
  /// What this is now, in a form that may go to other threads.
  ///
  /// What cannot be frozen ends the process, as an object that no realm manages.
  ///
  /// - Returns: A snapshot, whose value is frozen.
  public func snapshot() -> RealmSnapshot<Self> { RealmSnapshot(freeze()) }
}
