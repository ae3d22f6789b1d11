internal import Foundation

/// Looks into values of type `Any`.
enum AnyBridge {
  /// Whether the value stands for null: `nil` of any type, or `NSNull`.
  static func isNull(_ source: Any) -> Bool {
    if source is NSNull { return true }
    guard let optional = source as? any AnyOptional else { return false }
    return optional.unwrapped.map(isNull) ?? true
  }

  /// The value inside of any number of optionals; nil for null.
  static func unwrapped(_ source: Any?) -> Any? {
    guard let source, !(source is NSNull) else { return nil }
    guard let optional = source as? any AnyOptional else { return source }
    return unwrapped(optional.unwrapped)
  }
}

private protocol AnyOptional {
  var unwrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var unwrapped: Any? { map { $0 } }
}
