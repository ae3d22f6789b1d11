/// A circle on the sphere with the area around its centre.
struct SphericalCap: Sendable {
  let center: SpherePoint
  /// In radians, not negative; from π on the cap is the whole sphere.
  let radius: Double
  /// The square of the straight distance from the centre to the edge, or, beyond a quarter of the
  /// circumference, from the place opposite the centre: there the other would lose its precision.
  private let limit: Double

  init(center: SpherePoint, radius: Double) {
    self.center = center
    self.radius = min(radius, .pi)
    let half =
      radius <= .pi / 2
      ? Trigonometry.sine(radius / 2) : Trigonometry.cosine(min(radius, .pi) / 2)
    limit = 4 * half * half
  }

  @inline(__always)
  func contains(_ place: SpherePoint) -> Bool {
    if radius <= .pi / 2 { return center.squaredChord(to: place) <= limit }
    if radius >= .pi { return true }
    let (x, y, z) = (center.x + place.x, center.y + place.y, center.z + place.z)
    return x * x + y * y + z * z >= limit
  }

  /// The part of the sphere within, from 0 to 1.
  var areaFraction: Double {
    let half = Trigonometry.sine(radius / 2)
    return half * half
  }
}
