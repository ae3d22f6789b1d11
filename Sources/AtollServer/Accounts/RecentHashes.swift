#if Sync
internal import AtollTransport
internal import DequeModule

/// The last password hashes, by the hosts that asked for them: who is to be served first.
///
/// First come hosts that knew a password, then those that are not known or did something else, last
/// those that guessed. Who has an account does not keep the server busy with it: more than half of the
/// hashes are too many for a host, however right they are.
struct RecentHashes {
  /// How many hashes count: at a tenth of a second each, those of some seconds.
  private static let limit = 64

  private struct Counts: Hashable {
    var right = 0
    var wrong = 0
    /// Those that say nothing of a password.
    var other = 0
  }

  private var last = Deque<(host: HostKey, isRight: Bool?)>()
  private var counts: [HostKey: Counts] = [:]

  /// The less, the sooner a host is served.
  func cost(of host: HostKey) -> Int {
    let counts = counts[host] ?? Counts()
    return counts.wrong * Self.limit + counts.other
      + (counts.right == 0 ? Self.limit / 2 : counts.right)
  }

  /// Counts a hash; `isRight`: nil when it says nothing of a password.
  mutating func note(_ host: HostKey, isRight: Bool?) {
    last.append((host, isRight))
    count(host, isRight, 1)
    if last.count > Self.limit, let first = last.popFirst() {
      count(first.host, first.isRight, -1)
    }
  }

  private mutating func count(_ host: HostKey, _ isRight: Bool?, _ number: Int) {
    var counts = counts[host] ?? Counts()
    switch isRight {
    case true?: counts.right += number
    case false?: counts.wrong += number
    case nil: counts.other += number
    }
    self.counts[host] = counts == Counts() ? nil : counts
  }
}
#endif
