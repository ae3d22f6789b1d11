/// A table in Markdown whose columns line up in plain text too: the first to the left, the others
/// to the right.
struct MarkdownTable {
  let header: [String]
  /// Each as long as `header`.
  var rows: [[String]] = []

  /// The lines of the table, each with its end.
  var text: String {
    let widths = header.indices.map { column in
      max(3, ([header] + rows).map { $0[column].count }.max() ?? 0)
    }
    let rule = widths.enumerated().map { column, width in
      column == 0
        ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return ([header, rule] + rows).map { line($0, widths: widths) }.joined()
  }

  private func line(_ cells: [String], widths: [Int]) -> String {
    let padded = zip(cells, widths).enumerated().map { column, cell in
      let padding = String(repeating: " ", count: cell.1 - cell.0.count)
      return column == 0 ? cell.0 + padding : padding + cell.0
    }
    return "| " + padded.joined(separator: " | ") + " |\n"
  }
}

extension Double {
  /// The number in decimal notation with at least three significant digits and at most three
  /// decimals.
  var compact: String {
    switch self {
    case 100...: decimal(places: 0)
    case 10..<100: decimal(places: 1)
    case 1..<10: decimal(places: 2)
    default: decimal(places: 3)
    }
  }

  /// The number, which is not negative, rounded to so many decimals.
  private func decimal(places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((self * Double(scale)).rounded())
    guard places > 0 else { return "\(scaled)" }
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}

extension Int {
  /// A number of bytes in MB (a million bytes); growth can be negative.
  var megabytes: String {
    (self < 0 ? "-" : "") + (Double(magnitude) / 1e6).compact
  }
}
