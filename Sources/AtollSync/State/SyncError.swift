package import AtollObjects
internal import AtollStorage

/// Why a connection cannot continue.
package enum SyncError: Error, Sendable {
  /// The other side sent an invalid message.
  case message(MessageError)
  /// The other side sent an unexpected message.
  case unexpected(String)
  /// The other side said so.
  case remote(ErrorMessage)
  /// Another copy of the file continued under the id; the file has a new one (R3).
  case newIdentity
  /// The file needs a client reset, which the application must allow.
  case resetRequired
  /// The file was reset repeatedly, and the server still requires a reset.
  case resetsRepeated
  /// The file differed from the server's record of it, and downloads everything again.
  case contentsDiffer(subscriptionCount: Int)
  /// The file cannot be read or written.
  case file(ObjectError)

  /// After so many resets one after the other, a further one is no help: the server or the file is
  /// broken.
  static let resetLimit: UInt64 = 5

  /// The action before the next connection.
  package var action: ErrorMessage.Action {
    switch self {
    case .message, .unexpected: .retry
    case .remote(let error): error.action
    case .newIdentity, .contentsDiffer: .retry
    case .resetRequired, .resetsRepeated: .stop
    case .file(let error): error.mayPass ? .retry : .stop
    }
  }

  /// The message to the other side before the connection is closed; nil: none.
  package var reply: SyncMessage? {
    switch self {
    case .message(let error):
      let code: ErrorMessage.Code
      if case .unknownVersion = error { code = .unknownVersion } else { code = .malformedMessage }
      return .error(ErrorMessage(.retry, code, text: "\(error)"))
    case .unexpected(let text): return .error(ErrorMessage(.retry, .unexpectedMessage, text: text))
    case .remote: return nil
    case .newIdentity, .contentsDiffer, .resetRequired, .resetsRepeated, .file: return .bye
    }
  }
}

extension ObjectError {
  /// Whether the same may succeed later: the disk was full, or the system lacked a resource.
  fileprivate var mayPass: Bool {
    guard case .storage(let error) = self else { return false }
    return switch error {
    case .io, .readerTableFull: true
    default: false
    }
  }
}

extension SyncError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .message(let error): "\(error)"
    case .unexpected(let text): text
    case .remote(let error): error.text
    case .newIdentity: "another copy of this file is in use; this one synchronises as a new one"
    case .resetRequired:
      "the history of this file and that of the server have diverged; the file needs a client reset"
    case .resetsRepeated:
      "the server has required \(SyncError.resetLimit) client resets of this file in a row; "
        + "nothing was lost here, but the server needs attention"
    case .contentsDiffer(let count):
      "the file differed from the server in \(count) subscription\(count == 1 ? "" : "s") and "
        + "downloads everything again"
    case .file(let error): "\(error)"
    }
  }
}

/// An event that a client reports to its program.
package enum SyncEvent: Hashable, Sendable {
  /// The connection is up and the server knows the file.
  case welcomed
  /// The state of a version of the subscription set changed.
  case setChanged(version: Int64)
  /// Entries with these ids were added to the inbox.
  case inboxGrew([InboxEntry.ID])
  /// The answers of all entries up to this number were applied.
  case answered(upTo: UInt64)
  /// Everything the server had when this mark was requested has arrived and is committed.
  case reached(mark: UInt64)
  /// The server's classes are in conflict with the file's: SCHEMA was refused.
  case schemaRefused(Refusal)
  /// The file has a new id, as another copy continued under the old one.
  case newIdentity
  /// The file was reset.
  case resetEnded
  /// The file was compared with the server's record of it.
  case verified(differenceCount: Int)
  /// The server reports an error; the connection continues.
  case reported(ErrorMessage)
}
