public import Foundation

/// What goes wrong between a synced file and its server.
public struct SyncError: Error, Equatable, Sendable {
  /// The kinds of errors.
  public enum Code: Int, Sendable {
    /// The session cannot continue, or was suspended or has ended while something waited for it.
    case clientSessionError = 4
    /// The user is not logged in, or was removed.
    case clientUserError = 5
    /// The file cannot be read or written.
    case clientInternalError = 6
    /// The file has to synchronise again, or cannot be kept before that; or the server has none of
    /// its objects any more, and there is a copy.
    case clientResetError = 7
    /// Kept for sources that name it: this library does not report it.
    case underlyingAuthError = 8
    /// Kept for sources that name it: this library does not report it.
    case permissionDeniedError = 9
    /// Kept for sources that name it: this library does not report it.
    case invalidFlexibleSyncSubscriptions = 10
    /// The server has refused changes, which were undone here.
    case writeRejected = 11
    /// The server could not be reached, or the connection was refused.
    case connectionFailed = 12
    /// The server is not the one that was meant, or the connection is not encrypted: its certificate
    /// has expired, is for another name, or no known authority has signed it.
    case tlsHandshakeFailed = 13
    /// The server sent a message, or what the file held differed from the server's data.
    case serverWarning = 14
  }

  /// The kind of the error.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String
  /// For `writeRejected`: the objects whose changes the server has refused; nil else.
  public var compensatingWriteInfo: [CompensatingWriteInfo]?
  /// For `clientResetError`: what the reset needs.
  private var reset: ActionToken?

  init(_ code: Code, _ message: String, compensatingWriteInfo: [CompensatingWriteInfo]? = nil) {
    self.code = code
    self.message = message
    self.compensatingWriteInfo = compensatingWriteInfo
  }

  /// The synchronisation of a file has to begin again, and the application has to say when.
  init(reset token: ActionToken, _ message: String) {
    self.init(.clientResetError, message)
    reset = token
  }

  /// For `clientResetError`: where the copy of the file lies or will lie, and what
  /// `SyncSession.immediatelyHandleError(_:)` takes, which does nothing where the file waits for
  /// nothing; nil for other codes.
  public func clientResetInfo() -> (String, ActionToken)? { reset.map { ($0.copyPath, $0) } }
}

extension SyncError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }

  public var description: String { message }
}

/// An object whose change the server has refused; the device has the server's values again.
public struct CompensatingWriteInfo: Equatable, Sendable {
  /// The name of the object's class.
  public let objectType: String
  private let key: _StoredValue
  /// The object's primary key.
  public var primaryKey: AnyRealmValue { .plain(key) }
  /// The same as text: that of a UUID is in small letters.
  public let primaryKeyText: String
  /// Why the server refused the change.
  public let reason: String

  init(objectType: String, key: _StoredValue, primaryKeyText: String, reason: String) {
    self.objectType = objectType
    self.key = key
    self.primaryKeyText = primaryKeyText
    self.reason = reason
  }
}
