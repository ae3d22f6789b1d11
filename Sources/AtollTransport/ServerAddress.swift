#if Sync
/// Where a server listens, and whether connections to it are encrypted.
package struct ServerAddress: Hashable, Sendable {
  /// The default port of `atoll serve`.
  package static let defaultPort = 9090

  /// A name or an address; an IPv6 address without its brackets.
  package var host: String
  package var port: Int
  /// Whether connections use TLS.
  package var isSecure: Bool

  package init(host: String, port: Int = ServerAddress.defaultPort, isSecure: Bool = false) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// Reads `https://host:port`, or `wss` in place of `https`, or `http` or `ws` without TLS, with or
  /// without a slash at the end.
  ///
  /// - Throws: `.invalidAddress` for what is no address, a path or a user among them.
  package init(_ text: String) throws(TransportError) {
    guard let mark = text.firstRange(of: "://") else { throw .invalidAddress(text) }
    let isSecure: Bool
    switch text[..<mark.lowerBound].lowercased() {
    case "http", "ws": isSecure = false
    case "https", "wss": isSecure = true
    default: throw .invalidAddress(text)
    }
    var rest = text[mark.upperBound...]
    if rest.last == "/" { rest.removeLast() }
    var host = rest
    var port = Self.defaultPort
    // The last colon, unless it stands in the brackets of an IPv6 address.
    let lastBracket = rest.lastIndex(of: "]")
    if let colon = rest.lastIndex(of: ":"), colon > lastBracket ?? rest.startIndex {
      host = rest[..<colon]
      let digits = rest[rest.index(after: colon)...]
      guard let number = UInt16(digits), number > 0, digits.first != "+" else {
        throw .invalidAddress(text)
      }
      port = Int(number)
    }
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
      guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
        throw .invalidAddress(text)
      }
    } else if host.contains(":") {
      throw .invalidAddress(text)
    }
    let isHost = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    guard !host.isEmpty, host.utf8.count <= 253, isHost else { throw .invalidAddress(text) }
    self.init(host: String(host), port: port, isSecure: isSecure)
  }

  /// Host and port as they stand in a URL and in the `Host` header.
  package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this machine can reach it, judged by its text.
  package var isLoopback: Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// Whether what is sent to it can be read on a network.
  package var isOpen: Bool { !isSecure && !isLoopback }
}

extension ServerAddress: CustomStringConvertible {
  package var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}
#endif
