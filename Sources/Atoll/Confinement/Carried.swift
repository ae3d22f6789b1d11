/// A realm on its way to the place where it is confined, and is used there only.
///
/// SAFETY: `Confinement.schedule` runs the closure that holds it at that place.
struct Carried<Value>: @unchecked Sendable {
  let value: Value
}

/// The same for one that may be gone when it gets there.
///
/// SAFETY: as of `Carried`; reading a weak reference is atomic.
struct WeaklyCarried<Value: AnyObject>: @unchecked Sendable {
  private(set) weak var value: Value?

  init(_ value: Value) { self.value = value }
}
