public import Foundation

/// Why a log-in, a registration or another request to the server failed.
public struct AppError: Error, Equatable, Sendable {
  /// What went wrong, as the server or the network said it.
  public enum Code: Int, Sendable {
    case unknown = -1
    case httpRequestFailed = 1
    case invalidSession
    case badRequest
    case userNotFound
    case userAppDomainMismatch
    case domainNotAllowed
    case readSizeLimitExceeded
    case invalidParameter
    case missingParameter
    case functionExecutionError
    case internalServerError
    case authProviderNotFound
    case valueNotFound
    case valueAlreadyExists
    case valueDuplicateName
    case functionNotFound
    case functionSyntaxError
    case functionInvalid
    case apiKeyAlreadyExists
    case executionTimeLimitExceeded
    case notCallable
    case userAlreadyConfirmed
    case userDisabled
    case authError
    case accountNameInUse
    case invalidPassword
    case maintenanceInProgress
    case mongoDBError
    /// The server refuses for now, after too many attempts or because too much waits for it; the
    /// message tells after how long to try again.
    case tooManyRequests
  }

  /// The kind of the error.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String
  /// The status of the server's answer; nil when there was none.
  public var httpStatusCode: Int?

  /// Makes an error; `httpStatusCode` is nil when no answer of a server is its cause.
  public init(_ code: Code, _ message: String, httpStatusCode: Int? = nil) {
    self.code = code
    self.message = message
    self.httpStatusCode = httpStatusCode
  }
}

extension AppError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }

  public var description: String { message }
}
