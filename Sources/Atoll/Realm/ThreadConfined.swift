/// What belongs to a realm, and so to the thread, queue or actor of the realm.
public protocol ThreadConfined {
  /// The realm; nil for what is unmanaged.
  var realm: Realm? { get }
  /// Whether what it stands for is gone.
  var isInvalidated: Bool { get }
  /// Whether it is of one version for ever, which any thread may read.
  var isFrozen: Bool { get }
  /// What it is now, for any thread.
  func freeze() -> Self
  /// The live form of a frozen one; nil when it does not exist any more.
  func thaw() -> Self?
  /// The same in another realm of the same file; nil when it does not exist there.
  func _moved(to context: _RealmContext) -> Self?
}
