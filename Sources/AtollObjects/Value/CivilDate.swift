/// A day of the proleptic Gregorian calendar, and its number counted from 1970-01-01.
///
/// Years count astronomically: 0 is 1 BC, -1 is 2 BC. Arithmetic in eras of 400
/// years that begin on 1 March, so that the leap day ends its year.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (days_from_civil).
package struct CivilDate: Sendable, Hashable {
  package let year: Int64
  package let month: Int
  package let day: Int

  private static var daysPerEra: Int64 { 146_097 }
  /// Days from 0000-03-01 to 1970-01-01.
  private static var epochOffset: Int64 { 719_468 }

  /// The date with these fields, or nil when the calendar has no such day.
  ///
  /// Years of more than twelve digits are refused as well: no timestamp reaches them.
  package init?(year: Int64, month: Int, day: Int) {
    guard year.magnitude < 1_000_000_000_000, 1...12 ~= month else { return nil }
    guard 1...Self.dayCount(ofMonth: month, in: year) ~= day else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date `days` after 1970-01-01, or before for negative numbers.
  ///
  /// - Precondition: `days` is at most about 2 × 10^14 in magnitude, which any
  ///   number of seconds in 64 bits keeps.
  package init(daysSinceEpoch days: Int64) {
    let shifted = days + Self.epochOffset
    let era = shifted.flooredQuotient(by: Self.daysPerEra)
    let dayOfEra = shifted - era * Self.daysPerEra
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  package var daysSinceEpoch: Int64 {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch.flooredQuotient(by: 400)
    let yearOfEra = yearFromMarch - era * 400
    let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysPerEra + dayOfEra - Self.epochOffset
  }

  private static func dayCount(ofMonth month: Int, in year: Int64) -> Int {
    switch month {
    case 2:
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return isLeap ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }
}

extension Int64 {
  /// The quotient rounded towards negative infinity.
  ///
  /// - Precondition: `divisor` is positive.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
