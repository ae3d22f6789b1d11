internal import AtollObjects
internal import Foundation

extension Date {
  /// The moment, as exactly as a double can tell it.
  init(_ timestamp: Timestamp) {
    // Seconds from the reference date are small numbers, which leave more bits for the fraction.
    let (whole, overflow) = timestamp.seconds.subtractingReportingOverflow(
      Timestamp.secondsToReferenceDate)
    // Beyond the range of integers the difference is less than what a double can tell.
    let seconds = overflow ? Double(timestamp.seconds) : Double(whole)
    self.init(
      timeIntervalSinceReferenceDate: seconds + Double(timestamp.nanoseconds) / 1_000_000_000)
  }
}

extension Timestamp {
  fileprivate static let secondsToReferenceDate = Int64(
    Date.timeIntervalBetween1970AndReferenceDate)

  /// The moment with the fewest digits that `Date.init(_:)` makes this date of; nil for NaN, and
  /// for seconds beyond 64 bits.
  ///
  /// So a moment in milliseconds within 100 000 years, or in microseconds within a century, comes
  /// back as it was from its date, although a date holds it only nearly. A date near 2001 that is
  /// finer than nanoseconds becomes the nearest one.
  ///
  /// A later date never becomes an earlier moment.
  init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    guard let integer = Int64(exactly: whole) else { return nil }
    let (seconds, overflow) = integer.addingReportingOverflow(Self.secondsToReferenceDate)
    guard !overflow else { return nil }
    let fraction = interval - whole
    if fraction > 0 {
      for unit in [1_000_000, 1_000] as [Int32] {
        let count = (fraction * Double(1_000_000_000 / unit)).rounded()
        if let moment = Timestamp(seconds, plus: Int32(count) * unit), Date(moment) == date {
          self = moment
          return
        }
      }
    }
    self.init(seconds, plus: Int32((fraction * 1_000_000_000).rounded()))
  }

  /// The moment this part of a second, up to a whole one, after `seconds`.
  private init?(_ seconds: Int64, plus nanoseconds: Int32) {
    if nanoseconds == 1_000_000_000 {
      let (next, overflow) = seconds.addingReportingOverflow(1)
      if overflow { return nil }
      self.init(seconds: next, nanoseconds: 0)
    } else if seconds < 0, nanoseconds > 0 {
      self.init(seconds: seconds + 1, nanoseconds: nanoseconds - 1_000_000_000)
    } else {
      self.init(seconds: seconds, nanoseconds: nanoseconds)
    }
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

extension _StoredValue {
  /// Whether there is a moment in the value that a `Date` does not hold.
  var hasFinerMoments: Bool {
    switch self {
    case .date(let moment): Timestamp(Date(moment)) != moment
    case .list(let elements), .set(let elements): elements.contains(where: \.hasFinerMoments)
    case .map(let map): map.entries.contains(where: \.value.hasFinerMoments)
    default: false
    }
  }

  /// This value, made of one that Swift read from `source`, with the moments of that where they
  /// are finer than a `Date`.
  func keepingFinerMoments(of source: _StoredValue?) -> _StoredValue {
    switch (self, source) {
    case (.date(let moment), .date(let finer)?):
      return Timestamp(Date(finer)) == moment ? .date(finer) : self
    case (.list(let elements), .list(let finer)?) where elements.count == finer.count:
      return .list(zip(elements, finer).map { $0.keepingFinerMoments(of: $1) })
    case (.set(let elements), .set(let finer)?):
      // Members have no places, and several may read as one date.
      let moments = Dictionary(grouping: finer.filter { $0.date != nil }) { member in
        member.date.flatMap { Timestamp(Date($0)) }
      }
      return .set(elements.flatMap { element in element.date.flatMap { moments[$0] } ?? [element] })
    case (.map(let map), .map(let finer)?):
      let entries = map.entries.map { entry in
        (key: entry.key, value: entry.value.keepingFinerMoments(of: finer[entry.key]))
      }
      return .map(ValueMap(entries))
    default: return self
    }
  }
}

/// Where time enters this module.
enum Moment {
  static var now: Date { Date(timeIntervalSinceNow: 0) }
}
