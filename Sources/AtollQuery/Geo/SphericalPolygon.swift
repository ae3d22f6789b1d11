/// An area within one ring and outside of any number of others, its holes.
struct SphericalPolygon: Sendable {
  let outer: SphericalRing
  let holes: [SphericalRing]

  /// Checks the rings, the outer one first; each begins and ends with the same place.
  ///
  /// Neighbouring places that are equal count as one.
  ///
  /// Cost: with n corners n log n, and for each pair of edges that are near each other in the
  /// coordinate that tells the edges apart best a comparison, up to a limit.
  init(closedRings: [[SpherePoint]]) throws(GeoProblem) {
    var corners: [[SpherePoint]] = []
    for (ring, places) in closedRings.enumerated() {
      guard let first = places.first, places.last == first else { throw .openRing(ring: ring) }
      var vertices: [SpherePoint] = []
      for place in places.dropLast() where place != vertices.last { vertices.append(place) }
      if vertices.count > 1, vertices.last == vertices.first { vertices.removeLast() }
      try Self.checkCorners(vertices, ring)
      corners.append(vertices)
    }
    let common = try Self.commonCorners(corners)
    try Self.checkCrossings(corners)
    let rings = corners.map { SphericalRing($0) }
    guard let outer = rings.first else { throw .fewerThanThreeCorners(ring: 0) }
    self.outer = outer
    holes = Array(rings.dropFirst())
    try Self.checkHoles(rings, common)
  }

  func contains(_ place: SpherePoint) -> Bool {
    outer.contains(place) && !holes.contains { $0.contains(place) }
  }

  // MARK: Validation

  private static func checkCorners(_ vertices: [SpherePoint], _ ring: Int) throws(GeoProblem) {
    let different = Set(vertices)
    guard different.count >= 3 else { throw .fewerThanThreeCorners(ring: ring) }
    guard different.count == vertices.count else { throw .cornerUsedTwice(ring: ring) }
    var a = vertices[vertices.count - 2]
    var b = vertices[vertices.count - 1]
    for c in vertices {
      if b.isOpposite(c) { throw .oppositeCorners(ring: ring) }
      // An edge that goes back over the one before.
      if Orientation.sign(a, b, c) == 0,
        a.vector.cross(b.vector).dot(b.vector.cross(c.vector)) < 0
      {
        throw .crossingEdges(ring: ring, otherRing: ring)
      }
      (a, b) = (b, c)
    }
  }

  /// The corner that a ring has in common with another, by pairs of rings.
  private static func commonCorners(
    _ rings: [[SpherePoint]]
  ) throws(GeoProblem) -> [RingPair: SpherePoint] {
    guard rings.count > 1 else { return [:] }
    var users: [SpherePoint: [Int]] = [:]
    var common: [RingPair: SpherePoint] = [:]
    for (ring, vertices) in rings.enumerated() {
      for vertex in vertices {
        for other in users[vertex] ?? [] {
          if common.updateValue(vertex, forKey: RingPair(other, ring)) != nil {
            throw .ringsShareCorners(ring: other, otherRing: ring)
          }
        }
        users[vertex, default: []].append(ring)
      }
    }
    return common
  }

  private struct RingPair: Hashable {
    let first: Int
    let second: Int

    init(_ a: Int, _ b: Int) {
      first = min(a, b)
      second = max(a, b)
    }
  }

  /// An edge and the box of straight lines around it.
  private struct Edge {
    let ring: Int
    let a: SpherePoint
    let b: SpherePoint
    let low: Vector
    let high: Vector

    init(_ ring: Int, _ a: SpherePoint, _ b: SpherePoint) {
      (self.ring, self.a, self.b) = (ring, a, b)
      // The arc lies in the ball around the middle of the straight line.
      let radius = a.squaredChord(to: b).squareRoot() / 2 + 1e-12
      let sum = a.vector + b.vector
      let (x, y, z) = (sum.x / 2, sum.y / 2, sum.z / 2)
      low = Vector(x: x - radius, y: y - radius, z: z - radius)
      high = Vector(x: x + radius, y: y + radius, z: z + radius)
    }

    func mayMeet(_ other: Edge) -> Bool {
      low.x <= other.high.x && other.low.x <= high.x && low.y <= other.high.y
        && other.low.y <= high.y && low.z <= other.high.z && other.low.z <= high.z
    }
  }

  /// The coordinate in which the edges overlap least: the sum of their lengths is the least there,
  /// measured by the way from the first to the last.
  ///
  /// Around a place where an axis leaves the sphere, as at longitude and latitude 0, all edges are
  /// at the same height of that axis.
  private static func sweepAxis(_ edges: [Edge]) -> Int {
    func overlap(_ axis: Int) -> Double {
      var lengths = 0.0
      var low = Double.infinity
      var high = -Double.infinity
      for edge in edges {
        let bounds = (edge.low[axis], edge.high[axis])
        lengths += bounds.1 - bounds.0
        low = min(low, bounds.0)
        high = max(high, bounds.1)
      }
      return lengths / max(high - low, .leastNormalMagnitude)
    }
    return (0..<3).map { ($0, overlap($0)) }.min { $0.1 < $1.1 }?.0 ?? 0
  }

  /// No two edges cross at a place that is a corner of neither.
  ///
  /// Gives how many pairs of edges had to be compared, `limit` of them at most.
  @discardableResult
  static func checkCrossings(
    _ rings: [[SpherePoint]], limit: Int = QueryLimits.edgePairs
  ) throws(GeoProblem) -> Int {
    var comparedCount = 0
    var edges: [Edge] = []
    for (ring, vertices) in rings.enumerated() {
      var last = vertices[vertices.count - 1]
      for vertex in vertices {
        edges.append(Edge(ring, last, vertex))
        last = vertex
      }
    }
    let axis = sweepAxis(edges)
    edges.sort { $0.low[axis] < $1.low[axis] }
    let lows = edges.map { $0.low[axis] }
    for index in edges.indices {
      let edge = edges[index]
      let end = edge.high[axis]
      for otherIndex in (index + 1)..<edges.count {
        if lows[otherIndex] > end { break }
        comparedCount += 1
        guard comparedCount <= limit else {
          throw .tooManyEdgesSideBySide(edgeCount: edges.count)
        }
        let other = edges[otherIndex]
        guard edge.mayMeet(other), edge.a != other.a, edge.a != other.b, edge.b != other.a,
          edge.b != other.b, Orientation.arcsCross(edge.a, edge.b, other.a, other.b)
        else { continue }
        throw .crossingEdges(
          ring: min(edge.ring, other.ring), otherRing: max(edge.ring, other.ring))
      }
    }
    return comparedCount
  }

  /// Every hole lies inside of the outer ring and outside of the others.
  private static func checkHoles(
    _ rings: [SphericalRing], _ common: [RingPair: SpherePoint]
  ) throws(GeoProblem) {
    for hole in rings.indices.dropFirst() {
      for other in rings.indices.prefix(hole) {
        let corner = common[RingPair(other, hole)]
        if other == 0 {
          guard isInside(rings[hole], of: rings[0], without: corner, all: true) else {
            throw .holeOutside(ring: hole)
          }
        } else if isInside(rings[hole], of: rings[other], without: corner, all: false) {
          throw .nestedHoles(ring: hole, otherRing: other)
        } else if isInside(rings[other], of: rings[hole], without: corner, all: false) {
          throw .nestedHoles(ring: other, otherRing: hole)
        }
      }
    }
  }

  /// Whether the vertices of `ring` are inside of `other`: all, or at least one.
  ///
  /// `corner`: one they have in common. Without it one vertex speaks for all, as no edges cross.
  private static func isInside(
    _ ring: SphericalRing, of other: SphericalRing, without corner: SpherePoint?, all: Bool
  ) -> Bool {
    guard let corner else { return other.contains(ring.vertices[0]) }
    let vertices = ring.vertices.filter { $0 != corner }
    return all
      ? vertices.allSatisfy { other.contains($0) } : vertices.contains { other.contains($0) }
  }
}
