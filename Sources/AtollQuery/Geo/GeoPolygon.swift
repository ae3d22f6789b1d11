/// The area within a ring of great-circle arcs, and outside of the rings of its holes.
///
/// A ring that covers more than half of the sphere stands for the other side, so the direction of
/// its points does not matter. That edges do not cross and holes lie inside is checked when a query
/// is made of it.
public struct GeoPolygon: Hashable, Sendable {
  /// The corners of the outer ring, the first of them again at the end.
  public let outerRing: [GeoPoint]
  /// The rings of the holes, each closed like the outer one; empty when there are none.
  public let holes: [[GeoPoint]]

  /// A polygon; nil when a ring does not end with its first point, or has fewer than three
  /// different points.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
    let holes = holes ?? []
    guard ([outerRing] + holes).allSatisfy(Self.isClosed) else { return nil }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// A polygon with holes that are given one by one.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// Rings of (latitude, longitude), the holes given one by one; nil also when one of these is no
  /// place.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes)
  }

  /// Rings of (latitude, longitude); nil also when one of these is no place.
  public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
    guard let outer = Self.points(outerRing) else { return nil }
    var inner: [[GeoPoint]] = []
    for hole in holes {
      guard let points = Self.points(hole) else { return nil }
      inner.append(points)
    }
    self.init(outerRing: outer, holes: inner)
  }

  private static func isClosed(_ ring: [GeoPoint]) -> Bool {
    ring.first == ring.last && Set(ring).count >= 3
  }

  private static func points(_ ring: [(Double, Double)]) -> [GeoPoint]? {
    var points: [GeoPoint] = []
    for (latitude, longitude) in ring {
      guard let point = GeoPoint(latitude: latitude, longitude: longitude) else { return nil }
      points.append(point)
    }
    return points
  }
}
