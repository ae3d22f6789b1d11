import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

/// Steps through a key-value tree, stored and while it is changed.
@Suite(.computing) struct KeyValueSearchTests {
  @Test(arguments: seeds(30))
  func agreesWithASortedArray(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let base = try KeyValueStore(MemoryFile(path: "memory", capacity: 1 << 28))
    var model: KeyValueStore.Contents = [:]
    for _ in 0..<5 {
      var changed = model
      try base.write { tree in
        let isAscending = Bool.random(using: &random)
        var keys = (0..<Int.random(in: 1..<300, using: &random)).map { _ in key(&random) }
        if isAscending { keys.sort { $0.lexicographicallyPrecedes($1) } }
        for key in keys {
          let value: [UInt8]? =
            Int.random(in: 0..<3, using: &random) == 0
            ? nil : Array(repeating: 7, count: [0, 200, 3000].randomElement(using: &random) ?? 0)
          try tree.set(value, for: key)
          changed[key] = value
          if Int.random(in: 0..<40, using: &random) == 0 { _ = try tree.flush() }
        }
        #expect(tree.entryCount == UInt64(changed.count))
        try expectSame(tree, changed, &random)
      }
      model = changed
      #expect(try base.findings() == [])
      try expectSame(KeyValueStore.tree(base.store.snapshot()), model, &random)
    }
  }

  private func expectSame(
    _ tree: some KeyValueLeaves, _ model: KeyValueStore.Contents, _ random: inout SplitMix64
  ) throws {
    let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for _ in 0..<30 {
      let key = key(&random)
      let next = sorted.first { !$0.lexicographicallyPrecedes(key) }
      let found = try tree.first(atOrAfter: key)
      #expect(found?.key == next)
      #expect(found?.value == next.flatMap { model[$0] })
      let previous = sorted.last { $0.lexicographicallyPrecedes(key) }
      #expect(try tree.last(before: key)?.key == previous)
      let prefix = Array(key.prefix(Int.random(in: 0...3, using: &random)))
      var visited: [[UInt8]] = []
      let limit = Int.random(in: 1...200, using: &random)
      try tree.visit(prefix: prefix, from: key) { key, value in
        #expect(model[key] == value)
        visited.append(key)
        return visited.count < limit
      }
      let expected = sorted.filter {
        $0.starts(with: prefix) && !$0.lexicographicallyPrecedes(key)
      }
      #expect(visited == Array(expected.prefix(limit)))
    }
  }

  /// Entries that are removed while they are visited are each visited once.
  @Test func theTreeMayChangeWhileItIsVisited() throws {
    let store = try KeyValueStore(MemoryFile(path: "memory", capacity: 1 << 28))
    try store.write { tree in
      for number in 0..<5000 { try tree.set([1], for: Self.bytes(number)) }
      var visited = 0
      try tree.visit(prefix: [], from: []) { key, _ in
        visited += 1
        try tree.set(nil, for: key)
        if visited.isMultiple(of: 700) { _ = try tree.flush() }
        return true
      }
      #expect(visited == 5000)
      #expect(tree.entryCount == 0)
      #expect(try tree.first(atOrAfter: []) == nil)
    }
  }

  /// Keys in ascending order fill whole pages, which do not wait in memory.
  @Test func keysInOrderFillPages() throws {
    let store = try KeyValueStore(MemoryFile(path: "memory", capacity: 1 << 30))
    let value = (0..<24).map { UInt8($0 * 37 % 251) }
    try store.write { tree in
      for number in 0..<100_000 { try tree.set(value, for: Self.bytes(number)) }
    }
    let tree = KeyValueStore.tree(try store.store.snapshot())
    #expect(tree.tree.root.entryCount == 100_000)
    var leafCount = 0
    var cursor = tree.tree.cursor()
    while try cursor.next() != nil { leafCount += 1 }
    // 40 bytes each, and pages of 16 KiB without their header.
    #expect(leafCount == 100_000 / ((16384 - 48 - 8) / 40) + 1)
    #expect(try store.findings() == [])
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  private func key(_ random: inout SplitMix64) -> [UInt8] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in
      [0, 0x61, 0x62, 0xFF].randomElement(using: &random) ?? 0
    }
  }
}
