/// Why numbers are no shape on the sphere.
enum GeoProblem: Error, Hashable, Sendable {
  case longitudeOutOfRange(Double)
  case latitudeOutOfRange(Double)
  case negativeRadius(Double)
  case radiusIsNotANumber

  /// The last point of a ring is not the first one.
  case openRing(ring: Int)
  case fewerThanThreeCorners(ring: Int)
  /// An edge between opposite places, which no one shortest way joins.
  case oppositeCorners(ring: Int)
  /// A ring comes back to a corner before its end.
  case cornerUsedTwice(ring: Int)
  case crossingEdges(ring: Int, otherRing: Int)
  /// To look for crossings would take too long: very many edges lie side by side, as in a comb.
  case tooManyEdgesSideBySide(edgeCount: Int)
  /// Two rings have more than one corner in common.
  case ringsShareCorners(ring: Int, otherRing: Int)
  case holeOutside(ring: Int)
  case nestedHoles(ring: Int, otherRing: Int)
  /// The corners of a box have a longitude or a latitude in common, or both are poles.
  case flatBox
}

extension GeoProblem: CustomStringConvertible {
  /// The problem in one clause; ring 0 is the outer one.
  var description: String {
    func name(_ ring: Int) -> String { ring == 0 ? "the outer ring" : "hole \(ring)" }
    return switch self {
    case .longitudeOutOfRange(let value): "the longitude \(value) is not within -180 and 180"
    case .latitudeOutOfRange(let value): "the latitude \(value) is not within -90 and 90"
    case .negativeRadius(let value): "the radius \(value) is negative"
    case .radiusIsNotANumber: "the radius is not a number"
    case .openRing(let ring): "\(name(ring)) is open: its last point must be the first one again"
    case .fewerThanThreeCorners(let ring):
      "\(name(ring)) has fewer than 3 vertices that differ"
    case .oppositeCorners(let ring):
      "\(name(ring)) has an edge between opposite places of the sphere, which has no one way"
    case .cornerUsedTwice(let ring): "\(name(ring)) comes to one of its vertices twice"
    case .crossingEdges(let ring, let other):
      ring == other
        ? "\(name(ring)) has crossing edges"
        : "\(name(ring)) and \(name(other)) have crossing edges"
    case .tooManyEdgesSideBySide(let count):
      "too many of its \(count) edges lie side by side: "
        + "leave corners out, or make several shapes of it"
    case .ringsShareCorners(let ring, let other):
      "\(name(ring)) and \(name(other)) touch in more than one vertex"
    case .holeOutside(let ring): "\(name(ring)) is outside of the outer ring"
    case .nestedHoles(let ring, let other): "\(name(ring)) is inside of \(name(other))"
    case .flatBox: "the corners of the box do not differ in longitude and latitude"
    }
  }
}
