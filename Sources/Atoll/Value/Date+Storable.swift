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
