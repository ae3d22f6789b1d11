#if Sync
/// What answers the requests that reach a listener.
package protocol HTTPResponder: Sendable {
  /// Answers a request that is none for a sync connection. It may take its time.
  func respond(to request: HTTPRequest) async -> HTTPReply

  /// Decides whether a request may open a sync connection; at once, on an event loop.
  func admit(_ request: HTTPRequest) -> SyncAdmission
}

/// The answer to a request for a sync connection.
package enum SyncAdmission: Sendable {
  /// The connection belongs to a user and one of the user's log-ins, and ends when the token does.
  case accepted(user: String, session: String, expiresAtMilliseconds: UInt64?)
  case refused(HTTPReply)
}
#endif
