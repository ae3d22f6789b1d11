/// A checked shape, ready to say of places whether they are within.
struct GeoRegion: Sendable {
  private enum Form: Sendable {
    case cap(SphericalCap)
    case polygon(SphericalPolygon)
  }

  private let form: Form
  private let bounds: GeoBounds
  /// The part of the sphere within, from 0 to 1.
  let areaFraction: Double

  /// A circle; the radius is in radians.
  init(
    center: (longitude: Double, latitude: Double), radius: Double
  ) throws(GeoProblem) {
    if radius.isNaN { throw .radiusIsNotANumber }
    if radius < 0 { throw .negativeRadius(radius) }
    let cap = SphericalCap(center: try Self.place(center), radius: radius)
    form = .cap(cap)
    bounds = GeoBounds(cap)
    areaFraction = cap.areaFraction
  }

  /// The area between two opposite corners, whose sides are four great-circle arcs.
  init(
    corner: (longitude: Double, latitude: Double), opposite: (longitude: Double, latitude: Double)
  ) throws(GeoProblem) {
    var ring: [SpherePoint] = []
    for (longitude, latitude) in [
      corner, (opposite.longitude, corner.latitude), opposite,
      (corner.longitude, opposite.latitude), corner,
    ] {
      ring.append(try Self.place((longitude, latitude)))
    }
    do throws(GeoProblem) { try self.init(closedRings: [ring]) } catch {
      if case .fewerThanThreeCorners = error { throw .flatBox }
      throw error
    }
  }

  /// A polygon: the outer ring, then the holes, each closed.
  init(rings: [[(longitude: Double, latitude: Double)]]) throws(GeoProblem) {
    var places: [[SpherePoint]] = []
    for ring in rings {
      var points: [SpherePoint] = []
      for point in ring { points.append(try Self.place(point)) }
      places.append(points)
    }
    try self.init(closedRings: places)
  }

  private init(closedRings: [[SpherePoint]]) throws(GeoProblem) {
    let polygon = try SphericalPolygon(closedRings: closedRings)
    form = .polygon(polygon)
    bounds = Self.bounds(of: polygon.outer)
    areaFraction =
      polygon.holes.reduce(polygon.outer.areaFraction) { $0 - $1.areaFraction }
  }

  /// The bounds of a cap around all vertices, which holds their ring when it is less than half of
  /// the sphere.
  private static func bounds(of ring: SphericalRing) -> GeoBounds {
    var sum = Vector(x: 0, y: 0, z: 0)
    for vertex in ring.vertices { sum = sum + vertex.vector }
    guard let center = SpherePoint(direction: sum) else { return .everything }
    let greatest = ring.vertices.reduce(0) { max($0, center.squaredChord(to: $1)) }
    let radius = 2 * Trigonometry.arcSine(greatest.squareRoot() / 2) + 1e-9
    guard radius < 1.5 else { return .everything }
    return GeoBounds(SphericalCap(center: center, radius: radius))
  }

  /// The place of a longitude and a latitude in degrees.
  private static func place(
    _ point: (longitude: Double, latitude: Double)
  ) throws(GeoProblem) -> SpherePoint {
    guard abs(point.longitude) <= 180 else { throw .longitudeOutOfRange(point.longitude) }
    guard abs(point.latitude) <= 90 else { throw .latitudeOutOfRange(point.latitude) }
    return SpherePoint(longitude: point.longitude, latitude: point.latitude)
  }

  /// Whether a place is within; numbers that are no longitude and latitude never are.
  ///
  /// Cost: a few nanoseconds outside of the bounds, else four trigonometric functions and, for a
  /// polygon, about two nanoseconds a corner.
  @inline(__always)
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard bounds.contains(longitude: longitude, latitude: latitude) else { return false }
    return contains(SpherePoint(longitude: longitude, latitude: latitude))
  }

  private func contains(_ place: SpherePoint) -> Bool {
    switch form {
    case .cap(let cap): cap.contains(place)
    case .polygon(let polygon): polygon.contains(place)
    }
  }
}
