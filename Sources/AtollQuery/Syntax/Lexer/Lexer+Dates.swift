/// Dates are pairs of seconds and nanoseconds since 1970-01-01 UTC whose signs agree.
extension Lexer {
  static let dateHint =
    "A date is T<seconds>:<nanoseconds> or Y-M-D@h:m:s, optionally :nanoseconds, in UTC."

  private func malformedDate(_ message: String, _ range: Range<Int>) -> QuerySyntaxError {
    failure(
      message, at: range,
      expected: ["T<seconds>:<nanoseconds>", "Y-M-D@h:m:s", "Y-M-D@h:m:s:nanoseconds"],
      hint: Self.dateHint)
  }

  /// Reads `T-1:-5`; nil when the `T` begins a name such as `T17`.
  mutating func scanEpochDate() throws(QuerySyntaxError) -> Token? {
    let start = offset
    let secondsEnd = signedDigitsEnd(start + 1)
    guard let secondsEnd, source.byte(at: secondsEnd) == UInt8(ascii: ":") else { return nil }
    guard let end = signedDigitsEnd(secondsEnd + 1) else {
      throw malformedDate("incomplete date", start..<secondsEnd + 1)
    }
    let range = start..<end
    for part in [start + 1..<secondsEnd, secondsEnd + 1..<end] {
      let digits = source.bytes[part].drop { !$0.isDigit }
      guard digits.count == 1 || digits.first != UInt8(ascii: "0") else {
        throw failure(
          "a part of date \(source.quoted(range)) begins with"
            + " a zero", at: range,
          hint: "Some readers take such a number as octal: write it without the zero.")
      }
    }
    guard
      let seconds = Int64(source.text(in: start + 1..<secondsEnd)),
      let nanoseconds = Int32(source.text(in: secondsEnd + 1..<end)),
      nanoseconds.magnitude < 1_000_000_000
    else { throw malformedDate("date out of range", range) }
    guard seconds.signum() * Int64(nanoseconds.signum()) >= 0 else {
      throw malformedDate("the signs of seconds and nanoseconds disagree", range)
    }
    return finish(.date(seconds: seconds, nanoseconds: nanoseconds), from: start, to: end)
  }

  private func signedDigitsEnd(_ start: Int) -> Int? {
    var digits = start
    if let sign = source.byte(at: digits), sign == UInt8(ascii: "+") || sign == 0x2D {
      digits += 1
    }
    let end = digitsEnd(digits)
    return end > digits ? end : nil
  }

  /// Reads `2017-12-4@3:4:5:6`; nil when the digits up to `yearEnd` begin no date.
  mutating func scanCalendarDate(yearEnd: Int) throws(QuerySyntaxError) -> Token? {
    let start = offset
    guard let monthEnd = fieldEnd(after: UInt8(ascii: "-"), at: yearEnd) else { return nil }
    guard let dayEnd = fieldEnd(after: UInt8(ascii: "-"), at: monthEnd) else {
      guard source.byte(at: monthEnd) == UInt8(ascii: "@") else { return nil }
      throw malformedDate("incomplete date", start..<monthEnd + 1)
    }
    let mark = source.byte(at: dayEnd)
    guard let mark, mark == UInt8(ascii: "@") || mark == UInt8(ascii: "T") else {
      // `5-3-2` is a failed subtraction, four digits are a year.
      guard yearEnd - start == 4 else { return nil }
      throw malformedDate("a date without a time", start..<dayEnd)
    }
    let colon = UInt8(ascii: ":")
    guard
      let hourEnd = fieldEnd(after: mark, at: dayEnd),
      let minuteEnd = fieldEnd(after: colon, at: hourEnd),
      let secondEnd = fieldEnd(after: colon, at: minuteEnd)
    else { throw malformedDate("incomplete date", start..<dayEnd + 1) }
    let end = fieldEnd(after: colon, at: secondEnd)
    let range = start..<(end ?? secondEnd)

    guard
      let year = field(start..<yearEnd), let month = field(yearEnd + 1..<monthEnd),
      let day = field(monthEnd + 1..<dayEnd), let hour = field(dayEnd + 1..<hourEnd),
      let minute = field(hourEnd + 1..<minuteEnd), let second = field(minuteEnd + 1..<secondEnd),
      let nanosecond = end.map({ field(secondEnd + 1..<$0) }) ?? 0
    else { throw malformedDate("a part of the date has more than nine digits", range) }
    guard year >= 1900 else {
      throw failure(
        "dates before 1900 have no calendar form", at: range,
        hint: "Write the seconds since 1970: T<seconds>:<nanoseconds>.")
    }
    let days = Self.daysSince1970(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
    // Before 1970 nanoseconds run backwards from the whole second, so the signs always agree.
    let signed = seconds < 0 ? -nanosecond : nanosecond
    return finish(
      .date(seconds: seconds, nanoseconds: Int32(signed)), from: start, to: range.upperBound)
  }

  /// The offset behind `separator` and the digits that follow it.
  private func fieldEnd(after separator: UInt8, at index: Int) -> Int? {
    guard source.byte(at: index) == separator else { return nil }
    let end = digitsEnd(index + 1)
    return end > index + 1 ? end : nil
  }

  /// The value of at most nine significant digits, so that no sum of fields can overflow.
  private func field(_ digits: Range<Int>) -> Int64? {
    let significant = source.bytes[digits].drop { $0 == UInt8(ascii: "0") }
    guard significant.count <= 9 else { return nil }
    return significant.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  /// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
  ///
  /// Months and days out of range roll over: month 13 is January of the next year. Counts in eras
  /// of 400 years that begin in March (Howard Hinnant, "chrono-Compatible Low-Level Date
  /// Algorithms"). All parts are below one thousand million.
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Months since March of year 0; never negative, as the year is at least 1900.
    let months = year * 12 + month - 3
    let marchYear = months / 12
    let monthOfYear = months % 12
    let era = marchYear / 400
    let yearOfEra = marchYear % 400
    let dayOfYear = (153 * monthOfYear + 2) / 5
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468 + day - 1
  }
}
