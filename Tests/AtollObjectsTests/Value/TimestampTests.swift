import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct TimestampTests {
  @Test(
    arguments: [
      (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
      (-62_167_219_200, 0, "0000-01-01T00:00:00Z"),
      (-62_167_219_201, 0, "-0001-12-31T23:59:59Z"),
      (-2_208_988_800, 0, "1900-01-01T00:00:00Z"),
      (-2_203_977_600, 0, "1900-02-28T00:00:00Z"),
      (-2_203_891_200, 0, "1900-03-01T00:00:00Z"),
      (-1, 0, "1969-12-31T23:59:59Z"),
      (0, -5, "1969-12-31T23:59:59.999999995Z"),
      (-1, -5, "1969-12-31T23:59:58.999999995Z"),
      (0, 0, "1970-01-01T00:00:00Z"),
      (0, 500_000_000, "1970-01-01T00:00:00.5Z"),
      (951_782_400, 0, "2000-02-29T00:00:00Z"),
      (951_868_800, 0, "2000-03-01T00:00:00Z"),
      (1_772_368_200, 120_000_000, "2026-03-01T12:30:00.12Z"),
      (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
      (253_402_300_800, 0, "+10000-01-01T00:00:00Z"),
      (.max, 999_999_999, "+292277026596-12-04T15:30:07.999999999Z"),
      (.min, 0, "-292277022657-01-27T08:29:52Z"),
      (.min, -999_999_999, "-292277022657-01-27T08:29:51.000000001Z"),
    ] as [(Int64, Int32, String)])
  func momentsPrintAndReadBack(seconds: Int64, nanoseconds: Int32, text: String) throws {
    let moment = try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    #expect(moment.description == text)
    #expect(Timestamp(text) == moment)
  }

  @Test(
    arguments: [
      ("2026-03-01", "2026-03-01T00:00:00Z"),
      ("2026-03-01T12:30", "2026-03-01T12:30:00Z"),
      ("2026-03-01T12:30:15", "2026-03-01T12:30:15Z"),
      ("2026-03-01 12:30:15,25z", "2026-03-01T12:30:15.25Z"),
      ("2026-03-01t00:30:00+01:00", "2026-02-28T23:30:00Z"),
      ("2026-12-31T23:30:00-0130", "2027-01-01T01:00:00Z"),
      ("2026-03-01T12:00:00+05", "2026-03-01T07:00:00Z"),
      ("1969-12-31T23:59:59.999999995+00:00", "1969-12-31T23:59:59.999999995Z"),
      ("+2026-03-01", "2026-03-01T00:00:00Z"),
      ("-0001-12-31T23:59:59-00:00:00", nil),
      ("2026-3-1", nil), ("2026-13-01", nil), ("2026-00-01", nil), ("2026-02-29", nil),
      ("1900-02-29", nil), ("2026-04-31", nil), ("2026-01-00", nil), ("2026-01-01T", nil),
      ("2026-01-01T24:00:00", nil), ("2026-01-01T12:60", nil), ("2026-01-01T12:00:60Z", nil),
      ("2026-01-01T12:00:00.Z", nil), ("2026-01-01T12:00:00.1234567890Z", nil),
      ("2026-01-01T12:00:00+", nil), ("2026-01-01T12:00:00+1:00", nil),
      ("2026-01-01T12:00:00+01:", nil), ("2026-01-01Z", nil), ("2026-01-01T12:00:00Z ", nil),
      ("", nil), ("now", nil), ("20260101", nil), ("12026-01-01", nil), ("٢٠٢٦-01-01", nil),
      ("+999999999999-12-31", nil), ("-292277022657-01-27T08:29:50Z", nil),
      ("+292277026596-12-04T15:30:08Z", nil),
    ] as [(String, String?)])
  func textIsReadOrRefused(text: String, expected: String?) {
    #expect(Timestamp(text)?.description == expected)
  }

  @Test(
    arguments: [(1, -5), (-1, 5), (0, 1_000_000_000), (0, -1_000_000_000), (5, .min)]
      as [(Int64, Int32)])
  func fieldsThatDisagreeAreRefused(seconds: Int64, nanoseconds: Int32) {
    #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds) == nil)
  }

  @Test(
    arguments: [
      (1, -5, 0, 999_999_995), (-1, 5, 0, -999_999_995), (-1, -5, -1, -5),
      (3, 2_500_000_000, 5, 500_000_000), (.min, 1, .min + 1, -999_999_999),
      (0, .min, -9_223_372_036, -854_775_808),
    ] as [(Int64, Int64, Int64, Int32)])
  func normalizingCarries(
    seconds: Int64, nanoseconds: Int64, wholeSeconds: Int64, rest: Int32
  ) throws {
    let moment = try #require(Timestamp(normalizing: seconds, nanoseconds: nanoseconds))
    #expect(moment.seconds == wholeSeconds && moment.nanoseconds == rest)
  }

  @Test func normalizingRefusesWhatPassesTheRange() {
    #expect(Timestamp(normalizing: .max, nanoseconds: 1_000_000_000) == nil)
    #expect(Timestamp(normalizing: .min, nanoseconds: -1_000_000_000) == nil)
  }

  @Test func momentsOrderInTime() {
    let moments = [
      Timestamp(seconds: .min, nanoseconds: -1), Timestamp(seconds: -1, nanoseconds: -5),
      Timestamp(seconds: -1, nanoseconds: 0), Timestamp(seconds: 0, nanoseconds: -5),
      Timestamp(seconds: 0, nanoseconds: 0), Timestamp(seconds: 0, nanoseconds: 5),
      Timestamp(seconds: 1, nanoseconds: 0), Timestamp(seconds: .max, nanoseconds: 5),
    ].compactMap(\.self)
    #expect(moments.count == 8 && moments == moments.shuffled().sorted())
  }

  /// Walks the calendar by its rules, so the closed formulas are checked against counting.
  @Test(arguments: [1, 1600, 1899, 1969, 1999, 9990] as [Int64])
  func dayNumbersCountDays(firstYear: Int64) throws {
    var expected = try #require(CivilDate(year: firstYear, month: 1, day: 1)).daysSinceEpoch
    for year in firstYear..<firstYear + 10 {
      let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      for (index, length) in lengths.enumerated() {
        for day in 1...length {
          let date = try #require(CivilDate(year: year, month: index + 1, day: day))
          try #require(date.daysSinceEpoch == expected)
          try #require(CivilDate(daysSinceEpoch: expected) == date)
          expected += 1
        }
        #expect(CivilDate(year: year, month: index + 1, day: length + 1) == nil)
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func randomMomentsReadBack(seed: UInt64) {
    var random = RandomSingleValues(seed: seed)
    for _ in 0..<200 {
      let moment = random.date()
      #expect(Timestamp(moment.description) == moment)
    }
  }
}
