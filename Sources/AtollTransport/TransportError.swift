#if Sync
internal import AtollStorage

/// The errors of a client of the network.
package enum TransportError: Error, Equatable, Sendable {
  // The request is invalid: the same request fails again.

  /// The text is no address of a server.
  case invalidAddress(String)

  // The server is not there, or the way to it: try again later.

  /// No connection: refused, no route, no such host.
  case unreachable(host: String, port: Int, errno: Int32?)
  case timedOut(Step, milliseconds: UInt64)
  /// An open connection ended.
  case closed(CloseReason)
  /// The connection cannot be encrypted, or not to this server: somebody has to do something.
  case tls(TLSFailure, ServerAddress)

  // The server gave an unexpected answer.

  case refused(Refusal)
  /// The answer is not HTTP, or not of the form that Format.md gives.
  case malformedResponse
  case responseTooLarge(limit: Int)

  /// What took too long.
  package enum Step: String, Equatable, Sendable {
    case connect, upgrade, response
  }

  /// The server's reason for the refusal, as a text.
  package struct Refusal: Equatable, Sendable {
    /// The status of the HTTP response.
    package var status: Int
    /// The code in the body; nil when the body is not of this server.
    package var code: String?
    /// The sentence in the body.
    package var message: String
    /// How long to wait before another attempt.
    package var retryAfterSeconds: UInt64?

    package init(
      status: Int, code: String? = nil, message: String = "", retryAfterSeconds: UInt64? = nil
    ) {
      self.status = status
      self.code = code
      self.message = message
      self.retryAfterSeconds = retryAfterSeconds
    }
  }
}

extension TransportError {
  /// Whether the same request may succeed later without intervention.
  package var isTransient: Bool {
    switch self {
    case .invalidAddress: false
    case .refused(let refusal): refusal.status != 401 && refusal.status != 400
    default: true
    }
  }

  /// Whether the error is of the encryption of the connection.
  package var isOfTLS: Bool {
    if case .tls = self { true } else { false }
  }
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidAddress(let text):
      "'\(text)' is not the address of a server; write it as https://host:port, or http://host:port "
        + "without TLS"
    case .unreachable(let host, let port, let errno):
      "cannot reach \(host):\(port)"
        + (errno.map { ": \(SystemCalls.message(for: $0))" } ?? "; the host is not known")
    case .timedOut(let step, let milliseconds):
      "no answer within \(milliseconds) ms (\(step.rawValue))"
    case .closed(let reason): "the connection ended: \(reason)"
    case .tls(let failure, let address): failure.description(of: address)
    case .refused(let refusal):
      refusal.message.isEmpty
        ? "the server answered with status \(refusal.status)" : refusal.message
    case .malformedResponse: "what answered is not an Atoll server"
    case .responseTooLarge(let limit): "the answer is longer than \(limit) bytes"
    }
  }
}
#endif
