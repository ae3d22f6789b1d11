#if Sync
package import AtollObjects

/// Why an account is not made, or a user not logged in.
package enum AccountError: Error, Equatable, Sendable {
  /// The server is for another app.
  case unknownApp(String)
  /// No app was ever adopted, and only development mode adopts one.
  case noApp
  case invalidEmail
  case invalidPassword(least: Int, most: Int)
  case accountExists
  /// The log-in that is to be linked is another user's.
  case identityTaken
  /// The user has an account with another e-mail address.
  case passwordExists
  /// Nothing tells who an anonymous user is, so nothing can be linked.
  case notLinkable
  /// The log-in rests on what others give and take away; what is linked would outlive it.
  case linkedByOthers
  /// The user has as many log-ins as may be linked.
  case tooManyIdentities(limit: Int)
  /// No such account, or another password; the error does not reveal which.
  case invalidCredentials
  case invalidToken(TokenIssuer.Problem)
  case invalidKey
  case tooManyAttempts(retryAfterSeconds: UInt64)
  /// The user has logged out, or the log-in is too old.
  case sessionEnded
  /// The operator has disabled the user.
  case userDisabled
  /// By neither an id nor an identity.
  case noSuchUser(String)
  /// No user has this log-in.
  case noSuchLogIn(String)
  /// The user has no other log-in.
  case onlyLogIn(String)
  /// The user has no account with a password.
  case noPassword
  /// The configuration does not allow this log-in any more.
  case notAllowed
  /// The system has no memory for a password hash.
  case busy
  /// Too many passwords wait to be hashed.
  case crowded
  /// Another request has just changed what this one was about; asked again, it finds that.
  case overtaken
  /// The connection of the request is gone.
  case abandoned
  /// One change of the accounts does not get on, as another process keeps their file locked.
  case locked
  case storage(ObjectError)
}

extension AccountError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownApp(let id): "this server is for another app than '\(id)'"
    case .noApp:
      "this server is for no app yet; name one in its configuration, or start it with "
        + "--development to adopt the first"
    case .invalidEmail: "that is no e-mail address"
    case .invalidPassword(let least, let most):
      "a password has from \(least) to \(most) characters"
    case .accountExists: "there is an account with this e-mail address"
    case .identityTaken: "this log-in is that of another user"
    case .passwordExists: "this user logs in with another e-mail address already"
    case .notLinkable: "an anonymous log-in is always that of a new user; link one with a name"
    case .linkedByOthers:
      "this log-in rests on a key or on another service; only a user who is anonymous or has logged "
        + "in with a password links others"
    case .tooManyIdentities(let limit): "a user has at most \(limit) log-ins"
    case .invalidCredentials: "no such account, or a wrong password"
    case .invalidToken(let problem): problem.sentence
    case .invalidKey: "this server does not know the API key"
    case .tooManyAttempts(let seconds): "too many attempts; try again in \(seconds) s"
    case .sessionEnded: "the log-in has ended; log in again"
    case .userDisabled: "who runs this server has disabled this user"
    case .noSuchUser(let text):
      "there is no user '\(text)'; name one by id, e-mail address or log-in, as 'atoll users list' "
        + "has them"
    case .noSuchLogIn(let text):
      "nobody logs in as '\(text)'; name a log-in as 'atoll users list' has it, or an e-mail address"
    case .onlyLogIn(let text):
      "'\(text)' is the only log-in of its user; delete or disable the user instead"
    case .noPassword: "this user does not log in with a password"
    case .notAllowed: "this server does not take this log-in any more"
    case .busy: "the server has no memory for this now"
    case .crowded: "too many users log in with a password now; try again in a moment"
    case .overtaken: "another request has just changed this account; try again"
    case .abandoned: "the connection of the request was closed"
    case .locked: "the accounts are locked by another program; try again in a moment"
    case .storage(let error): "\(error)"
    }
  }
}
#endif
