public import AtollObjects
public import Foundation

extension Date: _Scalar, _Indexable, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.date) }
  public static func _default() -> Date { Moment.now }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Date {
    value.date.map { Date($0) } ?? Date(timeIntervalSince1970: 0)
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue {
    guard let moment = Timestamp(self) else {
      Misuse.trap(
        "a date of \(timeIntervalSince1970) seconds since 1970 cannot be stored: it is no number, or "
          + "beyond 292 billion years; test timeIntervalSince1970.isFinite before")
    }
    return .date(moment)
  }
}

extension Date {
  /// The moment, as exactly as a double can tell it.
  init(_ timestamp: Timestamp) {
    // Seconds from the reference date are small numbers, which leave more bits for the fraction.
    let seconds = Double(timestamp.seconds) - Date.timeIntervalBetween1970AndReferenceDate
    self.init(
      timeIntervalSinceReferenceDate: seconds + Double(timestamp.nanoseconds) / 1_000_000_000)
  }
}

extension Timestamp {
  /// The moment to the nanosecond; nil for NaN, and for seconds beyond 64 bits.
  init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    guard let seconds = Int64(exactly: whole) else { return nil }
    let (sum, overflow) = seconds.addingReportingOverflow(
      Int64(Date.timeIntervalBetween1970AndReferenceDate))
    guard !overflow else { return nil }
    self.init(
      normalizing: sum, nanoseconds: Int64(((interval - whole) * 1_000_000_000).rounded()))
  }

  /// The moment of a clock, in milliseconds since 1970.
  init(milliseconds: some BinaryInteger) {
    let (seconds, rest) = Int64(clamping: milliseconds).quotientAndRemainder(dividingBy: 1_000)
    guard let moment = Timestamp(normalizing: seconds, nanoseconds: rest * 1_000_000) else {
      preconditionFailure("milliseconds of 64 bits are a moment")
    }
    self = moment
  }

  /// The moment, or the last or first one for a date beyond it, to compare with; nil for NaN.
  init?(nearest date: Date) {
    if let moment = Timestamp(date) {
      self = moment
    } else if date.timeIntervalSinceReferenceDate.isNaN {
      return nil
    } else {
      let isLast = date.timeIntervalSinceReferenceDate > 0
      self.init(
        seconds: isLast ? .max : .min, nanoseconds: isLast ? 999_999_999 : -999_999_999)
    }
  }
}

/// Where time enters this module.
enum Moment {
  static var now: Date { Date(timeIntervalSinceNow: 0) }
}
