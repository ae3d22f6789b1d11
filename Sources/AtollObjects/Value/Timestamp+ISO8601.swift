extension Timestamp: LosslessStringConvertible {
  /// The moment in UTC as ISO 8601, such as `2026-03-01T12:30:00.5Z`.
  ///
  /// The fraction has as many digits as it needs, up to nine. Years outside
  /// 0...9999 carry a sign: `-0044`, `+12026`.
  public var description: String {
    var day = seconds.flooredQuotient(by: 86_400)
    // Wrapping: the first midnight in range may lie before the smallest Int64.
    var secondOfDay = seconds &- day &* 86_400
    var fraction = Int64(nanoseconds)
    if fraction < 0 {
      // Borrow here, not from `seconds`, which may be the smallest Int64.
      fraction += 1_000_000_000
      secondOfDay -= 1
      if secondOfDay < 0 {
        secondOfDay += 86_400
        day -= 1
      }
    }

    let date = CivilDate(daysSinceEpoch: day)
    let sign = date.year < 0 ? "-" : (date.year > 9999 ? "+" : "")
    var text = sign + Self.padded(Int64(date.year.magnitude), to: 4)
    text += "-" + Self.padded(Int64(date.month), to: 2) + "-" + Self.padded(Int64(date.day), to: 2)
    text += "T" + Self.padded(secondOfDay / 3600, to: 2)
    text += ":" + Self.padded(secondOfDay / 60 % 60, to: 2)
    text += ":" + Self.padded(secondOfDay % 60, to: 2)
    if fraction != 0 {
      var digits = Self.padded(fraction, to: 9)
      while digits.last == "0" { digits.removeLast() }
      text += "." + digits
    }
    return text + "Z"
  }

  private static func padded(_ number: Int64, to digitCount: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(digitCount - digits.utf8.count, 0)) + digits
  }

  /// Reads an ISO 8601 date, or date and time.
  ///
  ///     date      [+|-]YYYY-MM-DD      four digits; five to twelve with a sign
  ///     time      hh:mm[:ss[.f]]       f: one to nine digits; a comma is as good as a point
  ///     zone      Z | ±hh[[:]mm]       absent: UTC
  ///     timestamp date [(T|space) time [zone]]
  ///
  /// Letters in either case. Nil for any other text, for days and times that do
  /// not exist (leap seconds and 24:00 among them), and out of range.
  public init?(_ text: String) {
    var scanner = FieldScanner(text.utf8)
    guard let date = scanner.takeDate() else { return nil }
    var total = Int128(date.daysSinceEpoch) * 86_400 * Self.nanosecondsPerSecond
    if scanner.take(anyOf: "Tt ") != nil {
      guard let time = scanner.takeTime(), let offset = scanner.takeZone() else { return nil }
      total += Int128(time) - Int128(offset) * Self.nanosecondsPerSecond
    }
    guard scanner.isAtEnd else { return nil }
    self.init(totalNanoseconds: total)
  }
}

/// Takes fields of a date from the front of a text; each is nil when the text has no such field.
private struct FieldScanner {
  private var rest: Substring.UTF8View

  init(_ utf8: String.UTF8View) {
    rest = utf8[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes one byte if it is in `choices`.
  mutating func take(anyOf choices: StaticString) -> UInt8? {
    guard let byte = rest.first, choices.description.utf8.contains(byte) else { return nil }
    rest.removeFirst()
    return byte
  }

  /// Takes as many digits as follow, at most `counts.upperBound`, which is at most 12.
  mutating func takeNumber(digits counts: ClosedRange<Int>) -> (value: Int64, digitCount: Int)? {
    var value: Int64 = 0
    var digitCount = 0
    while digitCount < counts.upperBound, let byte = rest.first,
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    {
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      digitCount += 1
      rest.removeFirst()
    }
    return counts ~= digitCount ? (value, digitCount) : nil
  }

  /// Takes exactly two digits below `limit`.
  private mutating func takePair(below limit: Int64) -> Int64? {
    guard let pair = takeNumber(digits: 2...2), pair.value < limit else { return nil }
    return pair.value
  }

  mutating func takeDate() -> CivilDate? {
    let sign = take(anyOf: "+-")
    guard let year = takeNumber(digits: 4...(sign == nil ? 4 : 12)),
      take(anyOf: "-") != nil, let month = takePair(below: 13),
      take(anyOf: "-") != nil, let day = takePair(below: 32)
    else { return nil }
    return CivilDate(
      year: sign == UInt8(ascii: "-") ? -year.value : year.value,
      month: Int(month), day: Int(day))
  }

  /// The nanosecond of the day.
  mutating func takeTime() -> Int64? {
    guard let hour = takePair(below: 24), take(anyOf: ":") != nil,
      let minute = takePair(below: 60)
    else { return nil }
    var second: Int64 = 0
    var nanosecond: Int64 = 0
    if take(anyOf: ":") != nil {
      guard let value = takePair(below: 60) else { return nil }
      second = value
      if take(anyOf: ".,") != nil {
        guard let fraction = takeNumber(digits: 1...9) else { return nil }
        nanosecond = fraction.value
        for _ in fraction.digitCount..<9 { nanosecond *= 10 }
      }
    }
    return (hour * 3600 + minute * 60 + second) * 1_000_000_000 + nanosecond
  }

  /// Seconds east of UTC; zero when no zone is given.
  mutating func takeZone() -> Int64? {
    if rest.isEmpty || take(anyOf: "Zz") != nil { return 0 }
    guard let sign = take(anyOf: "+-"), let hour = takePair(below: 24) else { return nil }
    var minute: Int64 = 0
    if take(anyOf: ":") != nil || !rest.isEmpty {
      guard let value = takePair(below: 60) else { return nil }
      minute = value
    }
    let seconds = hour * 3600 + minute * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}
