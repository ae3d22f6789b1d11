internal import Foundation

/// Looks into values of type `Any`.
enum AnyBridge {
  /// Whether the value stands for null: `nil` of any type, or `NSNull`.
  static func isNull(_ source: Any) -> Bool {
    if isNSNull(source) { return true }
    guard let optional = source as? any AnyOptional else { return false }
    return optional.unwrapped.map(isNull) ?? true
  }

  private static func isNSNull(_ source: Any) -> Bool { instance(of: NSNull.self, source) != nil }

  /// The source as an instance of a class; nil when it is none.
  ///
  /// A plain cast of a dictionary or an array to a class copies it to one of Foundation's, with all
  /// that lies in it, by recursion.
  static func instance<T: AnyObject>(of type: T.Type, _ source: Any) -> T? {
    Swift.type(of: source) is AnyClass ? source as? T : nil
  }

  /// The value inside of any number of optionals; nil for null.
  static func unwrapped(_ source: Any?) -> Any? {
    guard let source, !isNSNull(source) else { return nil }
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
