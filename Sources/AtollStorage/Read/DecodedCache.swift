import Synchronization

/// Decoded pages and parts of pages, bounded by bytes.
///
/// A key is (block, item): the first block of a page, and the number of the part inside the page.
/// Blocks are reused, so each entry remembers its page's checksum and is a hit only for the same
/// one. Eviction is CLOCK: a hand walks over the entries, forgives the ones that were hit since it
/// last came by, and drops the others; a scan that touches everything once therefore does not push
/// out what is used again and again.
///
/// Sixteen shards keep threads apart, and none is ever waited for: a look-up that finds its shard
/// busy is a miss, and what should be kept then is not. To decode a page again takes microseconds;
/// a thread that is in a shard when the system lets another run stays there for milliseconds, and
/// all others would soon wait for it.
///
/// A value stays alive as long as it is held, evicted or not.
///
/// Invariant: in each shard, the byte counts of the entries add up to at most a sixteenth of
/// `byteLimit`. A value larger than that is never kept.
package final class DecodedCache: Sendable {
  package typealias Element = AnyObject & Sendable

  /// The bytes that all entries together may have.
  package let byteLimit: Int

  private static let shardCount = 16
  private let shards: [Shard]

  /// An empty cache of at most `byteLimit` bytes, counted as the callers of `insert` say.
  package init(byteLimit: Int) {
    precondition(byteLimit >= 0, "a cache cannot hold fewer than no bytes")
    self.byteLimit = byteLimit
    shards = (0..<Self.shardCount).map { _ in Shard(byteLimit: byteLimit / Self.shardCount) }
  }

  /// The entry of `item` in `page`; nil when there is none or another thread is in its shard.
  ///
  /// Cost: two atomic operations and one probe, about 40 ns.
  package func value(page: PageIdentity, item: UInt32) -> (any Element)? {
    let hash = Self.hash(page.block, item)
    let found = shards[hash & (Self.shardCount - 1)].tryWithState { state in
      state.find(page: page, item: item, hash: hash)
    }
    return found ?? nil
  }

  /// Keeps `value`, which takes `byteCount` bytes; an older entry of the same key is dropped.
  ///
  /// Does nothing while another thread is in the shard.
  package func insert(_ value: any Element, byteCount: Int, page: PageIdentity, item: UInt32) {
    let hash = Self.hash(page.block, item)
    let shard = shards[hash & (Self.shardCount - 1)]
    // What is evicted is released after the shard is left: freeing memory takes time.
    let evicted = shard.tryWithState { state in
      state.insert(value, byteCount: byteCount, page: page, item: item, hash: hash)
    }
    withExtendedLifetime(evicted) {}
  }

  /// Drops every entry; counters stay.
  package func removeAll() {
    for shard in shards {
      let old = shard.withState { state in
        let old = state.entries
        state.removeAll()
        return old
      }
      withExtendedLifetime(old) {}
    }
  }

  /// How the cache has done so far; a sum over the shards, each taken at its own moment.
  package var statistics: Statistics {
    var sum = Statistics()
    for shard in shards {
      shard.withState { state in
        sum.hitCount += state.hitCount
        sum.missCount += state.missCount
        sum.entryCount += state.entryCount
        sum.byteCount += state.byteCount
      }
    }
    return sum
  }

  /// Counters since the cache was made, and what it holds now.
  package struct Statistics: Equatable, Sendable {
    package var hitCount = 0
    package var missCount = 0
    package var entryCount = 0
    package var byteCount = 0

    package init() {}
  }

  /// Mixes a key; the low four bits choose the shard, the others the place in its table.
  private static func hash(_ block: UInt64, _ item: UInt32) -> Int {
    var z = (block ^ UInt64(item) << 40) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return Int(truncatingIfNeeded: z >> 16)
  }
}

/// What a flag protects, at an address of its own.
///
/// A thread that finds the flag down raises it and is alone until it lowers it again. A `Mutex`
/// asks the system when another thread is inside, which takes as long as it would to wait.
private final class Shard: @unchecked Sendable {
  // Sendable: the state is touched only by the one thread that raised the flag.
  private let isBusy = Atomic(false)
  private var state: ShardState
  // Keeps the flags of two shards out of one cache line.
  private let padding = InlineArray<16, UInt64>(repeating: 0)

  init(byteLimit: Int) {
    state = ShardState(byteLimit: byteLimit)
  }

  /// Runs `body` alone; nil when another thread is in the shard.
  @inline(__always)
  func tryWithState<Result>(_ body: (inout ShardState) -> Result) -> Result? {
    let (isAlone, _) = isBusy.compareExchange(
      expected: false, desired: true, ordering: .acquiring)
    guard isAlone else { return nil }
    defer { isBusy.store(false, ordering: .releasing) }
    return body(&state)
  }

  /// Runs `body` alone, when the others have left.
  func withState<Result>(_ body: (inout ShardState) -> Result) -> Result {
    while true {
      if let result = tryWithState(body) { return result }
      SystemCalls.letOthersRun()
    }
  }
}

/// One sixteenth of the cache: a ring of entries for the hand, and a hash table of ring positions.
///
/// Invariant: every occupied ring position is in the table exactly once, reachable from its hash
/// without crossing an empty place; `free` holds the other positions.
private struct ShardState: Sendable {
  struct Entry: Sendable {
    var page: PageIdentity
    var item: UInt32
    var isForgiven: Bool
    var hash: Int
    var byteCount: Int
    var value: (any DecodedCache.Element)?
  }

  let byteLimit: Int
  var entries: [Entry] = []
  var free: [Int32] = []
  /// Ring positions, -1 where empty; the count is a power of two, at most half full.
  var table = [Int32](repeating: -1, count: 16)
  var hand = 0
  var entryCount = 0
  var byteCount = 0
  var hitCount = 0
  var missCount = 0

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  private func place(_ hash: Int) -> Int {
    (hash >> 4) & (table.count - 1)
  }

  /// The table place that holds the key, or nil.
  private func slot(block: UInt64, item: UInt32, hash: Int) -> Int? {
    var slot = place(hash)
    while true {
      let position = Int(table[slot])
      if position < 0 { return nil }
      if entries[position].page.block == block && entries[position].item == item { return slot }
      slot = (slot + 1) & (table.count - 1)
    }
  }

  mutating func find(
    page: PageIdentity, item: UInt32, hash: Int
  ) -> (any DecodedCache.Element)? {
    guard let slot = slot(block: page.block, item: item, hash: hash) else {
      missCount &+= 1
      return nil
    }
    let position = Int(table[slot])
    guard entries[position].page.checksum == page.checksum else {
      missCount &+= 1
      return nil
    }
    hitCount &+= 1
    entries[position].isForgiven = true
    return entries[position].value
  }

  /// Adds an entry and returns the values that had to go.
  mutating func insert(
    _ value: any DecodedCache.Element, byteCount added: Int, page: PageIdentity, item: UInt32,
    hash: Int
  ) -> [any DecodedCache.Element] {
    var evicted: [any DecodedCache.Element] = []
    if let slot = slot(block: page.block, item: item, hash: hash) {
      remove(slot: slot, into: &evicted)
    }
    guard added >= 0, added <= byteLimit else { return evicted }
    while byteCount > byteLimit - added { evictOne(into: &evicted) }

    let entry = Entry(
      page: page, item: item, isForgiven: false, hash: hash, byteCount: added, value: value)
    let position: Int
    if let reused = free.popLast() {
      position = Int(reused)
      entries[position] = entry
    } else {
      position = entries.count
      entries.append(entry)
    }
    entryCount += 1
    byteCount += added
    if entryCount * 2 > table.count { grow() } else { link(position) }
    return evicted
  }

  mutating func removeAll() {
    entries.removeAll()
    free.removeAll()
    table = [Int32](repeating: -1, count: 16)
    hand = 0
    entryCount = 0
    byteCount = 0
  }

  /// Moves the hand to the next entry that was not hit since its last visit, and drops it.
  private mutating func evictOne(into evicted: inout [any DecodedCache.Element]) {
    precondition(entryCount > 0, "bytes are held, so there is an entry to evict")
    while true {
      if hand >= entries.count { hand = 0 }
      let position = hand
      hand += 1
      guard entries[position].value != nil else { continue }
      if entries[position].isForgiven {
        entries[position].isForgiven = false
        continue
      }
      let entry = entries[position]
      guard let slot = slot(block: entry.page.block, item: entry.item, hash: entry.hash) else {
        preconditionFailure("an occupied ring position is in the table")
      }
      remove(slot: slot, into: &evicted)
      return
    }
  }

  /// Empties a table place and closes the gap in its run of places (backward shift).
  private mutating func remove(slot: Int, into evicted: inout [any DecodedCache.Element]) {
    let position = Int(table[slot])
    if let value = entries[position].value { evicted.append(value) }
    entries[position].value = nil
    entryCount -= 1
    byteCount -= entries[position].byteCount
    free.append(Int32(position))

    let mask = table.count - 1
    var gap = slot
    var next = (slot + 1) & mask
    while table[next] >= 0 {
      let home = place(entries[Int(table[next])].hash)
      // The entry may fill the gap unless its home lies after the gap on the way to `next`.
      if (next - home) & mask >= (next - gap) & mask {
        table[gap] = table[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    table[gap] = -1
  }

  private mutating func link(_ position: Int) {
    var slot = place(entries[position].hash)
    while table[slot] >= 0 { slot = (slot + 1) & (table.count - 1) }
    table[slot] = Int32(position)
  }

  private mutating func grow() {
    table = [Int32](repeating: -1, count: table.count * 2)
    for position in entries.indices where entries[position].value != nil { link(position) }
  }
}
