#if Sync
/// A request to the server, with the parts that it uses.
package struct HTTPRequest: Sendable {
  package var method: String
  /// Without the query.
  package var path: String
  /// The token of an `Authorization: Bearer` header.
  package var bearerToken: String?
  /// The `Content-Type` header.
  package var contentType: String?
  /// The WebSocket subprotocols that are offered.
  package var subprotocols: [String]
  package var body: [UInt8]
  /// The other end's address, without the port.
  package var remoteHost: String

  package init(
    method: String, path: String, bearerToken: String? = nil, contentType: String? = nil,
    subprotocols: [String] = [], body: [UInt8] = [], remoteHost: String = ""
  ) {
    self.method = method
    self.path = path
    self.bearerToken = bearerToken
    self.contentType = contentType
    self.subprotocols = subprotocols
    self.body = body
    self.remoteHost = remoteHost
  }
}

extension HTTPRequest {
  /// Whether the body is declared as JSON.
  ///
  /// A web page may send other bodies to any server without asking it first.
  package var isJSON: Bool {
    let type = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type == "application/json"
  }
}

/// An answer of the server.
package struct HTTPReply: Equatable, Sendable {
  package var status: Int
  package var contentType: String
  package var body: [UInt8]
  /// The `Retry-After` header, in seconds.
  package var retryAfterSeconds: UInt64?

  package init(
    status: Int, contentType: String = "application/json", body: [UInt8] = [],
    retryAfterSeconds: UInt64? = nil
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.retryAfterSeconds = retryAfterSeconds
  }
}
#endif
