#if Sync
internal import NIOCore
internal import NIOHTTP1

/// Distinguishes requests of web pages from those of programs.
///
/// A browser sends any request of a page of any server, also to servers that only this machine can
/// reach. It names the origin of the page in `Origin`. Programs send no such header.
struct AllowedOrigins: Sendable {
  /// The configured name or address on which the server listens.
  let serverHost: String

  /// Whether the request is not from a web page, or from one of this server.
  ///
  /// It is not enough that both headers name the same host: the owner of a foreign name can point
  /// it to this server's address. Only the server's own name is accepted.
  func allow(_ head: HTTPRequestHead) -> Bool {
    let origins = head.headers[canonicalForm: "Origin"]
    guard let origin = origins.first else { return !head.headers.contains(name: "Origin") }
    guard origins.count == 1, let mark = origin.firstRange(of: "://") else { return false }
    let authority = origin[mark.upperBound...].lowercased()
    return authority == head.headers.first(name: "Host")?.lowercased() && isOwn(authority)
  }

  /// Whether a request names this server as what nobody else can own: its address, or its own name.
  ///
  /// A page of a foreign name that points to this server's address is, to a browser, one of this
  /// server, and its requests to read name no origin.
  func allowHost(_ head: HTTPRequestHead) -> Bool {
    let hosts = head.headers["Host"]
    // HTTP/1.0 may name none, and no browser speaks it.
    guard let host = hosts.first else { return head.version != .http1_1 }
    return hosts.count == 1 && isOwn(host.lowercased())
  }

  private func isOwn(_ authority: String) -> Bool {
    guard let address = try? ServerAddress("http://\(authority)") else { return false }
    return address.host == "localhost" || address.host == serverHost.lowercased()
      || (try? SocketAddress(ipAddress: address.host, port: 0)) != nil
  }
}
#endif
