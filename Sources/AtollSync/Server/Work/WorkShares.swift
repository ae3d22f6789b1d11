/// Who has taken how much of the server's time lately.
///
/// Those who took little come first: a user whose queries take seconds waits for others, and not
/// they for that user. Users cost nothing to make, so what the users of one host took counts too.
struct WorkShares {
  /// Times halve in so many milliseconds.
  private static let halfLife: UInt64 = 5_000
  /// Whoever took less than this is served in the order of arrival.
  private static let small = 50_000_000.0
  /// A host has many users.
  private static let hostFactor = 8.0

  private struct Share {
    var nanoseconds: Double
    /// Milliseconds since 1970.
    var at: UInt64

    func value(_ now: UInt64) -> Double {
      // A clock that is set back halves nothing.
      guard now > at else { return nanoseconds }
      let (halvings, rest) = (now - at).quotientAndRemainder(dividingBy: WorkShares.halfLife)
      guard halvings < 64 else { return 0 }
      // Between two halvings along a straight line.
      let part = 1 - Double(rest) / Double(2 * WorkShares.halfLife)
      return nanoseconds / Double(UInt64(1) << halvings) * part
    }
  }

  private var users: [String: Share] = [:]
  private var hosts: [String: Share] = [:]

  /// Notes what was done for a user of a host; an empty host is not known.
  mutating func addTime(_ nanoseconds: UInt64, ofUser user: String, host: String, now: UInt64) {
    guard nanoseconds > 0 else { return }
    Self.add(Double(nanoseconds), to: &users[user], now)
    if !host.isEmpty { Self.add(Double(nanoseconds), to: &hosts[host], now) }
  }

  private static func add(_ nanoseconds: Double, to share: inout Share?, _ now: UInt64) {
    share = Share(nanoseconds: (share?.value(now) ?? 0) + nanoseconds, at: now)
  }

  /// The place of a user of a host in the order of service: 0 for those who took little, then more
  /// by one for each doubling.
  func rank(ofUser user: String, host: String, now: UInt64) -> Int {
    let byUser = users[user]?.value(now) ?? 0
    let byHost = hosts[host]?.value(now) ?? 0
    let taken = max(byUser, byHost / Self.hostFactor)
    guard taken > Self.small else { return 0 }
    return 1 + Int((taken / Self.small).exponent)
  }

  /// Drops those who took nothing that matters any more.
  mutating func sweep(now: UInt64) {
    users = users.filter { $0.value.value(now) > 1_000_000 }
    hosts = hosts.filter { $0.value.value(now) > 1_000_000 }
  }
}
