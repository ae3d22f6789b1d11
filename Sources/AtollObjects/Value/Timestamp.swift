/// A moment in time: seconds and nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// The whole range of 64-bit seconds, about ±292 billion years.
///
/// Invariant: `nanoseconds` is between -999 999 999 and 999 999 999, and the two
/// fields never have opposite signs: the moment 5 ns before 1970 is (0, -5).
/// So field-wise order is order in time, and every moment has one form.
public struct Timestamp: Sendable, Hashable {
  /// Whole seconds since 1970-01-01T00:00:00Z, rounded towards zero.
  public let seconds: Int64
  /// The nanoseconds beyond the whole seconds; not positive before 1970, not negative after.
  public let nanoseconds: Int32

  static var nanosecondsPerSecond: Int128 { 1_000_000_000 }

  /// The moment with exactly these fields, or nil when they break the invariant.
  public init?(seconds: Int64, nanoseconds: Int32) {
    guard nanoseconds.magnitude < 1_000_000_000 else { return nil }
    guard nanoseconds == 0 || seconds == 0 || (seconds < 0) == (nanoseconds < 0) else {
      return nil
    }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The moment `seconds` plus `nanoseconds` after 1970, whatever their signs and sizes.
  ///
  /// Nil when it is out of range.
  public init?(normalizing seconds: Int64, nanoseconds: Int64) {
    self.init(
      totalNanoseconds: Int128(seconds) * Self.nanosecondsPerSecond + Int128(nanoseconds))
  }

  /// The moment this many nanoseconds after 1970, or nil when the seconds pass 64 bits.
  init?(totalNanoseconds total: Int128) {
    // Division towards zero gives both fields the sign of the total.
    let (seconds, nanoseconds) = total.quotientAndRemainder(dividingBy: Self.nanosecondsPerSecond)
    guard let seconds = Int64(exactly: seconds) else { return nil }
    self.seconds = seconds
    self.nanoseconds = Int32(nanoseconds)
  }
}

extension Timestamp: Comparable {
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds == b.seconds ? a.nanoseconds < b.nanoseconds : a.seconds < b.seconds
  }
}
