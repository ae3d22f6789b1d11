/// A place on the Earth, in degrees.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator, from -90 to 90.
  public let latitude: Double
  /// Degrees east of the meridian of Greenwich, from -180 to 180.
  public let longitude: Double
  /// Plays no part in any test.
  public let altitude: Double

  /// A place; nil when the latitude is not within ±90, the longitude not within ±180, or the
  /// altitude negative.
  public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
    guard abs(latitude) <= 90, abs(longitude) <= 180, altitude >= 0 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}
