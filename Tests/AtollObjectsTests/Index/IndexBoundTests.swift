@testable import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Values that mostly grow, as primary keys do that are made, and are looked for before they are
/// inserted.
@Suite(.computing) struct IndexBoundTests {
  @Test(arguments: seeds(24))
  func growingValuesAreLookedForAsOthers(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let policy =
      seed % 2 == 0
      ? IndexDeltaPolicy.standard
      : IndexDeltaPolicy(leastLimit: 300, divisor: 16, leastBatchCount: 50, isForSmallTrees: true)
    let store = try IndexStore(mode: .plain, policy: policy)
    var model: [Int64: UInt64] = [:]
    var greatest: Int64 = 0
    for _ in 0..<5 {
      let count = [5, 200, 4_000][Int.random(in: 0...2, using: &random)]
      try store.write { index, _ in
        for _ in 0..<count {
          let isGrowing = Int.random(in: 0...5, using: &random) > 0
          let integer =
            isGrowing
            ? greatest + Int64.random(in: 1...3, using: &random)
            : Int64.random(in: 0...greatest + 2, using: &random)
          let value = IndexInteger.bytes(integer)
          #expect(try index.firstKey(of: value) == model[integer])
          if let key = model[integer] {
            try index.remove(value, key: key)
            model[integer] = nil
          } else {
            let key = UInt64(integer) + 7
            // Now and then in the way that knows the type.
            if Int.random(in: 0..<2_000, using: &random) == 0 {
              try index.insertInt(integer, key: key)
            } else {
              try index.insert(value, key: key)
            }
            model[integer] = key
            greatest = max(greatest, integer)
          }
          if Int.random(in: 0..<200, using: &random) == 0 { _ = try index.flush() }
        }
      }
    }
    #expect(try store.checkedEntries().count == model.count)
  }

  /// Ways in which a value may be inserted, of an integer or of a string.
  enum Way: CaseIterable { case bytes, typed }

  @Test(arguments: Way.allCases, [true, false])
  func aGreaterValueIsFoundHoweverItWasInserted(way: Way, isString: Bool) throws {
    let store = try IndexStore()
    func value(_ number: Int) -> [UInt8] {
      isString ? stringKey("word \(number)") : IndexInteger.bytes(Int64(number))
    }
    try store.write { index, _ in
      for number in 1...3 {
        #expect(try index.firstKey(of: value(number)) == nil)
        let key = UInt64(number)
        switch (way, isString) {
        case (.bytes, _): try index.insert(value(number), key: key)
        case (.typed, false): try index.insertInt(Int64(number), key: key)
        case (.typed, true):
          let bytes = Array("word \(number)".utf8)
          try unsafe bytes.withRawBytes { utf8 throws(StorageError) in
            try unsafe index.insertString(utf8, key: key)
          }
        }
        #expect(try index.firstKey(of: value(number)) == key)
        if number == 2 { _ = try index.flush() }
      }
      #expect(try (1...3).map { try index.firstKey(of: value($0)) } == [1, 2, 3])
    }
  }
}
