#if Sync
/// The labels of one series, as they stand between the braces.
struct PrometheusLabels: Hashable {
  private(set) var text = ""

  init(_ dimensions: [(String, String)]) {
    for (name, value) in dimensions { self = adding(name, value) }
  }

  /// The labels with another one at their end.
  func adding(_ name: String, _ value: String) -> PrometheusLabels {
    var longer = self
    if !text.isEmpty { longer.text += "," }
    longer.text += "\(name)=\"\(PrometheusText.escaped(value, quotes: true))\""
    return longer
  }
}

/// A text in the exposition format of Prometheus, version 0.0.4.
struct PrometheusText {
  static let contentType = "text/plain; version=0.0.4"

  private(set) var text = ""

  /// Begins a metric; its samples follow before those of another.
  mutating func begin(_ name: String, _ kind: ServerMetric.Kind, help: String) {
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n"
    text += "# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func add(_ name: String, _ labels: PrometheusLabels, _ value: String) {
    text += labels.text.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels.text)} \(value)\n"
  }

  /// A number as Prometheus reads it; whole ones without a point.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  /// A text on one line: a backslash, the end of a line, and in a value of a label the quotation
  /// mark are written with a backslash.
  static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
#endif
