/// A random number generator whose whole state is one number, so that one seed decides a run.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins the sequence that `seed` stands for.
  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

/// Bytes that LZ4 cannot shorten.
package func noise(_ byteCount: Int, _ random: inout SplitMix64) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
    var byteOffset = 0
    while byteOffset + 8 <= byteCount {
      UnsafeMutableRawBufferPointer(buffer).storeBytes(
        of: random.next().littleEndian, toByteOffset: byteOffset, as: UInt64.self)
      byteOffset += 8
    }
    if byteOffset < byteCount {
      var rest = random.next()
      while byteOffset < byteCount {
        buffer[byteOffset] = UInt8(truncatingIfNeeded: rest)
        rest >>= 8
        byteOffset += 1
      }
    }
    initializedCount = byteCount
  }
}

/// Whether two arrays hold the same bytes, compared as fast as memory is read.
package func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  return a.withUnsafeBytes { a in
    b.withUnsafeBytes { b in
      var byteOffset = 0
      while byteOffset + 8 <= a.count {
        let x = a.loadUnaligned(fromByteOffset: byteOffset, as: UInt64.self)
        let y = b.loadUnaligned(fromByteOffset: byteOffset, as: UInt64.self)
        if x != y { return false }
        byteOffset += 8
      }
      while byteOffset < a.count {
        if a[byteOffset] != b[byteOffset] { return false }
        byteOffset += 1
      }
      return true
    }
  }
}
