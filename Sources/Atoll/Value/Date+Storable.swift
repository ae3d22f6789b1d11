public import AtollObjects
public import Foundation

extension Date: _Scalar, _Indexable, _DefaultConstructible {
  public static var _storedType: _StoredType { _StoredType(.date) }
  public static func _default() -> Date { Moment.now }
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> Date {
    value.date.map { Date($0) } ?? Date(timeIntervalSince1970: 0)
  }
  public func _store(_ context: _RealmContext?) -> _StoredValue { .date(Timestamp(self)) }
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
  /// The moment to the nanosecond; what is out of range becomes the nearest that is not.
  init(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    let limit = 9.0e18
    let seconds = Int64(whole.isNaN ? 0 : min(max(whole, -limit), limit))
    let fraction = interval.isFinite ? ((interval - whole) * 1_000_000_000).rounded() : 0
    self =
      Timestamp(
        normalizing: seconds + Int64(Date.timeIntervalBetween1970AndReferenceDate),
        nanoseconds: Int64(fraction)) ?? Timestamp.epoch
  }

  /// 1970-01-01T00:00:00Z.
  static var epoch: Timestamp {
    guard let epoch = Timestamp(seconds: 0, nanoseconds: 0) else {
      preconditionFailure("zero is a moment")
    }
    return epoch
  }
}

/// Where time enters this module.
enum Moment {
  static var now: Date { Date(timeIntervalSinceNow: 0) }
}
