internal import CRetain

/// A reference to a realm that does not keep it, and costs its other references nothing.
///
/// A `weak` reference gives an object counts of references outside of itself, so that each retain
/// takes another way to them; and each object that is read retains its realm.
@safe
struct UnretainedRealm: @unchecked Sendable {
  // SAFETY: who holds one asks it under a lock that the `deinit` of the realm takes, too, to have it
  // let go of; so the memory of the realm is there. What it gives is used where it is confined.
  private let realm: Unmanaged<_RealmContext>

  init(_ context: _RealmContext) { unsafe realm = Unmanaged.passUnretained(context) }

  /// The realm; nil when its `deinit` has begun.
  func retained() -> _RealmContext? {
    // SAFETY: as above. The runtime retains the object unless its end has begun.
    unsafe try_retain(realm.toOpaque()) == nil ? nil : realm.takeRetainedValue()
  }
}
