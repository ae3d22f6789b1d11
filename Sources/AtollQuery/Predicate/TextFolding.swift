internal import AtollObjects

/// The folding behind `[c]`, `[d]` and `[cd]`.
///
/// Texts compare without regard to case or accents when their folded bytes are equal, so texts and
/// patterns go through the same function. Folding maps each character by itself: first to its
/// canonical decomposition without nonspacing marks (`[d]`), then to its simple case folding
/// (`[c]`). Byte counts change: the Kelvin sign of three bytes becomes `k`.
///
/// Cost: ASCII sixteen bytes at a time; other characters a binary search in a table of 200 ranges
/// for case, in one of 1,000 characters for accents.
enum TextFolding {
  /// The folded bytes of UTF-8; bytes that are none stay as they are.
  static func folded(_ bytes: [UInt8], _ folding: QuerySyntax.Folding) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { unsafe folded($0, folding) }
  }

  static func folded(
    _ bytes: UnsafeRawBufferPointer, _ folding: QuerySyntax.Folding
  ) -> [UInt8] {
    var asciiCount = 0
    var folded = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      asciiCount = unsafe foldASCII(bytes, UnsafeMutableRawBufferPointer(buffer), folding)
      count = asciiCount
    }
    if asciiCount < bytes.count {
      var index = asciiCount
      while index < bytes.count {
        let byte = unsafe bytes[index]
        if byte < 0x80 {
          folded.append(foldedByte(byte, folding))
          index += 1
        } else if let (scalar, length) = unsafe decode(bytes, at: index) {
          forEachScalar(of: scalar, folding) { append($0, to: &folded) }
          index += length
        } else {
          folded.append(byte)
          index += 1
        }
      }
    }
    return folded
  }

  /// Whether `bytes`, folded, are `folded`.
  static func equals(
    _ bytes: UnsafeRawBufferPointer, folded: UnsafeRawBufferPointer,
    _ folding: QuerySyntax.Folding
  ) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = unsafe bytes[index]
      guard byte < 0x80 else {
        // From the first other character on, counts may differ.
        let rest = unsafe Self.folded(UnsafeRawBufferPointer(rebasing: bytes[index...]), folding)
        guard rest.count == folded.count - index else { return false }
        return unsafe rest.withUnsafeBytes { rest in
          unsafe BytesPredicate.compare(
            rest, UnsafeRawBufferPointer(rebasing: folded[index...])) == 0
        }
      }
      guard index < folded.count, unsafe foldedByte(byte, folding) == folded[index] else {
        return false
      }
      index += 1
    }
    return index == folded.count
  }

  // MARK: ASCII

  @inline(__always)
  private static func foldedByte(_ byte: UInt8, _ folding: QuerySyntax.Folding) -> UInt8 {
    byte &- 0x41 <= 25 && folding.ignoresCase ? byte + 0x20 : byte
  }

  /// Folds up to the first sixteen bytes that are not all ASCII; returns how many were folded.
  private static func foldASCII(
    _ bytes: UnsafeRawBufferPointer, _ out: UnsafeMutableRawBufferPointer,
    _ folding: QuerySyntax.Folding
  ) -> Int {
    guard let source = bytes.baseAddress, let target = out.baseAddress else { return 0 }
    let shift = SIMD16<UInt8>(repeating: folding.ignoresCase ? 0x20 : 0)
    var index = 0
    // SAFETY: every load and store ends at or before the count of both.
    while index + 16 <= bytes.count {
      var block = unsafe source.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      if any(block .>= SIMD16(repeating: 0x80)) { return index }
      let isUpper = (block &- SIMD16(repeating: 0x41)) .<= SIMD16(repeating: 25)
      block.replace(with: block &+ shift, where: isUpper)
      unsafe target.storeBytes(of: block, toByteOffset: index, as: SIMD16<UInt8>.self)
      index &+= 16
    }
    while index < bytes.count {
      let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
      if byte >= 0x80 { return index }
      unsafe target.storeBytes(
        of: foldedByte(byte, folding), toByteOffset: index, as: UInt8.self)
      index &+= 1
    }
    return index
  }

  // MARK: Other characters

  /// What a character beyond ASCII folds to: none, one or several.
  static func forEachScalar(
    of scalar: UInt32, _ folding: QuerySyntax.Folding, _ body: (UInt32) -> Void
  ) {
    guard folding.ignoresDiacritics else { return body(FoldingTables.caseFolded(scalar)) }
    forEachBase(of: scalar) { base in
      if !isMark(base) { body(folding.ignoresCase ? FoldingTables.caseFolded(base) : base) }
    }
  }

  /// The canonical decomposition of a character; some of its nonspacing marks may be left out.
  private static func forEachBase(of scalar: UInt32, _ body: (UInt32) -> Void) {
    // The letters of Hangul syllables are computed (Unicode, section 3.12).
    if scalar >= 0xAC00, scalar <= 0xD7A3 {
      let index = scalar - 0xAC00
      body(0x1100 + index / 588)
      body(0x1161 + index % 588 / 28)
      if index % 28 > 0 { body(0x11A7 + index % 28) }
      return
    }
    let bases = FoldingTables.bases(of: scalar)
    if bases.isEmpty { body(scalar) }
    for base in bases { body(UInt32(truncatingIfNeeded: base)) }
  }

  private static func isMark(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x300, let scalar = Unicode.Scalar(scalar) else { return false }
    return scalar.properties.generalCategory == .nonspacingMark
  }

  // MARK: UTF-8

  /// The character that begins at `index`; nil when the bytes are none.
  private static func decode(
    _ bytes: UnsafeRawBufferPointer, at index: Int
  ) -> (scalar: UInt32, length: Int)? {
    let first = UInt32(unsafe bytes[index])
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC0, index + length <= bytes.count else { return nil }
    var scalar = first & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let byte = UInt32(unsafe bytes[index + offset])
      guard byte & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | byte & 0x3F
    }
    return (scalar, length)
  }

  private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F) }
    if scalar < 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: scalar))
    } else if scalar < 0x800 {
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      bytes.append(tail(0))
    } else if scalar < 0x10000 {
      bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      bytes.append(tail(6))
      bytes.append(tail(0))
    } else {
      bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      bytes.append(tail(12))
      bytes.append(tail(6))
      bytes.append(tail(0))
    }
  }
}
