/// Who may do what: the one place that every read and every write asks.
///
/// Denied unless a rule allows it. In development mode every user may do everything.
package struct Rights: Sendable {
  package enum Mode: Sendable {
    /// Nobody may do anything.
    case denied
    /// Every user may do everything; classes and properties come from the devices.
    case development
  }

  package let mode: Mode

  package init(_ mode: Mode) { self.mode = mode }

  /// Whether the user may read objects of the class.
  func mayRead(_ className: String, user: String) -> Bool { mode == .development }

  /// Whether the user may make, change and delete objects of the class.
  func mayWrite(_ className: String, user: String) -> Bool { mode == .development }

  /// Whether the user may add classes and properties.
  func mayAddToSchema(user: String) -> Bool { mode == .development }
}
