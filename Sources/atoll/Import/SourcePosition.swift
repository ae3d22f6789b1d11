/// A place in a data file, counted from one.
///
/// The column counts Unicode scalars, as most editors do, and not bytes; a byte order mark is
/// not counted.
struct SourcePosition: Equatable, Comparable, Sendable, CustomStringConvertible {
  var line: Int
  var column: Int

  static func < (a: SourcePosition, b: SourcePosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  var description: String { "\(line):\(column)" }
}
