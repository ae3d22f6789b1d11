#if Sync
/// How often something may be tried, for each of many keys.
///
/// A key begins with `capacity` attempts and gets one back after each interval. Memory is bounded:
/// at the limit of keys, those that have all attempts back are forgotten, and if none has, the
/// fullest.
package struct AttemptLimit<Key: Hashable & Sendable>: Sendable {
  private struct Entry {
    var left: UInt64
    var since: UInt64
  }

  package let capacity: UInt64
  package let intervalMilliseconds: UInt64
  package let keyLimit: Int
  private var entries: [Key: Entry] = [:]

  package init(capacity: UInt64, intervalMilliseconds: UInt64, keyLimit: Int = 10_000) {
    self.capacity = capacity
    self.intervalMilliseconds = max(1, intervalMilliseconds)
    self.keyLimit = keyLimit
  }

  package var keyCount: Int { entries.count }

  /// How many milliseconds to wait before the next attempt; nil when there is one left.
  package func wait(_ key: Key, now: UInt64) -> UInt64? {
    guard let entry = entries[key].map({ refilled($0, now) }), entry.left == 0 else { return nil }
    return intervalMilliseconds - min(intervalMilliseconds, now - min(now, entry.since))
  }

  /// Takes an attempt away.
  package mutating func take(_ key: Key, now: UInt64) {
    var entry = entries[key].map { refilled($0, now) } ?? Entry(left: capacity, since: now)
    if entry.left == capacity { entry.since = now }
    entry.left -= min(1, entry.left)
    if entries[key] == nil, entries.count >= keyLimit { forget(now) }
    entries[key] = entry
  }

  /// Gives an attempt back that was none after all.
  package mutating func giveBack(_ key: Key, now: UInt64) {
    guard var entry = entries[key].map({ refilled($0, now) }) else { return }
    entry.left = min(capacity, entry.left + 1)
    entries[key] = entry.left < capacity ? entry : nil
  }

  private func refilled(_ entry: Entry, _ now: UInt64) -> Entry {
    // A clock that was put back gives nothing.
    let intervals = (now - min(now, entry.since)) / intervalMilliseconds
    let (sum, overflow) = entry.left.addingReportingOverflow(intervals)
    return Entry(
      left: min(capacity, overflow ? capacity : sum),
      since: entry.since + intervals * intervalMilliseconds)
  }

  private mutating func forget(_ now: UInt64) {
    entries = entries.mapValues { refilled($0, now) }.filter { $0.value.left < capacity }
    guard entries.count >= keyLimit else { return }
    let fullest = entries.sorted { $0.value.left > $1.value.left }.prefix(keyLimit / 4 + 1)
    for (key, _) in fullest { entries[key] = nil }
  }
}
#endif
