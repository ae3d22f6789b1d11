/// Numbers with units, for people.
enum Quantity {
  /// `1 234 567`, in groups of three digits.
  static func count(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += " " }
      text.append(digit)
    }
    return value < 0 ? "-" + text : text
  }

  /// `1 city`, `2 cities`.
  static func count(_ value: Int, _ one: String, _ many: String) -> String {
    "\(count(value)) \(value == 1 ? one : many)"
  }

  /// `812 bytes`, `12.2 MB`: units of 1000, three digits or so.
  static func bytes(_ value: Int) -> String {
    guard value.magnitude >= 1000 else { return count(value, "byte", "bytes") }
    var amount = Double(value) / 1000
    var unit = 0
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
    // 999.95 would be written as 1000.0.
    while amount.magnitude >= 999.95, unit < units.count - 1 {
      amount /= 1000
      unit += 1
    }
    return fixed(amount, digitCount: amount.magnitude < 99.95 ? 1 : 0) + " " + units[unit]
  }

  static func bytes(_ value: UInt64) -> String { bytes(Int(clamping: value)) }

  /// `840 µs`, `12.5 ms`, `1.92 s`, `3 min 05 s`, `2 h 10 min`.
  static func duration(_ value: Duration) -> String {
    let seconds = Double(value.components.seconds) + Double(value.components.attoseconds) / 1e18
    return duration(seconds: seconds)
  }

  static func duration(seconds: Double) -> String {
    if seconds < 0.000_999_5 { return fixed(seconds * 1e6, digitCount: 0) + " µs" }
    if seconds < 0.099_95 { return fixed(seconds * 1e3, digitCount: 1) + " ms" }
    if seconds < 0.999_5 { return fixed(seconds * 1e3, digitCount: 0) + " ms" }
    if seconds < 9.995 { return fixed(seconds, digitCount: 2) + " s" }
    if seconds < 59.95 { return fixed(seconds, digitCount: 1) + " s" }
    guard seconds < 1e15 else { return "for ever" }
    let whole = Int(seconds.rounded())
    if whole < 3600 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
    let minutes = Int((seconds / 60).rounded())
    return "\(minutes / 60) h \(twoDigits(minutes % 60)) min"
  }

  /// `value` with a fixed number of digits, one or two or none, behind the point.
  static func fixed(_ value: Double, digitCount: Int) -> String {
    precondition((0...6).contains(digitCount), "a few digits")
    let power = [1.0, 10, 100, 1e3, 1e4, 1e5, 1e6][digitCount]
    let scaled = (value.magnitude * power).rounded()
    guard scaled < 1e18 else { return value.description }
    let digits = String(Int64(scaled))
    let padded = String(repeating: "0", count: max(0, digitCount + 1 - digits.count)) + digits
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digitCount > 0 else { return sign + padded }
    return sign + padded.dropLast(digitCount) + "." + padded.suffix(digitCount)
  }

  private static func twoDigits(_ value: Int) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}
