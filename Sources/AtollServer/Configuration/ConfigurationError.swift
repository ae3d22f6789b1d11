#if Sync
/// Why a server's configuration cannot be.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the file.
  package let path: String
  /// Counted from 1; nil when it is about the whole file.
  package let line: Int?
  /// A sentence for people.
  package let text: String

  package init(path: String, line: Int?, _ text: String) {
    self.path = path
    self.line = line
    self.text = text
  }

  package var description: String { "\(path):\(line.map { "\($0):" } ?? "") \(text)" }
}
#endif
