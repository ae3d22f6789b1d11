internal import Foundation

extension AnyBridge {
  /// The value inside of any number of optionals, and a number of Foundation as the value of Swift
  /// that it stands for: `Bool`, `Int64`, `UInt64`, `Float`, `Double` or `Decimal`; nil for null.
  ///
  /// A cast of such a number to a type of Swift tells nothing about its kind. It succeeds wherever
  /// the number converts exactly: 1 is a `Bool` too, and 2.5 a `Float`.
  static func swiftValue(_ source: Any?) -> Any? {
    guard let source = unwrapped(source) else { return nil }
    return instance(of: NSNumber.self, source).map(swiftNumber) ?? source
  }

  private static func swiftNumber(_ number: NSNumber) -> Any {
    if let number = number as? NSDecimalNumber { return number.decimalValue }
    // SAFETY: a C string, which has a first byte, and which lives as long as the number.
    switch unsafe UnicodeScalar(UInt8(truncatingIfNeeded: number.objCType.pointee)) {
    case "f": return number.floatValue
    case "d": return number.doubleValue
    case "L", "Q": return number.uint64Value
    case "c" where isBoolean(number), "B": return number.boolValue
    default: return number.int64Value
    }
  }

  /// Whether a number is one of the two instances that stand for true and false.
  ///
  /// Their type has the letter that an `Int8` has.
  private static func isBoolean(_ number: NSNumber) -> Bool {
    number === NSNumber(value: true) || number === NSNumber(value: false)
  }
}
