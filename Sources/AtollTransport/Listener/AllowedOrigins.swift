#if Sync
internal import NIOCore
internal import NIOHTTP1

/// Tells requests of web pages from those of programs.
///
/// A browser sends whatever a page of any server asks for, also to servers that only this machine
/// can reach, and says in `Origin` where the page came from. Programs send no such header.
struct AllowedOrigins: Sendable {
  /// The name or address that the server was told to listen on.
  let serverHost: String

  /// Whether the request comes from no web page, or from one of this server.
  ///
  /// That both headers name the same host is not enough: a page of a foreign name gets there when
  /// the name's owner lets it stand for this server's address. No name but the server's own is
  /// taken.
  func allow(_ head: HTTPRequestHead) -> Bool {
    let origins = head.headers[canonicalForm: "Origin"]
    guard let origin = origins.first else { return !head.headers.contains(name: "Origin") }
    guard origins.count == 1, let mark = origin.firstRange(of: "://") else { return false }
    let authority = origin[mark.upperBound...].lowercased()
    guard authority == head.headers.first(name: "Host")?.lowercased(),
      let address = try? ServerAddress("http://\(authority)")
    else { return false }
    return address.host == "localhost" || address.host == serverHost.lowercased()
      || (try? SocketAddress(ipAddress: address.host, port: 0)) != nil
  }
}
#endif
