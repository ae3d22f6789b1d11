/// A range of latitudes and one of longitudes that hold a shape: what lies outside of them is
/// sorted out without trigonometry.
struct GeoBounds: Sendable {
  private let south: Double
  private let north: Double
  private let centerLongitude: Double
  /// Degrees to either side; from 180 on, all longitudes.
  private let halfWidth: Double

  /// Every place there is.
  static let everything = GeoBounds(
    south: -90, north: 90, centerLongitude: 0, halfWidth: .infinity)

  private init(south: Double, north: Double, centerLongitude: Double, halfWidth: Double) {
    self.south = south
    self.north = north
    self.centerLongitude = centerLongitude
    self.halfWidth = halfWidth
  }

  /// The bounds of a cap.
  init(_ cap: SphericalCap) {
    let degrees = 180 / Double.pi
    // Far more than all rounding, far less than anything worth sorting out.
    let margin = 1e-6
    let center = cap.center
    let latitude =
      Trigonometry.arcTangent(
        center.z, (center.x * center.x + center.y * center.y).squareRoot()) * degrees
    let height = cap.radius * degrees + margin
    south = max(-90, latitude - height)
    north = min(90, latitude + height)
    centerLongitude = Trigonometry.arcTangent(center.y, center.x) * degrees
    // Where a pole is within, or near, all meridians are.
    let isPolar = latitude - height <= -89.9 || latitude + height >= 89.9
    let cosine = Trigonometry.cosine(latitude / degrees)
    halfWidth =
      isPolar || cap.radius >= 1.5
      ? .infinity
      : Trigonometry.arcSine(Trigonometry.sine(cap.radius) / cosine) * degrees + margin
  }

  /// Whether a longitude and a latitude are numbers of a place, and that place is within.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    // NaN is in no range.
    guard latitude >= south, latitude <= north, longitude >= -180, longitude <= 180 else {
      return false
    }
    let distance = abs(longitude - centerLongitude)
    return min(distance, 360 - distance) <= halfWidth
  }
}
