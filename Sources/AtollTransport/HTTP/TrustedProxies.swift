#if Sync
/// The proxies in front of a server, and the header in which they name whom they forward.
///
/// Each proxy appends the address of who connected to it. What stands before the entries of trusted
/// proxies was written by somebody else, and so is never looked at.
package struct TrustedProxies: Equatable, Sendable {
  package enum Header: String, CaseIterable, Sendable {
    case xForwardedFor = "X-Forwarded-For"
    /// RFC 7239.
    case forwarded = "Forwarded"
  }

  package var networks: [IPNetwork]
  /// The only header that is believed: a proxy that sets one may let the other through.
  package var header: Header

  package init(_ networks: [IPNetwork] = [], header: Header = .xForwardedFor) {
    self.networks = networks
    self.header = header
  }

  /// So many proxies may stand in a row: a client may have written a thousand addresses of theirs.
  package static let hopLimit = 32

  package func contains(_ address: IPAddress) -> Bool {
    networks.contains { $0.contains(address) }
  }

  /// Returns the address of the client of a request.
  ///
  /// It is the last one in the header that is no trusted proxy's; the first one, when all are. The
  /// peer's own when it is no trusted proxy, without the header, and when the search meets what is
  /// no address, or more than `hopLimit` trusted ones. `values`: of the header's lines, in their
  /// order.
  package func client(peer: String, values: [String]) -> String {
    guard !networks.isEmpty, let address = IPAddress(peer), contains(address) else { return peer }
    var client: IPAddress?
    var hopCount = 0
    for value in values.reversed() {
      var list = ForwardedList(value, hasQuotes: header == .forwarded)
      while let element = list.removeLast() {
        let node = header == .forwarded ? element.forwardedNode : element.node
        guard let node else { return peer }
        guard contains(node) else { return "\(node)" }
        hopCount += 1
        guard hopCount <= Self.hopLimit else { return peer }
        client = node
      }
    }
    return client.map { "\($0)" } ?? peer
  }
}

/// A line of a header with elements between commas, from its end.
///
/// It is read backwards, as its begin is whatever a client has sent: an open quotation mark there
/// must not hide what the proxies wrote.
private struct ForwardedList {
  private var rest: ArraySlice<UInt8>
  /// Whether a comma may stand in quotation marks.
  private let hasQuotes: Bool

  init(_ value: String, hasQuotes: Bool) {
    rest = Array(value.utf8)[...]
    self.hasQuotes = hasQuotes
  }

  /// Takes the last element; nil when there is none left.
  mutating func removeLast() -> ForwardedElement? {
    while !rest.isEmpty {
      let comma = lastComma
      let element = ForwardedElement(comma.map { rest[($0 + 1)...] } ?? rest)
      rest = comma.map { rest[..<$0] } ?? []
      // A list may have empty elements, which say nothing.
      if !element.bytes.isEmpty { return element }
    }
    return nil
  }

  private var lastComma: Int? {
    var isQuoted = false
    for index in rest.indices.reversed() {
      if rest[index] == UInt8(ascii: ","), !isQuoted { return index }
      if hasQuotes, rest[index] == UInt8(ascii: "\"") {
        let escapes = rest[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }
        if escapes.count % 2 == 0 { isQuoted.toggle() }
      }
    }
    return nil
  }
}

/// What one proxy says.
private struct ForwardedElement {
  /// Without white space around it.
  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    var bytes = bytes.drop(while: Self.isSpace)
    while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
    self.bytes = bytes
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  // MARK: X-Forwarded-For

  /// An address, with a port behind it or without.
  var node: IPAddress? {
    let text = String(decoding: bytes, as: UTF8.self)
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    if text.utf8.first != UInt8(ascii: "["), colons > 1 {
      return text.contains("%") ? nil : IPAddress(text)
    }
    return Self.node(text[...])
  }

  /// `192.0.2.1`, `[2001:db8::1]`, each with `:` and a port or without.
  private static func node(_ text: Substring) -> IPAddress? {
    var host = text
    var port: Substring?
    let end = text.utf8.first == UInt8(ascii: "[") ? text.firstIndex(of: "]") : nil
    if let colon = text[(end ?? text.startIndex)...].firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    // A proxy may tell another word than its port.
    guard port?.isEmpty != true, port?.allSatisfy({ $0.isASCII && !$0.isWhitespace }) != false
    else { return nil }
    if end == nil { return IPAddress(host).flatMap { $0.isIPv4 ? $0 : nil } }
    guard host.last == "]", host.contains(":"), !host.contains("%") else { return nil }
    return IPAddress(host.dropFirst().dropLast())
  }

  // MARK: Forwarded

  /// The address of the parameter `for`, of which there is one.
  var forwardedNode: IPAddress? {
    var rest = bytes
    var node: IPAddress?
    while true {
      rest = rest.drop(while: Self.isSpace)
      guard let first = rest.first else { return node }
      if first == UInt8(ascii: ";") {
        rest.removeFirst()
        continue
      }
      let name = rest.prefix(while: Self.isOfToken)
      rest = rest[name.endIndex...]
      guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = Self.value(&rest)
      else { return nil }
      rest = rest.drop(while: Self.isSpace)
      guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
      guard String(decoding: name, as: UTF8.self).lowercased() == "for" else { continue }
      guard node == nil, let found = Self.node(value[...]) else { return nil }
      node = found
    }
  }

  /// Takes a token or a text in quotation marks; nil when there is neither.
  private static func value(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix(while: isOfToken)
      rest = rest[token.endIndex...]
      return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        value.append(escaped)
      default: value.append(byte)
      }
    }
    return nil
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
#endif
