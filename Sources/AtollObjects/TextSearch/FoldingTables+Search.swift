internal import AtollStorage

extension FoldingTables {
  /// The simple case folding of a character.
  package static func caseFolded(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return scalar &- 0x41 <= 25 ? scalar + 0x20 : scalar }
    let table = cases
    let low = binarySearch(0..<table.count) { table[$0].last < scalar }
    guard low < table.count else { return scalar }
    let range = table[low]
    let first = range.first & 0x7FFF_FFFF
    let isEverySecond = range.first >> 31 == 1
    guard scalar >= first, !isEverySecond || (scalar - first) & 1 == 0 else { return scalar }
    return UInt32(truncatingIfNeeded: Int64(scalar) + Int64(range.delta))
  }

  /// The entries of `bases` for a character, none for one that does not decompose.
  package static func bases(of scalar: UInt32) -> ArraySlice<UInt64> {
    let table = bases
    var low = binarySearch(0..<table.count) { table[$0] >> 32 < UInt64(scalar) }
    let start = low
    while low < table.count, table[low] >> 32 == UInt64(scalar) { low += 1 }
    return table[start..<low]
  }
}
