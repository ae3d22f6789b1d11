/// What a member of RealmSwift's interface is here.
enum InterfaceState: String {
  case done
  case differs
  case no
  case notOnLinux = "not on Linux"
}

/// Members of RealmSwift's interface that stand in one row of the page.
struct InterfaceRow {
  let members: [String]
  let state: InterfaceState
  /// How it differs, or why there is none; of what is done, what is good to know.
  let note: String
  /// Uses the members as RealmSwift declares them, and expects what they mean.
  let use: (@MainActor () async throws -> Void)?

  /// The row in Markdown, where a bar would end its cell.
  ///
  /// What has code in it, or an article, is a sentence.
  var line: String {
    let members = members.map { member in
      let isSentence = member.contains("`") || member.hasPrefix("a ") || member.hasPrefix("an ")
      return isSentence ? member : "`\(member)`"
    }.joined(separator: ", ").replacing("|", with: "\\|")
    return note.isEmpty
      ? "| \(members) | \(state.rawValue) | |" : "| \(members) | \(state.rawValue) | \(note) |"
  }
}

/// The rows of a section, in the order of the page.
///
/// What is *done* or *differs* takes code: it is compiled as an application would write it, and run,
/// except for what stands in `compiles { }`, which needs what a test has not.
@MainActor final class InterfaceRows {
  private(set) var rows: [InterfaceRow] = []

  func done(
    _ members: String..., note: String = "", use: @escaping @MainActor () async throws -> Void
  ) {
    rows.append(InterfaceRow(members: members, state: .done, note: note, use: use))
  }

  func differs(
    _ members: String..., how: String, use: @escaping @MainActor () async throws -> Void
  ) {
    rows.append(InterfaceRow(members: members, state: .differs, note: how, use: use))
  }

  func no(_ members: String..., why: String) {
    rows.append(InterfaceRow(members: members, state: .no, note: why, use: nil))
  }

  func notOnLinux(_ members: String..., why: String) {
    rows.append(InterfaceRow(members: members, state: .notOnLinux, note: why, use: nil))
  }
}

/// Takes code that is compiled and not run, as it needs a server or a place of its own.
@MainActor func compiles(_ use: @MainActor () async throws -> Void) {}

/// Takes a value, so that its type is checked.
func takes<Value>(_ type: Value.Type, _ value: Value) {}

/// Is told a type, so that its conformances are checked.
func isSendable<Value: Sendable>(_ type: Value.Type) {}
func isHashable<Value: Hashable>(_ type: Value.Type) {}
func isCodable<Value: Codable>(_ type: Value.Type) {}
func isDescribed<Value: CustomStringConvertible>(_ type: Value.Type) {}
