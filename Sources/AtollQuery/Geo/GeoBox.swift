/// The area between two corners; its north and south sides are great-circle arcs, not parallels.
///
/// Not defined around a pole.
public struct GeoBox: Hashable, Sendable {
  /// The south-western corner.
  public let bottomLeft: GeoPoint
  /// The north-eastern corner, opposite to the other.
  public let topRight: GeoPoint

  /// Makes a box; that it has an area is checked when a query is made of it.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// Two corners as (latitude, longitude); nil when one of them is no place.
  public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
    guard let low = GeoPoint(latitude: bottomLeft.0, longitude: bottomLeft.1),
      let high = GeoPoint(latitude: topRight.0, longitude: topRight.1)
    else { return nil }
    self.init(bottomLeft: low, topRight: high)
  }
}
