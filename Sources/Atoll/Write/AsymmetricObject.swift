/// An object that only goes to the server: an event, a measurement, a line of a log.
///
/// `realm.create(Event.self, value:)` in a write of a synced realm makes one. It waits in the file
/// until the server has it, with or without a network, and is nowhere else: it cannot be read,
/// queried, changed, deleted or subscribed to, no property can hold one, and no device gets it. It
/// may hold embedded objects and links. A class of such objects needs a primary key and no
/// subscription.
open class AsymmetricObject: ObjectBase {
  /// Makes an unmanaged object in which each property has its default.
  public required init() { super.init() }

  /// Makes an unmanaged object from a dictionary of properties, an array of them in the order of
  /// their declarations, or another object.
  public convenience init(value: Any) {
    self.init()
    fill(from: value)
  }

  public override class func isAsymmetric() -> Bool { true }
}

extension Realm {
  /// Makes an object that the server gets and the realm does not keep.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - value: A dictionary of properties, an array of them in the order of their declarations, or
  ///     another object, which stays as it is.
  public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
    let name = ClassDescriptor.of(type).name
    _ = context.requireWrite("an object of class '\(name)' was created")
    let object = type.init()
    ValueBridge(context).fill(object, from: value)
    ObjectAdder(context, policy: .error).add(object)
  }
}
