#if Sync
/// The host that an address counts for, in everything that is counted by host.
///
/// An IPv4 address is a host. Of IPv6, who has one address has the 2⁶⁴ with the same first 64 bits,
/// which are one host. All that is no address, as that of a socket in the file system, is one, too.
package struct HostKey: Hashable, Sendable {
  /// How many bits of an IPv6 address tell hosts apart.
  static let ipv6PrefixBitCount = 64

  /// Nil for what is no address.
  private let network: IPAddress?

  /// The host of an address without its port.
  package init(_ address: String) {
    network = IPAddress(address).map {
      $0.isIPv4 ? $0 : $0.network(prefix: Self.ipv6PrefixBitCount)
    }
  }
}

extension HostKey: CustomStringConvertible {
  package var description: String {
    guard let network else { return "unknown" }
    return network.isIPv4 ? "\(network)" : "\(network)/\(Self.ipv6PrefixBitCount)"
  }
}
#endif
