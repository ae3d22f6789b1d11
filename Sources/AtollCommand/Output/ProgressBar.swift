/// A line on standard error with the progress of long work: amount done, rate and time left.
///
/// Drawn only in a terminal and ten times a second at most. Time enters by parameter.
struct ProgressBar {
  private static let interval = Duration.milliseconds(100)
  /// Work that is done sooner never shows a bar.
  private static let patience = Duration.milliseconds(300)

  /// The unit of the work.
  enum Unit {
    case bytes, objects
    /// Parts of the whole that mean nothing by themselves.
    case shares

    func amount(_ value: Int) -> String {
      self == .bytes ? Quantity.bytes(value) : Quantity.count(value)
    }
  }

  private let label: String
  private let unit: Unit
  private let total: Int?
  private let width: Int
  private let start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?

  /// A bar for `total` units of work, nil when that is not known (a pipe), in a terminal of
  /// `width` columns.
  init(
    label: String, unit: Unit, total: Int?, width: Int, start: ContinuousClock.Instant
  ) {
    self.label = label
    self.unit = unit
    self.total = total
    self.width = width
    self.start = start
  }

  /// The text to write to the terminal now; nil most of the time.
  mutating func update(done: Int, now: ContinuousClock.Instant) -> String? {
    if let lastDrawn {
      guard now - lastDrawn >= Self.interval else { return nil }
    } else {
      guard now - start >= Self.patience else { return nil }
    }
    lastDrawn = now
    return Self.overwrite + line(done: done, elapsed: now - start)
  }

  /// The text to write at the end, which removes the bar; nil when none was drawn.
  mutating func finish() -> String? {
    guard lastDrawn != nil else { return nil }
    lastDrawn = nil
    return Self.overwrite
  }

  /// To the beginning of the line, and erase it (ECMA-48: CR, EL).
  private static let overwrite = "\r\u{1B}[K"

  /// A line for standard error, on which a bar may be drawn already.
  static func cleared(_ line: String, in errors: any ByteSink) -> String {
    errors.terminalWidth == nil ? line : overwrite + line
  }

  func line(done: Int, elapsed: Duration) -> String {
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let rate = seconds > 0 ? Double(done) / seconds : 0
    let speed = rate < 1e18 ? unit.amount(Int(rate)) + "/s" : ""
    guard let total, total > 0 else {
      return DisplayWidth.truncated(
        "\(label)  \(unit.amount(done))  \(speed)", to: width - 1)
    }
    let share = min(1, max(0, Double(done) / Double(total)))
    let percent = Quantity.fixed(share * 100, digitCount: 0)
    var text = String(repeating: " ", count: 3 - percent.count) + percent + "%"
    if unit != .shares { text += "  \(unit.amount(done)) of \(unit.amount(total))  \(speed)" }
    if rate > 0 {
      let left = Double(total - done) / rate
      text += "  \(Quantity.duration(seconds: max(0, left.rounded()))) left"
    }
    let room = width - 1 - DisplayWidth.of(label) - DisplayWidth.of(text) - 6
    guard room >= 8 else { return DisplayWidth.truncated("\(label)  \(text)", to: width - 1) }
    let cells = min(room, 30)
    let filled = Int((share * Double(cells)).rounded(.down))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: cells - filled)
    return "\(label)  \(bar)  \(text)"
  }
}
