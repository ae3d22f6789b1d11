/// The model of a version: the value under every key of every tree, or none.
///
/// A key is a number; its bytes share a beginning with those of its tree, so that some differ in
/// their first eight bytes, some only after them, and some in their length.
struct TreeContents: Equatable, Sendable {
  var trees: [[[UInt8]?]]

  init(treeCount: Int, keyCount: Int) {
    trees = Array(repeating: Array(repeating: nil, count: keyCount), count: treeCount)
  }

  /// The bytes of a key; their order is that of the numbers.
  static func key(_ number: Int, inTree tree: Int) -> [UInt8] {
    let sharedByteCount = [0, 5, 8, 30][tree % 4]
    let endByteCount = number % 5 == 0 ? number % 90 : 0
    var key: [UInt8] = []
    key.reserveCapacity(sharedByteCount + 4 + endByteCount)
    for _ in 0..<sharedByteCount { key.append(UInt8(truncatingIfNeeded: tree)) }
    for shift in [24, 16, 8, 0] { key.append(UInt8(truncatingIfNeeded: number >> shift)) }
    for _ in 0..<endByteCount { key.append(UInt8(truncatingIfNeeded: number)) }
    return key
  }
}
