internal import Crypto

/// The checksum of pages and header slots, and that of long keys.
package enum Checksum {
  /// SHA-256 (FIPS 180-4), 32 bytes: for keys that stand for contents which a peer may choose.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

  /// XXH64 with seed 0, by the specification in the xxHash project
  /// (doc/xxhash_spec.md, version 0.2.0), which also gives the five primes.
  ///
  /// Cost: about a nanosecond for 8 bytes.
  package static func xxh64(_ bytes: ByteView) -> UInt64 {
    guard let start = unsafe bytes.unsafeBytes.baseAddress else {
      return avalanche(prime5)
    }
    // SAFETY: `cursor` moves from `start` by what `remaining` still counts, so
    // every load below lies inside `bytes`.
    var cursor = unsafe start
    var remaining = bytes.count
    var hash: UInt64
    if remaining >= 32 {
      var lane1 = prime1 &+ prime2
      var lane2 = prime2
      var lane3: UInt64 = 0
      var lane4 = 0 &- prime1
      repeat {
        lane1 = unsafe round(lane1, load(cursor))
        lane2 = unsafe round(lane2, load(cursor + 8))
        lane3 = unsafe round(lane3, load(cursor + 16))
        lane4 = unsafe round(lane4, load(cursor + 24))
        unsafe cursor += 32
        remaining -= 32
      } while remaining >= 32
      hash =
        rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      hash = merge(hash, lane1)
      hash = merge(hash, lane2)
      hash = merge(hash, lane3)
      hash = merge(hash, lane4)
    } else {
      hash = prime5
    }
    hash &+= UInt64(bytes.count)
    while remaining >= 8 {
      hash = unsafe rotate(hash ^ round(0, load(cursor)), 27) &* prime1 &+ prime4
      unsafe cursor += 8
      remaining -= 8
    }
    if remaining >= 4 {
      let word = unsafe UInt32(littleEndian: cursor.loadUnaligned(as: UInt32.self))
      hash = rotate(hash ^ UInt64(word) &* prime1, 23) &* prime2 &+ prime3
      unsafe cursor += 4
      remaining -= 4
    }
    while remaining > 0 {
      let byte = unsafe cursor.load(as: UInt8.self)
      hash = rotate(hash ^ UInt64(byte) &* prime5, 11) &* prime1
      unsafe cursor += 1
      remaining -= 1
    }
    return avalanche(hash)
  }

  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  @inline(__always)
  private static func load(_ address: UnsafeRawPointer) -> UInt64 {
    unsafe UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }

  @inline(__always)
  private static func round(_ accumulator: UInt64, _ input: UInt64) -> UInt64 {
    rotate(accumulator &+ input &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  private static func avalanche(_ value: UInt64) -> UInt64 {
    var hash = value
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }
}
