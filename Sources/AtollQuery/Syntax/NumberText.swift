/// A floating-point literal together with the digits it was written with.
///
/// The digits stay because a literal that meets a decimal property is read again from them, at
/// full decimal precision. Two are equal when their digits are.
public struct NumberText: Hashable, Sendable {
  /// Optional sign, digits with or without a point, optional exponent; no suffix.
  public let digits: String

  /// The nearest double; infinite when the digits are beyond its range.
  public let doubleValue: Double

  /// The nearest 32-bit float, rounded once, from the digits.
  public let floatValue: Float

  /// The shortest digits that read back as `value`; nil for infinities and NaN.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    self.init(digits: value.description)
  }

  /// The shortest digits that read back as `value`; nil for infinities and NaN.
  public init?(_ value: Float) {
    guard value.isFinite else { return nil }
    self.init(digits: value.description)
  }

  /// Reads digits that a lexer has already found to be a number; nil when they are not.
  init?(digits: String) {
    guard let double = Double(digits), let float = Float(digits) else { return nil }
    self.digits = digits
    self.doubleValue = double
    self.floatValue = float
  }
}
