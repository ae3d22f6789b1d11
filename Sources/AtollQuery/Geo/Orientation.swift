/// On which side of a great circle a place lies, never wrong by rounding.
///
/// The sign is that of a 3 × 3 determinant. A product in floating point decides when it is clear
/// of its rounding error, and integers of 192 bits otherwise (the idea is that of J. R. Shewchuk,
/// "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997).
enum Orientation {
  /// More than the rounding error of a determinant of three unit vectors.
  ///
  /// Six roundings of 2⁻⁵³ each, of terms whose absolute values add up to less than 3.
  static let errorBound = 4e-15

  /// 1 when `c` is left of the great circle from `a` to `b`, seen from outside; -1 right of it; 0
  /// on it.
  static func sign(_ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint) -> Int {
    sign(a.vector.cross(b.vector), a, b, c)
  }

  /// The same, with the vector product of `a` and `b` computed before.
  @inline(__always)
  static func sign(
    _ normal: Vector, _ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint
  ) -> Int {
    let determinant = normal.dot(c)
    if determinant > errorBound { return 1 }
    if determinant < -errorBound { return -1 }
    return exactSign(a, b, c)
  }

  /// The sign with integers: 2⁵³ times each coordinate.
  static func exactSign(_ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint) -> Int {
    let (ax, ay, az) = integers(a)
    let (bx, by, bz) = integers(b)
    let (cx, cy, cz) = integers(c)
    // Each product has at most 106 bits, each difference 107.
    let minors = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx]
    // A minor is high × 2⁶⁴ + low; three times 53 bits by 43 or 64 fit.
    var high: Int128 = 0
    var low: Int128 = 0
    for (factor, minor) in zip([ax, ay, az], minors) {
      high += factor * (minor >> 64)
      low += factor * Int128(UInt64(truncatingIfNeeded: minor))
    }
    high += low >> 64
    if high != 0 { return high > 0 ? 1 : -1 }
    return UInt64(truncatingIfNeeded: low) == 0 ? 0 : 1
  }

  private static func integers(_ p: SpherePoint) -> (Int128, Int128, Int128) {
    (Int128(Int64(p.x * 0x1p53)), Int128(Int64(p.y * 0x1p53)), Int128(Int64(p.z * 0x1p53)))
  }

  /// Whether the shorter arcs from `a` to `b` and from `c` to `d` cross at a place inside of both.
  static func arcsCross(
    _ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint, _ d: SpherePoint
  ) -> Bool {
    let ofC = sign(a, b, c)
    if ofC == 0 { return false }
    let ofD = sign(a, b, d)
    if ofD != -ofC { return false }
    let ofA = sign(c, d, a)
    let ofB = sign(c, d, b)
    // The circles meet twice; the last part says that it is at the same one of the two places.
    return ofA == -ofB && ofB == ofC
  }
}
