/// Rows of a sort in the order of their leaves: entries that follow each other, or those of runs.
@safe
struct SortRows {
  let count: Int
  private let places: EntryPlaces
  // SAFETY: the entries of the sort that makes these rows, which outlives them. It gives a range or
  // indices of entries, and its items are below `count`, so that `base` + an item is in that range
  // and `base` + a position is an index that was given.
  private let entries: UnsafeMutableBufferPointer<UInt64>
  /// The entry that positions count from.
  private let base: Int
  /// The order of each row and, in the low bits, its position; empty: the entries are in it.
  private let order: [UInt64]
  private let positionBitCount: UInt64
  private let positionMask: UInt64

  /// All entries of a range.
  ///
  /// - Precondition: places are rows, and those of the range ascend.
  init(
    _ range: Range<Int>, _ entries: UnsafeMutableBufferPointer<UInt64>, _ places: EntryPlaces
  ) {
    precondition(places.areRows, "rows of another order are put into that of their leaves")
    self.places = places
    unsafe self.entries = entries
    base = range.lowerBound
    count = range.count
    order = []
    positionBitCount = 0
    positionMask = 0
  }

  /// Chosen entries at or behind `base`, which `forEach` calls its body with.
  ///
  /// `span`: all of them are below `base` + `span`.
  init(
    from base: Int, span: Int, count: Int, _ entries: UnsafeMutableBufferPointer<UInt64>,
    _ places: EntryPlaces, _ digits: DigitSort, _ forEach: ((Int) -> Void) -> Void
  ) {
    self.places = places
    unsafe self.entries = entries
    self.base = base
    let bitCount = Int.bitWidth - max(span - 1, 0).leadingZeroBitCount
    var order: [UInt64] = []
    order.reserveCapacity(count)
    forEach { index in
      order.append(
        places.order(unsafe entries[index]) << UInt64(bitCount) | UInt64(index - base))
    }
    self.count = order.count
    unsafe order.withUnsafeMutableBufferPointer {
      unsafe digits.sort($0, from: 0, to: bitCount + places.orderBitCount)
    }
    self.order = order
    positionBitCount = UInt64(bitCount)
    positionMask = 1 << UInt64(bitCount) - 1
  }

  /// The entry of an item.
  @inline(__always)
  func index(_ item: Int) -> Int {
    order.isEmpty ? base &+ item : base &+ Int(order[item] & positionMask)
  }

  /// The leaf and the row of an item.
  @inline(__always)
  subscript(item: Int) -> (leaf: Int, row: Int) {
    order.isEmpty
      ? places[order: places.order(unsafe entries[base &+ item])]
      : places[order: order[item] &>> positionBitCount]
  }
}
