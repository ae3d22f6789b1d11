/// A place in a data file, counted from one.
///
/// The column counts Unicode scalars, as most editors do, and not bytes; a byte order mark is
/// not counted.
package struct SourcePosition: Equatable, Comparable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package static func < (a: SourcePosition, b: SourcePosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  package var description: String { "\(line):\(column)" }
}
