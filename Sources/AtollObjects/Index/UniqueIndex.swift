internal import AtollStorage

/// The rule of a unique index: of the values that it lists, those with a null apart, each has one
/// object.
enum UniqueIndex {
  /// The first value with two objects among `unchecked`, and these; nil when there is none.
  ///
  /// The index is flushed. Cost: a descent for each value, or a walk over the whole index.
  static func firstRepeated(
    among unchecked: UncheckedValues, in index: MutableIndex, _ flushed: @autoclosure () -> Index
  ) throws -> (value: [UInt8], first: UInt64, second: UInt64)? {
    guard unchecked.areAll else {
      for value in unchecked.values.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let keys = try index.keys(of: value)
        if keys.count > 1, !hasNull(value) { return (value, keys[0], keys[1]) }
      }
      return nil
    }
    var found: (value: [UInt8], first: UInt64, second: UInt64)?
    var last: (value: [UInt8], key: UInt64)?
    try flushed().forEachGroup(.all) { value, keys in
      // The objects of one value may come in several parts.
      let bytes = value.copy()
      let first = last.flatMap { $0.value == bytes ? $0.key : nil } ?? keys[0]
      let second = first == keys[0] ? (keys.count > 1 ? keys[1] : nil) : keys[0]
      last = (bytes, first)
      if let second, !hasNull(bytes) { found = (bytes, first, second) }
      return found == nil
    }
    return found
  }

  /// The least of several values that is among them twice.
  static func firstRepeated(in values: [[UInt8]]) -> [UInt8]? {
    let sorted = values.sorted { $0.lexicographicallyPrecedes($1) }
    for (a, b) in zip(sorted, sorted.dropFirst()) where a == b && !hasNull(a) { return a }
    return nil
  }

  /// Whether one of the values listed together is null, which equals no other.
  private static func hasNull(_ bytes: [UInt8]) -> Bool {
    Index.values(of: bytes)?.contains(where: \.isNull) ?? false
  }

  /// The values as a sentence names them.
  static func text(_ bytes: [UInt8]) -> String {
    (Index.values(of: bytes) ?? []).map(\.description).joined(separator: ", ")
  }
}

/// The values that two objects may have together since the transaction began.
struct UncheckedValues {
  /// Each as the index lists it; none when `areAll`.
  private(set) var values: [[UInt8]] = []
  /// Whether they are so many that a walk over the index costs less than to look each up.
  private(set) var areAll = false

  private static let smallCount = 4096

  var isEmpty: Bool { values.isEmpty && !areAll }

  mutating func add(_ bytes: [UInt8], entryCount: Int) {
    guard !areAll else { return }
    values.append(bytes)
    guard values.count > max(Self.smallCount, entryCount / 16) else { return }
    values = []
    areAll = true
  }
}
