/// A realm on its way to the place where it is confined, and is used there only.
///
/// SAFETY: `Confinement.schedule` runs the closure that holds it at that place.
struct Carried<Value>: @unchecked Sendable {
  let value: Value
}
