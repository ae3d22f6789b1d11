import Atoll
import Foundation

/// An object with collections that are changed entry by entry.
final class Collections: Object {
  @Persisted var list: List<String>
  @Persisted var numbers: MutableSet<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var counts: Map<String, Int>
  @Persisted var values: Map<String, AnyRealmValue>
}

/// The cost of an entry of a set or a map, as a multiple of that of an element of a list.
///
/// Elements of the list go to places at random, as the entries of sets and maps do.
struct EntryBench {
  static let lengths = [20_000, 100_000]
  static let writeCount = 1_000

  let realm: Realm

  func run() throws {
    for length in Self.lengths {
      let collections = Collections()
      try realm.write { realm.add(collections) }
      // All different, in no order.
      let numbers = (0..<length).map { $0 * 7_919 % 1_000_003 }
      try insert(numbers, into: collections)
      try write(numbers, into: collections)
      try remove(numbers, from: collections)
    }
  }

  private func insert(_ numbers: [Int], into collections: Collections) throws {
    let what = "\(numbers.count) entries in one commit"
    let list = try time {
      for (index, number) in numbers.enumerated() {
        collections.list.insert("key \(number)", at: number % (index + 1))
      }
    }
    try print("list: \(what)", list, per: numbers.count, of: list)
    let numberSet = try time { for number in numbers { collections.numbers.insert(number) } }
    try print("set of numbers: \(what)", numberSet, per: numbers.count, of: list)
    let wordSet = try time { for number in numbers { collections.words.insert("key \(number)") } }
    try print("set of strings: \(what)", wordSet, per: numbers.count, of: list)
    let map = try time { for number in numbers { collections.counts["key \(number)"] = number } }
    try print("map to numbers: \(what)", map, per: numbers.count, of: list)
    let mixed = try time {
      for number in numbers { collections.values["key \(number)"] = .int(number) }
    }
    try print("map to mixed values: \(what)", mixed, per: numbers.count, of: list)
  }

  private func write(_ numbers: [Int], into collections: Collections) throws {
    let what = "one entry a commit beside \(numbers.count)"
    let new = numbers.prefix(Self.writeCount)
    let list = try writes(new) { index, number in
      collections.list.insert("new \(number)", at: number % numbers.count)
    }
    try print("list: \(what)", list, per: new.count, of: list)
    let wordSet = try writes(new) { _, number in collections.words.insert("key \(number)x") }
    try print("set of strings: \(what)", wordSet, per: new.count, of: list)
    let map = try writes(new) { _, number in collections.counts["key \(number)x"] = number }
    try print("map to numbers: \(what)", map, per: new.count, of: list)
  }

  private func remove(_ numbers: [Int], from collections: Collections) throws {
    let what = "\(numbers.count) entries removed in one commit"
    let list = try time {
      for number in numbers { collections.list.remove(at: number % collections.list.count) }
    }
    try print("list: \(what)", list, per: numbers.count, of: list)
    let wordSet = try time { for number in numbers { collections.words.remove("key \(number)") } }
    try print("set of strings: \(what)", wordSet, per: numbers.count, of: list)
    let map = try time {
      for number in numbers { collections.counts.removeObject(for: "key \(number)") }
    }
    try print("map to numbers: \(what)", map, per: numbers.count, of: list)
  }

  /// Nanoseconds of a write that does `body`.
  private func time(_ body: () throws -> Void) throws -> Double {
    let start = ContinuousClock.now
    try realm.write { try body() }
    return start.duration(to: .now).nanoseconds
  }

  /// Nanoseconds of a write for each number.
  private func writes(
    _ numbers: ArraySlice<Int>, _ body: (_ index: Int, _ number: Int) -> Void
  ) throws -> Double {
    let start = ContinuousClock.now
    for (index, number) in numbers.enumerated() { try realm.write { body(index, number) } }
    return start.duration(to: .now).nanoseconds
  }

  private func print(_ row: String, _ nanoseconds: Double, per count: Int, of list: Double) throws {
    try ListBench.print(row, nanoseconds / Double(count), ratio: nanoseconds / list)
  }
}
