#if Sync
internal import AtollTransport

extension ServerConfiguration {
  /// Reads which connections are accepted, and whose they are.
  ///
  /// `server`: the values of that section.
  static func network(
    _ values: [String: ConfigurationNode], server: [String: ConfigurationNode]?
  ) throws(ConfigurationError) -> SyncListener.Settings {
    var settings = SyncListener.Settings()
    if let node = server?["connectionsPerHost"] {
      let number = try node.number("server.connectionsPerHost")
      guard number >= 1 else {
        throw node.error("server.connectionsPerHost: a number of at least 1 is expected")
      }
      settings.connectionsPerHost = number
    }
    for node in try values["trustedProxies"]?.list("trustedProxies") ?? [] {
      settings.trustedProxies.networks.append(try network(node))
    }
    if let node = values["proxyHeader"] {
      guard !settings.trustedProxies.networks.isEmpty else {
        throw node.error("proxyHeader has no effect without 'trustedProxies'")
      }
      let name = try node.text("proxyHeader").value
      let header = TrustedProxies.Header.allCases.first {
        $0.rawValue.lowercased() == name.lowercased()
      }
      guard let header else {
        let names = TrustedProxies.Header.allCases.map(\.rawValue).joined(separator: " or ")
        throw node.error("proxyHeader: '\(name)' is not supported; it is \(names)")
      }
      settings.trustedProxies.header = header
    }
    return settings
  }

  private static func network(
    _ node: ConfigurationNode
  ) throws(ConfigurationError) -> IPNetwork {
    let text = try node.text("trustedProxies").value
    guard let network = IPNetwork(text) else {
      throw node.error(
        "trustedProxies: '\(text)' is no address and no network; a network is its first address "
          + "with the number of bits that all have in common, as 10.0.0.0/8 or fd00::/8")
    }
    guard network.prefix > 0 else {
      throw node.error(
        "trustedProxies: '\(text)' is everybody, and so anybody could claim any address; name the "
          + "proxies")
    }
    return network
  }
}
#endif
