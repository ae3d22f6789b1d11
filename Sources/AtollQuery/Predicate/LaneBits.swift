/// Turns the outcome of comparing lanes into bits, lane 0 lowest.
///
/// Each lane that holds keeps its own power of two; the sum of all lanes is then the bits. Written
/// so that each step is a few vector instructions of any processor.
enum LaneBits {
  private static let weights16 = SIMD16<UInt16>(
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
  private static let weights32 = SIMD16<UInt32>(
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
  private static let weights64 = SIMD8<Int64>(1, 2, 4, 8, 16, 32, 64, 128)

  /// One bit for each of eight bytes that are 0 or 1.
  @inline(__always)
  static func bits(ofBytes bytes: UInt64) -> UInt64 {
    (bytes &* 0x0102_0408_1020_4080) &>> 56
  }

  /// Whether lanes of two bytes lie in a range: 16 bits.
  @inline(__always)
  static func bits(
    _ block: SIMD16<UInt16>, _ low: SIMD16<UInt16>, _ span: SIMD16<UInt16>
  ) -> UInt64 {
    let zero = SIMD16<UInt16>(repeating: 0)
    let kept = zero.replacing(with: weights16, where: (block &- low) .<= span)
    // SAFETY: both are 32 bytes without padding.
    let halves = unsafe unsafeBitCast(kept, to: SIMD4<UInt64>.self)
    var sum = (halves[0] | halves[1]) | (halves[2] | halves[3])
    sum |= sum &>> 32
    sum |= sum &>> 16
    return sum & 0xFFFF
  }

  /// Whether lanes of four bytes lie in a range: 16 bits.
  @inline(__always)
  static func bits(
    _ block: SIMD16<UInt32>, _ low: SIMD16<UInt32>, _ span: SIMD16<UInt32>
  ) -> UInt64 {
    let zero = SIMD16<UInt32>(repeating: 0)
    let kept = zero.replacing(with: weights32, where: (block &- low) .<= span)
    // SAFETY: both are 64 bytes without padding.
    let parts = unsafe unsafeBitCast(kept, to: Quarters<SIMD4<UInt32>>.self)
    let joined = unsafe unsafeBitCast(
      (parts.a | parts.b) | (parts.c | parts.d), to: SIMD2<UInt64>.self)
    let sum = joined[0] | joined[1]
    return (sum | sum &>> 32) & 0xFFFF
  }

  /// Whether doubles lie in a closed range: 8 bits.
  @inline(__always)
  static func bits(
    _ block: SIMD8<Double>, _ low: SIMD8<Double>, _ high: SIMD8<Double>
  ) -> UInt64 {
    let zero = SIMD8<Int64>(repeating: 0)
    let kept = zero.replacing(
      with: weights64, where: (block .>= low) .& (block .<= high))
    // SAFETY: both are 64 bytes without padding.
    let parts = unsafe unsafeBitCast(kept, to: Quarters<SIMD2<Int64>>.self)
    let joined = (parts.a | parts.b) | (parts.c | parts.d)
    return UInt64(bitPattern: joined[0] | joined[1])
  }

  private struct Quarters<Part> {
    var a: Part
    var b: Part
    var c: Part
    var d: Part
  }
}
