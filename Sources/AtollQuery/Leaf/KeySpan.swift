internal import AtollObjects

/// The keys of a table from the least to the greatest, numbered from 0 on, if they lie densely.
struct KeySpan {
  let least: UInt64
  /// How many keys there can be; 0 when they lie too far apart.
  let capacity: UInt64

  /// Numbers the keys of a table.
  ///
  /// - Parameters:
  ///   - table: The table, whose first and last leaf are read.
  ///   - keysPerObject: How many keys there may be for each object; of more, none has a number.
  ///   - minimumCount: The objects that a smaller table is taken to have.
  /// - Throws: `.corrupted`.
  init(_ table: TableAccess, keysPerObject: UInt64, minimumCount: Int) throws {
    guard let (least, greatest) = try table.keyBounds() else {
      (self.least, capacity) = (0, 0)
      return
    }
    self.least = least
    let distance = greatest &- least
    let limit = UInt64(max(table.count, minimumCount)) &* keysPerObject
    capacity = distance < limit ? distance + 1 : 0
  }

  var isDense: Bool { capacity > 0 }

  /// The number of a key; not below `capacity` when it has none.
  @inline(__always)
  func number(of key: UInt64) -> UInt64 { key &- least }

  /// Returns whether the leaf's keys are consecutive and all have numbers.
  func holdsConsecutive(_ keys: IntVector, count: Int) -> Bool {
    keys.width == 0 && keys.stride == 1 && count > 0 && number(of: keys.key(0)) < capacity
      && number(of: keys.key(count - 1)) < capacity
  }
}

extension IntVector {
  /// The key of a row, from a vector of encoded keys.
  @inline(__always)
  func key(_ row: Int) -> UInt64 { UInt64(bitPattern: self[row]) ^ 1 << 63 }
}
