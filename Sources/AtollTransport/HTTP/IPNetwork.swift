#if Sync
/// The addresses with the same first bits.
package struct IPNetwork: Equatable, Sendable {
  private let address: IPAddress
  /// How many first bits are the same.
  package let prefix: Int

  /// Reads an address, or one with the number of its first bits that count, as `10.0.0.0/8`.
  ///
  /// Nil for all else, a network whose address has other bits than the first among them: whoever
  /// wrote it may have meant one address.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, !text.contains("%"), let address = IPAddress(parts[0]) else {
      return nil
    }
    var prefix = address.bitCount
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(parts[1]),
        number <= address.bitCount
      else { return nil }
      prefix = number
    }
    guard address.network(prefix: prefix) == address else { return nil }
    self.address = address
    self.prefix = prefix
  }

  package func contains(_ other: IPAddress) -> Bool {
    other.isIPv4 == address.isIPv4 && other.network(prefix: prefix) == address
  }
}
#endif
