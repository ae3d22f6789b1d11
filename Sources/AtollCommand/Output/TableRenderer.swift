import AtollImport

/// Lays rows out in aligned columns, for people.
///
/// Widths come from the header and the first rows, which are held back; later rows are printed
/// as they come and cut to those widths, so a long answer costs no more memory than a short one.
/// In a terminal the table is made to fit its width: the widest columns give way first, down to a
/// few characters, then the last columns are left out and counted in the header. Elsewhere nothing
/// but very long text is cut.
struct TableRenderer {
  /// How many rows determine the widths.
  static let sampleRowCount = 500
  /// No column is wider, so that one long text does not push all others off the screen.
  static let widestColumn = 60
  private static let narrowestColumn = 6
  private static let gap = "  "

  private let names: [String]
  private let isNumber: [Bool]
  private let terminalWidth: Int?
  private var sample: [[String]] = []
  private var layout: Layout?

  private struct Layout {
    /// The width of each column that is shown.
    var widths: [Int]
    /// How many columns the header reports as missing.
    var hiddenCount: Int
  }

  /// A table whose columns in `isNumber` are set flush right.
  ///
  /// `terminalWidth` is the number of columns of the terminal, nil when the output is none.
  init(names: [String], isNumber: [Bool], terminalWidth: Int?) {
    precondition(names.count == isNumber.count, "an alignment for each column")
    self.names = names.map(printable)
    self.isNumber = isNumber
    self.terminalWidth = terminalWidth
  }

  /// Adds a row and returns the text that can be printed now.
  mutating func add(_ row: [String]) -> String {
    precondition(row.count == names.count, "a cell for each column")
    let cells = row.map(printable)
    if let layout { return line(cells, layout) }
    sample.append(cells)
    return sample.count == Self.sampleRowCount ? flush() : ""
  }

  /// Returns the text that is still held back.
  mutating func finish() -> String {
    layout == nil ? flush() : ""
  }

  private mutating func flush() -> String {
    let natural = names.indices.map { column in
      let widest = sample.reduce(DisplayWidth.of(names[column])) {
        max($0, DisplayWidth.of($1[column]))
      }
      return min(widest, Self.widestColumn)
    }
    let layout = Self.layout(natural, terminalWidth: terminalWidth)
    self.layout = layout
    let rule = layout.widths.map { String(repeating: "─", count: $0) }
    var text = line(names, layout, note: layout.hiddenCount > 0)
    text += rule.joined(separator: Self.gap) + "\n"
    for row in sample { text += line(row, layout) }
    sample = []
    return text
  }

  private static func layout(_ natural: [Int], terminalWidth: Int?) -> Layout {
    guard let terminalWidth else { return Layout(widths: natural, hiddenCount: 0) }
    for shownCount in stride(from: natural.count, through: 1, by: -1) {
      let shown = Array(natural.prefix(shownCount))
      let hiddenCount = natural.count - shownCount
      let note = hiddenCount > 0 ? gap.count + hiddenNote(hiddenCount).count : 0
      let room = terminalWidth - gap.count * (shownCount - 1) - note
      if let widths = fitted(shown, to: room) {
        return Layout(widths: widths, hiddenCount: hiddenCount)
      }
    }
    // Too narrow even for one column and the note on the others.
    return Layout(widths: natural.prefix(1).map { min($0, terminalWidth) }, hiddenCount: 0)
  }

  /// Cuts the widest columns to one common width, the largest that makes all fit in `room`.
  private static func fitted(_ widths: [Int], to room: Int) -> [Int]? {
    var cap = widths.max() ?? 0
    while widths.reduce(0, { $0 + min($1, cap) }) > room {
      cap -= 1
      guard cap >= narrowestColumn else { return nil }
    }
    var fitted = widths.map { min($0, cap) }
    // The rest of the common width goes to the first columns that were cut.
    var rest = room - fitted.reduce(0, +)
    for index in widths.indices where rest > 0 && fitted[index] < widths[index] {
      fitted[index] += 1
      rest -= 1
    }
    return fitted
  }

  private static func hiddenNote(_ count: Int) -> String { "+\(count) more" }

  private func line(_ cells: [String], _ layout: Layout, note: Bool = false) -> String {
    var text = ""
    for (column, width) in layout.widths.enumerated() {
      if column > 0 { text += Self.gap }
      let cell = DisplayWidth.truncated(cells[column], to: width)
      let padding = String(repeating: " ", count: width - DisplayWidth.of(cell))
      text += isNumber[column] ? padding + cell : cell + padding
    }
    if note { text += Self.gap + Self.hiddenNote(layout.hiddenCount) }
    while text.last == " " { text.removeLast() }
    return text + "\n"
  }
}

extension OutputValue {
  /// The value in a cell of a table: null is empty, text is without quotes, lists in brackets.
  var cell: String {
    switch self {
    case .null: ""
    case .string(let text): text
    case .data(let data): Quantity.bytes(data.count)
    case .list(let elements):
      "[" + elements.map(\.cell).joined(separator: ", ") + "]"
    case .map(let entries):
      "{" + entries.map { $0.name + ": " + $0.value.cell }.joined(separator: ", ") + "}"
    case .bool, .int, .float, .double: json(self)
    }
  }
}
