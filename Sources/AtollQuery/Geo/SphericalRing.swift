/// A closed line of great-circle arcs that does not cross itself, and the smaller area within.
///
/// Whether a place is inside is found by counting the edges that the arc to it from a place of
/// known side crosses. The signs are exact (`Orientation`); a corner on that arc counts as lying
/// left of it, for both its edges alike, so that no crossing is counted twice or lost. Places on an
/// edge itself are inside or outside, unspecified but always alike.
///
/// Invariant: no two neighbouring vertices are equal or opposite.
struct SphericalRing: Sendable {
  /// The corners, the inside on the left; the first is not repeated.
  let vertices: [SpherePoint]
  /// The vector product of each corner with the next one.
  private let normals: [Vector]
  /// Two places, almost opposite, one of which is not far from any place.
  private let references: [Reference]
  /// The part of the sphere that is inside, from 0 to one half.
  let areaFraction: Double

  private struct Reference: Sendable {
    let point: SpherePoint
    let isInside: Bool
    /// Whether the point is left of each edge.
    let isLeft: [Bool]
  }

  /// The ring through these vertices, which do not repeat the first at the end.
  ///
  /// `vertices`: at least three, all different, neighbours not opposite. Takes the side with the
  /// smaller area as the inside, whatever the direction.
  init(_ vertices: [SpherePoint]) {
    precondition(vertices.count >= 3, "a ring has three corners")
    var vertices = vertices
    var turning = Self.turning(vertices)
    // The area on the left is 2π - turning: what turns right all in all is inverted.
    if turning < -1e-13 * Double(vertices.count + 10) {
      vertices.reverse()
      turning = -turning
    }
    self.vertices = vertices
    areaFraction = min(0.5, max(0, (2 * .pi - turning) / (4 * .pi)))
    normals = vertices.indices.map { index in
      vertices[index].vector.cross(vertices[Self.next(index, vertices)].vector)
    }
    references = [
      Self.reference(vertices, longitude: 37.1234, latitude: 21.9877),
      Self.reference(vertices, longitude: -142.8766, latitude: -21.9877),
    ]
  }

  private static func next(_ index: Int, _ vertices: [SpherePoint]) -> Int {
    index + 1 == vertices.count ? 0 : index + 1
  }

  // MARK: Construction

  /// The sum of the angles by which the ring turns left at its corners, in radians.
  ///
  /// By Gauss and Bonnet it is 2π less the area on the left.
  private static func turning(_ vertices: [SpherePoint]) -> Double {
    /// In the direction of the vector product, and precise for neighbours, too.
    func normal(_ a: SpherePoint, _ b: SpherePoint) -> Vector {
      (a.vector + b.vector).cross(b.vector - a.vector)
    }
    var sum = 0.0
    for index in vertices.indices {
      let a = vertices[index]
      let b = vertices[next(index, vertices)]
      let c = vertices[next(next(index, vertices), vertices)]
      let before = normal(a, b)
      let after = normal(b, c)
      let angle = Trigonometry.arcTangent(before.cross(after).length, before.dot(after))
      sum += angle * Double(Orientation.sign(a, b, c))
    }
    return sum
  }

  /// A place on no edge's great circle, near the one given, and on which side of the ring it is.
  private static func reference(
    _ vertices: [SpherePoint], longitude: Double, latitude: Double
  ) -> Reference {
    let longest =
      vertices.indices.max { i, j in
        vertices[i].squaredChord(to: vertices[next(i, vertices)])
          < vertices[j].squaredChord(to: vertices[next(j, vertices)])
      } ?? 0
    let a = vertices[longest]
    let b = vertices[next(longest, vertices)]
    // The middle of the longest edge, from which the other edges are far.
    let middle = SpherePoint(direction: a.vector + b.vector) ?? a
    var point = SpherePoint(longitude: longitude, latitude: latitude)
    var sides: [Int] = []
    // Candidates lie on no common great circle, so an edge spoils two of them at most.
    for attempt in 0...(2 * vertices.count + 2) {
      let step = Double(attempt)
      point = SpherePoint(
        longitude: longitude + step * 0.137 / (1 + step * 0.01),
        latitude: latitude + step * step * 0.0071 / (1 + step * step * 0.01))
      sides = vertices.indices.map {
        Orientation.sign(vertices[$0], vertices[next($0, vertices)], point)
      }
      if !sides.contains(0), point != middle, !point.isOpposite(middle) { break }
    }
    let isLeft = sides.map { $0 > 0 }
    // On the way to the middle of an edge, that edge is reached from the side the start is on.
    let crossings = crossingCount(
      point, isLeft, to: middle, vertices, normals: nil, without: longest)
    return Reference(
      point: point, isInside: isLeft[longest] != (crossings % 2 == 1), isLeft: isLeft)
  }

  // MARK: Containment

  /// Whether a place is inside.
  ///
  /// Cost: one scalar product a corner, a second for the few edges that the way may cross.
  func contains(_ place: SpherePoint) -> Bool {
    let reference = references[references[0].point.vector.dot(place) >= 0 ? 0 : 1]
    let crossings = Self.crossingCount(
      reference.point, reference.isLeft, to: place, vertices, normals: normals, without: nil)
    return reference.isInside != (crossings % 2 == 1)
  }

  /// How many edges the arc from `start` to `end` crosses.
  ///
  /// `isLeft`: whether `start` is left of each edge.
  private static func crossingCount(
    _ start: SpherePoint, _ isLeft: [Bool], to end: SpherePoint, _ vertices: [SpherePoint],
    normals: [Vector]?, without skipped: Int?
  ) -> Int {
    let way = start.vector.cross(end.vector)
    var count = 0
    var index = vertices.count - 1
    var isLeftOfWay = Orientation.sign(way, start, end, vertices[index]) >= 0
    for nextIndex in vertices.indices {
      let isNextLeftOfWay = Orientation.sign(way, start, end, vertices[nextIndex]) >= 0
      // Both ends on one side: no crossing, which is so for almost all edges.
      if isLeftOfWay != isNextLeftOfWay, isLeft[index] == isNextLeftOfWay, index != skipped {
        let a = vertices[index]
        let b = vertices[nextIndex]
        let normal = normals?[index] ?? a.vector.cross(b.vector)
        let isEndLeft = Orientation.sign(normal, a, b, end) > 0
        if isEndLeft != isLeft[index] { count += 1 }
      }
      index = nextIndex
      isLeftOfWay = isNextLeftOfWay
    }
    return count
  }
}
