/// What no value of an index is above, inside a write transaction.
///
/// Primary keys that are made, as object ids are, mostly grow: whether there is one already need not
/// be looked for in the trees then. Known from the first look-up on whose value is above all others;
/// where the first few are not, it is not sought any more.
struct IndexBound {
  private var greatest: [UInt8]?
  private var tryCount = 0
  private static let tryLimit = 4

  /// Whether the end of the index is to be looked at.
  var isSought: Bool { greatest == nil && tryCount < Self.tryLimit }

  /// Whether a value is known to be above all others.
  func isBelow(_ value: [UInt8]) -> Bool {
    guard let greatest else { return false }
    return greatest.lexicographicallyPrecedes(value)
  }

  /// Takes note of a value that was sought, and is there or not.
  mutating func note(_ value: [UInt8], isAboveAll: Bool) {
    if isAboveAll { greatest = value } else { tryCount += 1 }
  }

  /// Takes note of a value that is inserted.
  mutating func raise(to value: [UInt8]) {
    if isBelow(value) { greatest = value }
  }

  /// Lets the bound be of no use: values are inserted that are not compared with it.
  mutating func giveUp() {
    greatest = nil
    tryCount = Self.tryLimit
  }
}
