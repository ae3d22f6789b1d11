/// The area within a distance from a place.
public struct GeoCircle: Hashable, Sendable {
  /// The place in the middle of the circle.
  public let center: GeoPoint
  /// The radius as an angle at the centre of the Earth, finite and not negative.
  ///
  /// A radian is 6378.1 kilometres on the ground.
  public let radiusInRadians: Double

  /// A circle; nil when the radius is negative or not finite.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard let radius = Distance.radians(radiusInRadians) else { return nil }
    self.init(center: center, radius: radius)
  }

  /// Makes a circle around a place.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  /// A circle around (latitude, longitude); nil when that is no place.
  public init?(center: (Double, Double), radius: Distance) {
    guard let point = GeoPoint(latitude: center.0, longitude: center.1) else { return nil }
    self.init(center: point, radius: radius)
  }

  /// A circle around (latitude, longitude); nil when that is no place, or the radius negative or
  /// not finite.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let radius = Distance.radians(radiusInRadians) else { return nil }
    self.init(center: center, radius: radius)
  }
}
