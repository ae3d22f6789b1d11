internal import AtollQuery

/// A circle on the earth that has room for one point of the grid of points only.
enum WhereCircle {
  static func around(longitude: Double, latitude: Double) -> GeoCircle? {
    guard let center = GeoPoint(latitude: latitude, longitude: longitude) else { return nil }
    return GeoCircle(center: center, radiusInRadians: 0.05)
  }
}
