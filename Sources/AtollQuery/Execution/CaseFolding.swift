/// The folding behind `[c]`: ASCII letters, and the letters of Latin-1.
///
/// Works on UTF-8 and never changes the number of bytes: the upper-case letters U+00C0-U+00DE are
/// C3 80 to C3 9E, their lower-case forms lie 0x20 above; U+00D7 is no letter. All other characters
/// stay as they are. Texts compare without regard to case when their folded bytes are equal, so
/// another folding may take this one's place, one that changes byte counts included, as long as
/// texts and patterns go through the same function.
enum CaseFolding {
  static func folded(_ bytes: [UInt8]) -> [UInt8] {
    var folded = bytes
    unsafe folded.withUnsafeMutableBytes { unsafe fold($0) }
    return folded
  }

  /// Folds whole texts that lie one behind the other, in place.
  static func fold(_ bytes: UnsafeMutableRawBufferPointer) {
    let count = bytes.count
    guard count > 0, let start = bytes.baseAddress else { return }
    var index = 0
    var previous: UInt8 = 0
    // SAFETY: every load and store ends at or before `count`.
    while index + 16 <= count {
      var block = unsafe start.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      let leads = block .== SIMD16(repeating: 0xC3)
      let offset = block &- SIMD16(repeating: 0x41)
      let isUpper = offset .<= SIMD16(repeating: 25)
      block.replace(with: block &+ SIMD16(repeating: 0x20), where: isUpper)
      if any(leads) || previous == 0xC3 {
        // A letter of two bytes: rare enough to go byte by byte.
        for i in 0..<16 {
          let byte = block[i]
          if previous == 0xC3, byte >= 0x80, byte <= 0x9E, byte != 0x97 { block[i] = byte + 0x20 }
          previous = byte
        }
      } else {
        previous = 0
      }
      unsafe start.storeBytes(of: block, toByteOffset: index, as: SIMD16<UInt8>.self)
      index += 16
    }
    while index < count {
      let byte = unsafe start.load(fromByteOffset: index, as: UInt8.self)
      let folded = foldedByte(byte, after: previous)
      unsafe start.storeBytes(of: folded, toByteOffset: index, as: UInt8.self)
      previous = byte
      index += 1
    }
  }

  @inline(__always)
  static func foldedByte(_ byte: UInt8, after previous: UInt8) -> UInt8 {
    if byte &- 0x41 <= 25 { return byte + 0x20 }
    if previous == 0xC3, byte >= 0x80, byte <= 0x9E, byte != 0x97 { return byte + 0x20 }
    return byte
  }

  /// Whether `bytes`, folded, are `folded`.
  static func equals(_ bytes: UnsafeRawBufferPointer, folded: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == folded.count else { return false }
    var previous: UInt8 = 0
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      guard unsafe foldedByte(byte, after: previous) == folded[index] else { return false }
      previous = byte
    }
    return true
  }
}
