internal import AtollObjects
internal import Foundation

/// What a property that links to one object leads to.
public enum LinkState<Target> {
  /// To nothing: it was set to nil, or never set.
  case none
  /// To an object that is here.
  case present(Target)
  /// To an object that is not here: no subscription asks for it, it has not arrived, or it was
  /// deleted.
  ///
  /// The property reads nil, and leads to the object when it arrives. The key is an `Int`, a
  /// `String`, an `ObjectId` or a `UUID`, as the class of the object has it.
  case absent(primaryKey: any Hashable & Sendable)
}

extension LinkState: Sendable where Target: Sendable {}

extension ThreadConfined where Self: ObjectBase {
  /// Tells a link to nothing from one to an object that is not on this device.
  public func linkState<Target: Object>(_ keyPath: KeyPath<Self, Target?>) -> LinkState<Target> {
    if let target = self[keyPath: keyPath] { return .present(target) }
    guard let row = _row, let key = row.absentTarget(_name(for: keyPath)) else { return .none }
    return .absent(primaryKey: key)
  }
}

extension _ManagedRow {
  fileprivate func absentTarget(_ name: String) -> (any Hashable & Sendable)? {
    let properties = access.descriptor.properties
    guard let position = properties.first(where: { $0.name == name })?.position else {
      Misuse.trap(
        "'\(name)' is no property of '\(access.descriptor.name)' itself: ask the object that has "
          + "it")
    }
    return switch awaitedKey(position) {
    case .int(let number): Int(number)
    case .string(let text): text
    case .objectID(let id): ObjectId(id)
    case .uuid(let id): UUID(id)
    default: nil
    }
  }
}
