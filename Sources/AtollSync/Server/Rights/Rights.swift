/// The access rules, which every read and every write consults.
///
/// Denied unless a rule allows it. What a user may do is resolved once (`UserRights`), and again
/// when the data changes that the rules ask of the user.
package struct Rights: Sendable {
  package enum Mode: Sendable {
    /// Denies everything.
    case denied
    /// Every user may do everything; classes and properties come from the devices.
    case development
    /// Follows the rules; classes and properties are those of the store.
    case rules(ServerRules)
  }

  package let mode: Mode

  package init(_ mode: Mode) { self.mode = mode }

  /// Whether devices add classes and properties.
  var allowsSchemaAdditions: Bool {
    if case .development = mode { true } else { false }
  }

  /// The class of users' data; nil when no rule uses it.
  var userClass: String? {
    if case .rules(let rules) = mode { rules.userClass } else { nil }
  }
}
