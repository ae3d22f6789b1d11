/// Makes a property of a projection show what a key path of its object leads to.
///
/// The property can be set where the key path can.
@propertyWrapper
public struct Projected<Root: ObjectBase & ThreadConfined, Value> {
  let keyPath: KeyPath<Root, Value>

  /// Declares a property that shows what the key path leads to.
  public init(_ projectedKeyPath: KeyPath<Root, Value>) { keyPath = projectedKeyPath }

  @available(*, unavailable, message: "@Projected is for properties of projections")
  public var wrappedValue: Value {
    get { Misuse.trap("@Projected is for properties of projections") }
    // swift-format-ignore: OmitExplicitReturns
    set { _ = newValue }
  }

  public static subscript<Enclosing: Projection<Root>>(
    _enclosingInstance projection: Enclosing,
    wrapped wrappedKeyPath: KeyPath<Enclosing, Value>,
    storage storageKeyPath: KeyPath<Enclosing, Projected>
  ) -> Value {
    get { projection.rootObject[keyPath: projection[keyPath: storageKeyPath].keyPath] }
    set {
      let keyPath = projection[keyPath: storageKeyPath].keyPath
      guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
        Misuse.trap("a projected property was set whose key path cannot be written: \(keyPath)")
      }
      projection.rootObject[keyPath: writable] = newValue
    }
  }
}
