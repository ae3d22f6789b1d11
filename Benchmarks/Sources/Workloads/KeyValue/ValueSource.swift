/// Makes the values of the key-value workloads, and checks those that are read.
///
/// A value begins with its key and its generation, 8 bytes each as far as they fit; the rest is
/// random, of which a part is written again and again until a stretch of 100 bytes is full, so that
/// a compressor finds what it finds in real data (the scheme of LevelDB's db_bench).
package struct ValueSource: Sendable {
  package let byteCount: Int
  private let pool: [UInt8]

  /// Values of `byteCount` bytes that shrink to about `compressedPart`, from above 0 to 1.
  package init(byteCount: Int, compressedPart: Double) {
    self.byteCount = byteCount
    var random = SplitMix64(state: Seed.values)
    var pool: [UInt8] = []
    pool.reserveCapacity((1 << 20) + byteCount + 100)
    let stretch = max(1, Int(100 * compressedPart))
    while pool.count < 1 << 20 + byteCount {
      let fresh = (0..<stretch).map { _ in UInt8(truncatingIfNeeded: random.next() % 95 + 32) }
      for index in 0..<100 { pool.append(fresh[index % stretch]) }
    }
    self.pool = pool
  }

  /// The value of a key in its `generation`th version.
  package func value(_ key: Int, generation: Int) -> [UInt8] {
    let start = offset(key, generation)
    var value = Array(pool[start..<(start + byteCount)])
    for (place, byte) in header(key, generation).prefix(byteCount).enumerated() {
      value[place] = byte
    }
    return value
  }

  /// Whether bytes are the value that a key had in some generation.
  package func isValue(_ bytes: Span<UInt8>, of key: Int) -> Bool {
    guard bytes.count == byteCount else { return false }
    guard byteCount >= 16 else { return true }
    let generation = (8..<16).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    for (place, byte) in header(key, generation).enumerated() where bytes[place] != byte {
      return false
    }
    let start = offset(key, generation)
    // The ends of the rest show that it is the right one.
    return byteCount == 16
      || bytes[16] == pool[start + 16] && bytes[byteCount - 1] == pool[start + byteCount - 1]
  }

  private func header(_ key: Int, _ generation: Int) -> [UInt8] {
    [key, generation].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
  }

  private func offset(_ key: Int, _ generation: Int) -> Int {
    var random = SplitMix64(state: UInt64(key) << 20 ^ UInt64(generation))
    return Int(random.next() % (1 << 20))
  }
}

/// A checksum of the values read in a run, independent of their order.
package struct Checksum {
  package private(set) var value = 0

  /// Adds a value of a key: its length, and two of its bytes.
  package mutating func add(_ key: Int, _ bytes: Span<UInt8>) {
    var sum = key &+ bytes.count
    if !bytes.isEmpty {
      sum = sum &+ Int(bytes[bytes.count - 1]) << 32 &+ Int(bytes[bytes.count / 2]) << 40
    }
    value = (value &+ sum) & (1 << 52 - 1)
  }
}
