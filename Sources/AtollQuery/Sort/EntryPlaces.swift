/// How an entry of a sort tells its row: by the low bits of a number.
struct EntryPlaces {
  /// The low bits that are a place.
  let bitCount: Int
  /// The bits that `order` takes.
  let orderBitCount: Int
  private let rowBitCount: UInt64
  private let mask: UInt64
  /// The rows by their place, where a list has them in another order than their leaves; nil: the
  /// place is the number of the leaf and the row in it.
  private let rows: [UInt64]?

  /// `rows`: as in `RowList`; nil when they ascend.
  init(_ leaves: [Leaf], rows: [UInt64]?) {
    func width(_ count: Int) -> Int { Int.bitWidth - max(count - 1, 0).leadingZeroBitCount }
    let rowBitCount = width(leaves.reduce(0) { max($0, $1.rowCount) })
    orderBitCount = width(leaves.count) + rowBitCount
    bitCount = rows.map { width($0.count) } ?? orderBitCount
    self.rowBitCount = UInt64(rowBitCount)
    mask = 1 << UInt64(bitCount) - 1
    self.rows = rows
  }

  /// Whether places ascend with leaves and rows, so that all rows of a leaf come in their order.
  var areRows: Bool { rows == nil }

  /// The place of a row: the `number`th of the list.
  @inline(__always)
  func place(leaf: Int, row: Int, number: Int) -> UInt64 {
    rows == nil ? UInt64(leaf) &<< rowBitCount | UInt64(row) : UInt64(number)
  }

  @inline(__always)
  func place(_ entry: UInt64) -> UInt64 { entry & mask }

  /// A number that ascends with the leaf of an entry and the row in it.
  @inline(__always)
  func order(_ entry: UInt64) -> UInt64 {
    let place = entry & mask
    guard let rows else { return place }
    let row = rows[Int(place)]
    return (row &>> 16) &<< rowBitCount | row & 0xFFFF
  }

  /// The leaf and the row of an order.
  @inline(__always)
  subscript(order order: UInt64) -> (leaf: Int, row: Int) {
    (Int(order &>> rowBitCount), Int(order & (1 &<< rowBitCount &- 1)))
  }

  /// The leaf and the row of an entry.
  @inline(__always)
  subscript(_ entry: UInt64) -> (leaf: Int, row: Int) { self[order: order(entry)] }
}
