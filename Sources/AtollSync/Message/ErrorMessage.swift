/// ERROR: an error of the connection, and the receiver's action.
///
/// A receiver that does not know the code acts by its class.
package struct ErrorMessage: Hashable, Sendable {
  package var action: Action
  package var code: Code
  /// How long to wait before the next connection, in milliseconds; nil: as usual.
  package var retryAfterMilliseconds: UInt64?
  package var text: String
  /// With `setRefused`: the members of the set that the server cannot answer, ascending.
  package var members: [RefusedMember]

  package init(
    _ action: Action, _ code: Code, retryAfterMilliseconds: UInt64? = nil, text: String,
    members: [RefusedMember] = []
  ) {
    self.action = action
    self.code = code
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.text = text
    self.members = members
  }

  /// What the receiver does.
  package enum Action: UInt8, Hashable, Sendable, CaseIterable {
    /// Connects again later.
    case retry = 0
    /// Takes a new id and connects again (R3).
    case newIdentity = 1
    /// Logs in again before it connects.
    case logIn = 2
    /// Reports to the app, and connects again only on its request.
    case stop = 3
    /// Reports to the app; the connection continues.
    case report = 4
  }

  package struct Code: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let malformedMessage = Code(rawValue: 1)
    package static let unknownVersion = Code(rawValue: 2)
    /// An unexpected message.
    package static let unexpectedMessage = Code(rawValue: 3)
    /// Another copy of the file continued under this id.
    package static let copiedFile = Code(rawValue: 4)
    /// Another connection with the same id took over.
    package static let replaced = Code(rawValue: 5)
    /// The file belongs to another user.
    package static let otherUser = Code(rawValue: 6)
    package static let tokenExpired = Code(rawValue: 7)
    package static let serverStops = Code(rawValue: 8)
    package static let serverFailed = Code(rawValue: 9)
    package static let tooLarge = Code(rawValue: 10)
    package static let tooBusy = Code(rawValue: 11)
    /// Classes of the file and the server that do not go together.
    package static let schemaConflict = Code(rawValue: 12)
    /// A set that was answered before, by this server or the one before it, has members that the
    /// server cannot answer any more; the others stay in force.
    package static let setRefused = Code(rawValue: 13)
    /// The user exceeds a limit of the server.
    package static let overLimit = Code(rawValue: 14)
    /// As `copiedFile`, and the server's history does not have the file's cursor: it was restored
    /// from a backup, or is another one.
    package static let olderServer = Code(rawValue: 15)
  }
}
