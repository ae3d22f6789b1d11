#if Sync
/// An address of the Internet Protocol.
///
/// An IPv4 address and its form in IPv6, `::ffff:192.0.2.1`, are the same: a socket for both kinds
/// shows the one as the other.
package struct IPAddress: Hashable, Sendable {
  /// The 16 bytes of an IPv6 address, the first of which is the highest.
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The upper 32 bits of `low` in an IPv4 address.
  private static let mark: UInt64 = 0xFFFF

  package var isIPv4: Bool { high == 0 && low >> 32 == Self.mark }

  /// Whether it is that of this machine, for itself.
  package var isLoopback: Bool {
    isIPv4 ? UInt8(truncatingIfNeeded: low >> 24) == 127 : high == 0 && low == 1
  }

  /// How many bits an address of this kind has.
  package var bitCount: Int { isIPv4 ? 32 : 128 }

  /// The address with zeros behind its first `prefix` bits: the network that it is in.
  package func network(prefix: Int) -> IPAddress {
    let zeros = max(0, min(bitCount, bitCount - prefix))
    return IPAddress(
      high: zeros > 64 ? high & (~0 << UInt64(zeros - 64)) : high,
      low: low & (zeros >= 64 ? 0 : ~0 << UInt64(zeros)))
  }
}

// MARK: Text

extension IPAddress {
  /// Reads four numbers with points, or groups of hexadecimal digits with colons.
  ///
  /// The zone of an IPv6 address (`%eth0`) is ignored. Nil for all else, an address with a port or
  /// in brackets among them.
  package init?(_ text: some StringProtocol) {
    // Texts of strangers; the longest address has 45 characters.
    guard text.utf8.count <= 64 else { return nil }
    if let number = Self.ipv4(text) {
      self.init(high: 0, low: Self.mark << 32 | UInt64(number))
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let groups = Self.groups(parts[0]), parts.count == 1 || !parts[1].isEmpty else {
      return nil
    }
    func number(_ groups: ArraySlice<UInt16>) -> UInt64 {
      groups.reduce(0) { $0 << 16 | UInt64($1) }
    }
    self.init(high: number(groups[..<4]), low: number(groups[4...]))
  }

  private static func ipv4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var number: UInt32 = 0
    for part in parts {
      // Some programs read a number with a zero in front as octal: it is none here.
      guard part.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), part == "0" || part.utf8.first != 0x30,
        let byte = UInt8(part)
      else { return nil }
      number = number << 8 | UInt32(byte)
    }
    return number
  }

  /// The eight groups of an IPv6 address.
  private static func groups(_ text: some StringProtocol) -> [UInt16]? {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    switch halves.count {
    case 1:
      guard let groups = list(halves[0], isLast: true), groups.count == 8 else { return nil }
      return groups
    case 2:
      guard let front = halves[0].isEmpty ? [] : list(halves[0], isLast: false),
        let back = halves[1].isEmpty ? [] : list(halves[1], isLast: true),
        front.count + back.count < 8
      else { return nil }
      return front + [UInt16](repeating: 0, count: 8 - front.count - back.count) + back
    default: return nil
    }
  }

  /// `isLast`: whether the last group may be an IPv4 address, which stands for two.
  private static func list(_ text: some StringProtocol, isLast: Bool) -> [UInt16]? {
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if isLast, index == parts.count - 1, let number = ipv4(part) {
        groups += [UInt16(number >> 16), UInt16(truncatingIfNeeded: number)]
        continue
      }
      guard 1...4 ~= part.utf8.count, part.utf8.first != 0x2B, part.utf8.first != 0x2D,
        let group = UInt16(part, radix: 16)
      else { return nil }
      groups.append(group)
    }
    return groups
  }
}

extension IPAddress: CustomStringConvertible {
  /// As programs write it: in IPv6 the longest row of zeros, of two groups at least, is `::`.
  package var description: String {
    if isIPv4 {
      return [24, 16, 8, 0].map { "\(UInt8(truncatingIfNeeded: low >> UInt64($0)))" }
        .joined(separator: ".")
    }
    let groups = [high, low].flatMap { half in
      [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
    }
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 }
      if index + 1 - start > max(1, longest.count) { longest = start..<index + 1 }
    }
    func text(_ groups: ArraySlice<UInt16>) -> String {
      groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
    return longest.isEmpty
      ? text(groups[...])
      : text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
  }
}
#endif
