#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The functions of angles that the sphere needs, from the C library.
enum Trigonometry {
  /// Sine and cosine of an angle in degrees.
  ///
  /// Exact at multiples of 90, so that the poles, the equator and both names of the antimeridian
  /// are where they should be.
  static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let quarter = (degrees / 90).rounded()
    // Exact: the angle and the multiple are close to each other, or one of them is zero.
    let rest = (degrees - quarter * 90) * (Double.pi / 180)
    let (s, c) = (sin(rest), cos(rest))
    return switch Int(quarter) & 3 {
    case 0: (s, c)
    case 1: (c, -s)
    case 2: (-s, -c)
    default: (-c, s)
    }
  }

  static func sine(_ radians: Double) -> Double { sin(radians) }
  static func cosine(_ radians: Double) -> Double { cos(radians) }
  static func arcSine(_ sine: Double) -> Double { asin(min(1, max(-1, sine))) }
  static func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
}
