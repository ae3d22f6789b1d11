import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct KeyValueTreeTests {
  @Test(arguments: seeds(5))
  func agreesWithADictionary(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = try MemoryFile(path: "memory", capacity: 1 << 28)
    var base = try KeyValueStore(file)
    var model: KeyValueStore.Contents = [:]
    let keyByteCount = [2, 9, 40, 3_000].randomElement(using: &random) ?? 2
    for _ in 0..<8 {
      var changed = model
      try base.write { tree in
        for _ in 0..<Int.random(in: 1..<120, using: &random) {
          let key = Self.someKey(keyByteCount, &random)
          let value = Self.someValue(&random)
          try tree.set(value, for: key)
          changed[key] = value
          if Int.random(in: 0..<20, using: &random) == 0 { _ = try tree.flush() }
          let other = Self.someKey(keyByteCount, &random)
          #expect(try tree.value(for: other) == changed[other])
        }
        if Int.random(in: 0..<12, using: &random) == 0 {
          if Bool.random(using: &random) {
            try tree.removeAll()
          } else {
            for key in changed.keys { try tree.set(nil, for: key) }
          }
          changed = [:]
        }
      }
      model = changed
      #expect(try base.contents() == model)
      #expect(try base.findings() == [])
      if Int.random(in: 0..<3, using: &random) == 0 {
        base = try KeyValueStore(file)
        #expect(try base.contents() == model)
      }
      let tree = KeyValueStore.tree(try base.store.snapshot())
      let prefix = Array(Self.someKey(keyByteCount, &random).prefix(1))
      var found: KeyValueStore.Contents = [:]
      try tree.forEach(prefix: prefix) { key, value in found[key] = value }
      #expect(found == model.filter { $0.key.starts(with: prefix) })
      let key = Self.someKey(keyByteCount, &random)
      #expect(try tree.value(for: key) == model[key])
    }
  }

  /// One of some hundred keys that share most of their bytes.
  private static func someKey(
    _ byteLimit: Int, _ random: inout SplitMix64
  ) -> [UInt8] {
    let common = byteLimit * Int.random(in: 0...8, using: &random) / 8
    return [UInt8](repeating: 0x61, count: common)
      + (0..<Int.random(in: 0...3, using: &random)).map { _ in
        [0, 0x61, 0xFF].randomElement(using: &random) ?? 0
      }
  }

  private static func someValue(_ random: inout SplitMix64) -> [UInt8]? {
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<10: nil
    case 10: noise(KeyValueTree.byteCountLimit / 2, &random)
    case 11: [UInt8](repeating: 7, count: KeyValueTree.byteCountLimit / 2)
    case 12..<15: noise(20_000, &random)
    default: noise(Int.random(in: 0..<300, using: &random), &random)
    }
  }

  /// A short leaf beside a huge entry: joining and splitting them again never ended.
  @Test func shortLeavesBesideHugeEntriesSettle() throws {
    var random = SplitMix64(seed: 1)
    let base = try KeyValueStore()
    var model: KeyValueStore.Contents = [:]
    try base.write { tree in
      for index in 0..<40 {
        let value = noise(index % 2 == 0 ? 100_000 : 10, &random)
        try tree.set(value, for: key(index))
        model[key(index)] = value
      }
    }
    try base.write { tree in
      for index in stride(from: 1, to: 40, by: 2) {
        try tree.set([1], for: key(index))
        model[key(index)] = [1]
      }
    }
    #expect(try base.contents() == model)
    #expect(try base.findings() == [])
  }

  /// Three keys that are longer than a branch together: the root was split for ever.
  @Test func longKeysMakeADeepTree() throws {
    var random = SplitMix64(seed: 2)
    let base = try KeyValueStore()
    var model: KeyValueStore.Contents = [:]
    for _ in 0..<6 {
      try base.write { tree in
        for _ in 0..<20 {
          let key = noise(
            Int.random(in: 4_000...KeyValueTree.keyByteCountLimit, using: &random), &random)
          try tree.set([1, 2, 3], for: key)
          model[key] = [1, 2, 3]
        }
      }
    }
    #expect(try base.contents() == model)
    #expect(try base.findings() == [])
    for key in model.keys {
      try base.write { tree in try tree.set(nil, for: key) }
      model[key] = nil
    }
    #expect(try base.contents() == [:])
    #expect(try base.findings() == [])
  }

  @Test func whatIsTooLongIsRefusedAndHarmsNothing() throws {
    let base = try KeyValueStore()
    try base.write { tree in
      let limit = KeyValueTree.byteCountLimit
      try tree.set([UInt8](repeating: 1, count: limit - 1), for: [1])
      #expect(throws: StorageError.valueTooLarge(byteCount: limit + 1, limit: limit)) {
        try tree.set([UInt8](repeating: 1, count: limit), for: [2])
      }
      let keyLimit = KeyValueTree.keyByteCountLimit
      #expect(throws: StorageError.valueTooLarge(byteCount: keyLimit + 1, limit: keyLimit)) {
        try tree.set([], for: [UInt8](repeating: 1, count: keyLimit + 1))
      }
    }
    #expect(try base.contents().keys.map(\.self) == [[1]])
    #expect(try base.findings() == [])
  }
}
