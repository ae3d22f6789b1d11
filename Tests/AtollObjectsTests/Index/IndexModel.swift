@testable import AtollObjects
import TestSupport

/// What values the index of a random run has.
enum ValueShape: CaseIterable {
  case closeIntegers
  case wideIntegers
  case names
  case zeroBytes
  case longStrings
  case anyType

  /// Some distinct values, in ascending order.
  func values(using random: inout SplitMix64) -> [[UInt8]] {
    let count = Int.random(in: 1...400, using: &random)
    var values: Set<[UInt8]> = []
    for _ in 0..<count { values.insert(value(using: &random)) }
    return values.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func value(using random: inout SplitMix64) -> [UInt8] {
    switch self {
    case .closeIntegers: return integerKey(Int64.random(in: -300...300, using: &random))
    case .wideIntegers:
      let shift = UInt64.random(in: 0..<64, using: &random)
      return integerKey(Int64(bitPattern: random.next()) >> Int64(shift))
    case .names:
      return stringKey(
        "First\(UInt64.random(in: 0..<20, using: &random)) Last\(UInt64.random(in: 0..<99, using: &random))"
      )
    case .zeroBytes:
      let count = Int.random(in: 0...6, using: &random)
      return stringKey(
        String((0..<count).map { _ in ["\0", "a", "\u{1}"].randomElement(using: &random) ?? "b" })
      )
    case .longStrings:
      let byteCount = Int.random(in: 0...1_000, using: &random)
      let stem = String(repeating: "x", count: byteCount)
      return stringKey("\(stem)\(UInt64.random(in: 0..<1_000_000, using: &random))")
    case .anyType:
      var bytes: [UInt8] = []
      let number = Int64(truncatingIfNeeded: random.next() % 2_000)
      let value: Value =
        switch random.next() % 8 {
        case 0: .null
        case 1: .bool(number % 2 == 0)
        case 2: .int(number)
        case 3: .double(Double(number) / 7)
        case 4: .data([UInt8](repeating: 0, count: Int(number % 9)))
        case 5: .objectID(ObjectID(high: random.next() % 4, low: UInt32(number)))
        case 6: .uuid(UniqueID(high: random.next() % 4, low: random.next()))
        default: .string("\(number)")
        }
      guard (try? OrderedKey.append(value, to: &bytes)) != nil else { return [0] }
      return bytes
    }
  }
}

/// The state that an index should have: how often each pair occurs.
struct IndexModel {
  let isCounted: Bool
  /// All values that may occur, in ascending order.
  let values: [[UInt8]]
  /// For each value, its keys and how often each occurs.
  private(set) var times: [[UInt64: Int]]

  init(values: [[UInt8]], isCounted: Bool) {
    self.values = values
    self.isCounted = isCounted
    times = [[UInt64: Int]](repeating: [:], count: values.count)
  }

  mutating func insert(_ value: Int, _ key: UInt64) {
    times[value][key] = isCounted ? times[value][key, default: 0] + 1 : 1
  }

  mutating func remove(_ value: Int, _ key: UInt64) {
    let rest = isCounted ? times[value][key, default: 0] - 1 : 0
    times[value][key] = rest > 0 ? rest : nil
  }

  /// A pair that occurs, if the first few that are tried do.
  func anyPair(using random: inout SplitMix64) -> (value: Int, key: UInt64)? {
    for _ in 0..<4 {
      let value = Int.random(in: 0..<values.count, using: &random)
      if let key = times[value].keys.randomElement(using: &random) { return (value, key) }
    }
    return nil
  }

  func keys(_ value: Int) -> [UInt64] {
    times[value].sorted { $0.key < $1.key }.flatMap {
      [UInt64](repeating: $0.key, count: $0.value)
    }
  }

  /// Every value that has keys, with them.
  var groups: [(value: [UInt8], keys: [UInt64])] {
    values.indices.compactMap { times[$0].isEmpty ? nil : (values[$0], keys($0)) }
  }

  var entries: [IndexEntry] {
    groups.flatMap { group in group.keys.map { IndexEntry(value: group.value, key: $0) } }
  }
}
