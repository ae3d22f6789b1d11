#if Sync
internal import AtollTransport

/// Counts wrong passwords for accounts.
///
/// Counted for an account alone, anybody could lock its owner out; counted for each host alone, who
/// has many hosts could guess on and on. So a host has few attempts for an account, all together
/// have many, and a host from which the owner has logged in does not depend on those of others.
struct PasswordGuesses: Sendable {
  private struct Key: Hashable {
    let account: String
    let host: HostKey
  }

  /// Ten in a minute for an account from a host, a hundred from all.
  private var ofHosts = AttemptLimit<Key>(capacity: 10, intervalMilliseconds: 6_000)
  private var ofAll = AttemptLimit<String>(capacity: 100, intervalMilliseconds: 600)
  /// From where the accounts have logged in.
  private var known: Set<Key> = []
  private static let knownLimit = 10_000

  /// How many milliseconds to wait before the next attempt; nil when there is one left.
  func wait(_ account: String, _ host: HostKey, now: UInt64) -> UInt64? {
    let key = Key(account: account, host: host)
    return ofHosts.wait(key, now: now)
      ?? (known.contains(key) ? nil : ofAll.wait(account, now: now))
  }

  mutating func take(_ account: String, _ host: HostKey, now: UInt64) {
    ofHosts.take(Key(account: account, host: host), now: now)
    ofAll.take(account, now: now)
  }

  /// Gives an attempt back that was none after all.
  mutating func giveBack(_ account: String, _ host: HostKey, now: UInt64) {
    ofHosts.giveBack(Key(account: account, host: host), now: now)
    ofAll.giveBack(account, now: now)
  }

  /// Gives an attempt back whose password was right.
  mutating func noteRight(_ account: String, _ host: HostKey, now: UInt64) {
    giveBack(account, host, now: now)
    // Who is forgotten depends on others again, for the next attempt alone.
    if known.count >= Self.knownLimit { known.removeAll() }
    known.insert(Key(account: account, host: host))
  }
}
#endif
