/// The key of an object in its class: stable for as long as the object exists.
///
/// For a class whose primary key is a required integer, it is that integer.
public struct ObjectKey: Hashable, Comparable, Sendable {
  /// The number that keys are ordered by; of an integer primary key not that integer itself.
  public let rawValue: UInt64

  /// Makes the key with this number; that an object has it is not checked.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.rawValue < b.rawValue }

  /// The key of the object with this integer as its primary key; keys order as the integers do.
  ///
  /// For a class whose primary key is a required integer.
  public init(integerPrimaryKey: Int64) {
    rawValue = integerPrimaryKey.orderedUnsigned
  }

  /// The primary key of the object with this key, in a class whose primary key is a required
  /// integer.
  public var integerPrimaryKey: Int64 { rawValue.orderedSigned }
}
