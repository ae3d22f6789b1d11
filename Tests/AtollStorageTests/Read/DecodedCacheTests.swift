import AtollStorage
import TestThreads
import Testing

@Suite(.computing) struct DecodedCacheTests {
  final class Part: Sendable {
    let number: Int

    init(_ number: Int) {
      self.number = number
    }
  }

  private func page(_ block: Int, checksum: UInt64 = 1) -> PageIdentity {
    PageIdentity(block: UInt64(block), checksum: checksum)
  }

  private func number(_ found: (any DecodedCache.Element)?) -> Int? {
    (found as? Part)?.number
  }

  @Test func findsWhatWasInsertedByPageAndItem() {
    let cache = DecodedCache(byteLimit: 1 << 20)
    for block in 0..<100 {
      for item in 0..<3 {
        cache.insert(
          Part(block * 10 + item), byteCount: 10, page: page(block), item: UInt32(item))
      }
    }
    for block in 0..<100 {
      for item in 0..<3 {
        #expect(number(cache.value(page: page(block), item: UInt32(item))) == block * 10 + item)
      }
      #expect(cache.value(page: page(block), item: 3) == nil)
    }
    let statistics = cache.statistics
    #expect(statistics.hitCount == 300)
    #expect(statistics.missCount == 100)
    #expect(statistics.entryCount == 300)
    #expect(statistics.byteCount == 3000)
  }

  @Test func aLaterPageInTheSameBlockIsNotAHit() {
    let cache = DecodedCache(byteLimit: 1 << 20)
    cache.insert(Part(1), byteCount: 10, page: page(5, checksum: 1), item: 0)
    #expect(cache.value(page: page(5, checksum: 2), item: 0) == nil)
    cache.insert(Part(2), byteCount: 10, page: page(5, checksum: 2), item: 0)
    #expect(number(cache.value(page: page(5, checksum: 2), item: 0)) == 2)
    #expect(cache.value(page: page(5, checksum: 1), item: 0) == nil)
    #expect(cache.statistics.entryCount == 1)
  }

  @Test func evictedValuesAreReleased() {
    let cache = DecodedCache(byteLimit: 16 * 100)
    weak var first: Part?
    do {
      let part = Part(0)
      first = part
      cache.insert(part, byteCount: 90, page: page(0), item: 0)
    }
    #expect(first != nil)
    for block in 1..<1000 { cache.insert(Part(block), byteCount: 90, page: page(block), item: 0) }
    #expect(first == nil)
  }

  @Test func aValueLargerThanAShardIsNotKept() {
    let cache = DecodedCache(byteLimit: 1600)
    cache.insert(Part(1), byteCount: 101, page: page(1), item: 0)
    #expect(cache.statistics == DecodedCache.Statistics())
  }

  @Test func entriesThatAreHitSurviveAScan() {
    let cache = DecodedCache(byteLimit: 16 * 10_000)
    for block in 0..<50 { cache.insert(Part(block), byteCount: 100, page: page(block), item: 0) }
    for block in 1000..<20_000 {
      cache.insert(Part(block), byteCount: 100, page: page(block), item: 0)
      if block % 20 == 0 {
        for hot in 0..<50 { _ = cache.value(page: page(hot), item: 0) }
      }
    }
    let survivors = (0..<50).count { cache.value(page: page($0), item: 0) != nil }
    #expect(survivors == 50)
  }

  /// The model: what was inserted last under a key.
  ///
  /// A hit must be exactly that, and the bytes never pass the limit. A cache that is large enough
  /// for everything forgets nothing.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func hitsAreWhatWasInsertedLast(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let isAmple = seed % 4 == 0
    let limit = 16 * (isAmple ? 300 * 400 : 1 + random(5000))
    let cache = DecodedCache(byteLimit: limit)
    var model: [Int: (checksum: UInt64, number: Int)] = [:]
    for step in 0..<5000 {
      let block = random(300)
      if random(3) == 0 {
        let checksum = UInt64(random(2))
        model[block] = (checksum, step)
        cache.insert(
          Part(step), byteCount: random(400), page: page(block, checksum: checksum), item: 7)
      } else if let found = cache.value(page: page(block, checksum: 1), item: 7) {
        #expect(model[block]?.checksum == 1)
        #expect(model[block]?.number == number(found))
      } else {
        #expect(!isAmple || model[block]?.checksum != 1)
      }
      if step % 100 == 0 { #expect(cache.statistics.byteCount <= limit) }
    }
    cache.removeAll()
    #expect(cache.statistics.entryCount == 0)
    #expect(cache.statistics.byteCount == 0)
  }

  @Test func manyThreadsShareOneCache() async {
    let cache = DecodedCache(byteLimit: 16 * 50_000)
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          var isRight = true
          for step in 0..<20_000 {
            let block = (step &* 31 &+ task &* 17) % 500
            let page = PageIdentity(block: UInt64(block), checksum: 9)
            if let found = cache.value(page: page, item: 0) {
              isRight = isRight && (found as? Part)?.number == block
            } else {
              cache.insert(Part(block), byteCount: 100, page: page, item: 0)
            }
          }
          return isRight
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    // A look-up that found its shard busy is in neither.
    #expect(cache.statistics.hitCount + cache.statistics.missCount <= 160_000)
    // Everything fits, and alone one is never turned away.
    for block in 0..<500 {
      cache.insert(Part(block), byteCount: 100, page: page(block, checksum: 9), item: 0)
    }
    for block in 0..<500 {
      #expect(number(cache.value(page: page(block, checksum: 9), item: 0)) == block)
    }
  }
}
