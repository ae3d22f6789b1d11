import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Random shapes against answers that are found another way: circles by haversines, polygons by the
/// triangles from a centre that sees all corners, and by the sum of angles.
@Suite(.computing) struct GeoOracleTests {
  private static let degrees = 180 / Double.pi

  // MARK: Circles

  @Test(arguments: 0..<12 as Range<UInt64>)
  func circlesAgreeWithHaversines(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let center = Self.place(&random, near: Int(seed % 4))
    let radius = [1e-6, 0.01, 0.3, 1.2, 1.7, 3.1][Int(seed % 6)]
    let places = Self.places(&random, around: center, within: 2 * radius, count: 300)
    let found = try Self.found(
      "geoCircle([\(center.longitude), \(center.latitude)], \(radius))", places)
    var insideCount = 0
    for (index, place) in places.enumerated() {
      let distance = Self.haversine(center, place)
      guard abs(distance - radius) > 1e-12 + 1e-9 * radius else { continue }
      #expect(found.contains(index) == (distance < radius), "\(center), \(radius), \(place)")
      if distance < radius { insideCount += 1 }
    }
    #expect(insideCount > 0)
  }

  /// The distances between real cities.
  @Test func citiesNearACityAreFound() throws {
    var cities: [(name: String, place: Place)] = []
    try GeographyDatabase.demo.get().snapshot().table("City").forEach { city in
      guard case .string(let name) = try city["name"],
        case .double(let longitude) = try city["longitude"],
        case .double(let latitude) = try city["latitude"]
      else { return }
      cities.append((name, Place(longitude, latitude)))
    }
    try #require(cities.count > 100)
    let ships = cities.map {
      ShipDatabase.Ship(name: $0.name, spot: .init($0.place.longitude, $0.place.latitude))
    }
    let snapshot = try ShipDatabase.make(ships).snapshot()
    var foundCount = 0
    for (index, city) in cities.enumerated() where index % 10 == 0 {
      for kilometers in [1.0, 300, 5000, 15000] {
        let radius = try #require(Distance.kilometers(kilometers))
        let circle = GeoCircle(
          center: try #require(
            GeoPoint(latitude: city.place.latitude, longitude: city.place.longitude)),
          radius: radius)
        let query = try Query(
          "spot GEOWITHIN $0", on: "Ship", in: snapshot.schema, arguments: [.shape(circle)])
        let expected = cities.filter { Self.haversine($0.place, city.place) <= radius.radians }
        #expect(try query.count(in: snapshot) == expected.count)
        foundCount += expected.count
      }
    }
    #expect(foundCount > 1000)
  }

  // MARK: Polygons

  /// A star around a centre, of any size, in both directions; larger than half of the sphere it
  /// stands for the other side.
  @Test(arguments: 0..<48 as Range<UInt64>)
  func starsAgreeWithTheirTriangles(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let center = Self.place(&random, near: Int(seed % 4))
    let size = [0.0001, 0.2, 1.0, 2.2][Int(seed / 4 % 4)]
    let count = Int.random(in: 3...60, using: &random)
    // Wedges below 180 degrees, so that the centre sees every edge.
    let corners = (0..<count).map { index in
      let turn = (Double(index) + Double.random(in: -0.2...0.2, using: &random)) / Double(count)
      return Self.place(
        from: center, bearing: turn * 2 * .pi,
        distance: size * Double.random(in: 0.3...1, using: &random))
    }
    let star = Star(center: center, corners: corners)
    let isInverted = star.area > 2 * .pi
    try #require(abs(star.area - 2 * .pi) > 1e-6)
    let places = Self.places(&random, around: center, within: 1.2 * size, count: 300)
    let ring = seed % 3 == 0 ? corners : corners.reversed()
    let found = try Self.found("geoPolygon(\(Self.text(ring)))", places)
    var insideCount = 0
    for (index, place) in places.enumerated() {
      guard let isInside = star.contains(place) else { continue }
      #expect(found.contains(index) == (isInside != isInverted), "\(place) of \(ring)")
      if isInside { insideCount += 1 }
    }
    #expect(insideCount > 10 && insideCount < 290)
  }

  /// Spirals, of which no centre sees the corners, with a hole, by the sum of angles.
  @Test(arguments: 0..<12 as Range<UInt64>)
  func spiralsAgreeWithTheSumOfAngles(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let center = Self.place(&random, near: Int(seed % 4))
    let size = [0.002, 0.4, 1.2][Int(seed % 3)]
    // Two arms out and back, with a free way between the turns.
    let steps = (0...80).map { Double($0) / 80 }
    let arm = steps.map { (bearing: 5 * .pi * $0, distance: size * (0.2 + 0.8 * $0)) }
    let corners =
      arm.map { Self.place(from: center, bearing: $0.bearing, distance: $0.distance) }
      + arm.reversed().map {
        Self.place(from: center, bearing: $0.bearing, distance: $0.distance - 0.12 * size)
      }
    let hole = [0.30, 0.32, 0.34].map { step in
      let place = arm[Int(step * 80)]
      return Self.place(
        from: center, bearing: place.bearing,
        distance: place.distance - (step == 0.32 ? 0.02 : 0.08) * size)
    }
    let places = Self.places(&random, around: center, within: 1.1 * size, count: 400)
    let found = try Self.found("geoPolygon(\(Self.text(corners)), \(Self.text(hole)))", places)
    var insideCount = 0
    for (index, place) in places.enumerated() {
      let isInside = Self.isAround(place, corners) && !Self.isAround(place, hole)
      #expect(found.contains(index) == isInside, "\(place)")
      if isInside { insideCount += 1 }
    }
    #expect(insideCount > 40)
  }

  /// Whole degrees put corners, edges and places exactly on common great circles.
  @Test func gridsHaveNoCracks() throws {
    // Boxes of five degrees that touch cover each place inside one of them, and none twice.
    var places: [Place] = []
    for longitude in -20..<20 {
      for latitude in -20..<20 where longitude % 5 != 0 {
        places.append(Place(Double(longitude), Double(latitude)))
      }
    }
    let snapshot = try ShipDatabase.make(
      places.map { .init(name: "", spot: .init($0.longitude, $0.latitude)) }
    ).snapshot()
    var hits = [UInt64: Int]()
    for west in stride(from: -20.0, to: 20, by: 5) {
      for south in stride(from: -22.5, to: 22, by: 5) {
        let query = try Query(
          "spot GEOWITHIN geoBox([\(west), \(south)], [\(west + 5), \(south + 5)])", on: "Ship",
          in: snapshot.schema)
        for key in try query.results(in: snapshot).keys { hits[key.rawValue, default: 0] += 1 }
      }
    }
    #expect(hits.count == places.count)
    #expect(hits.values.allSatisfy { $0 == 1 })
  }

  // MARK: Places

  struct Place {
    let longitude: Double
    let latitude: Double

    init(_ longitude: Double, _ latitude: Double) {
      self.longitude = longitude
      self.latitude = latitude
    }

    var vector: (x: Double, y: Double, z: Double) {
      let (a, b) = (longitude / degrees, latitude / degrees)
      return (cos(b) * cos(a), cos(b) * sin(a), sin(b))
    }
  }

  /// A random place: anywhere, near the antimeridian, or near a pole.
  private static func place(_ random: inout SplitMix64, near kind: Int) -> Place {
    let longitude = Double.random(in: -180...180, using: &random)
    let latitude = asin(Double.random(in: -1...1, using: &random)) * degrees
    return switch kind {
    case 1: Place(longitude < 0 ? -179.9995 : 179.9995, latitude / 3)
    case 2: Place(longitude, 89.9)
    case 3: Place(longitude, -89.9995)
    default: Place(longitude, latitude)
    }
  }

  private static func places(
    _ random: inout SplitMix64, around center: Place, within radius: Double, count: Int
  ) -> [Place] {
    (0..<count).map { _ in
      place(
        from: center, bearing: Double.random(in: 0..<(2 * .pi), using: &random),
        distance: min(3.14, radius) * Double.random(in: 0...1, using: &random).squareRoot())
    }
  }

  /// The place at a distance, in radians, in a direction from another.
  private static func place(from start: Place, bearing: Double, distance: Double) -> Place {
    let (longitude, latitude) = (start.longitude / degrees, start.latitude / degrees)
    let sine = sin(latitude) * cos(distance) + cos(latitude) * sin(distance) * cos(bearing)
    let turned = atan2(
      sin(bearing) * sin(distance) * cos(latitude), cos(distance) - sin(latitude) * sine)
    var result = (longitude + turned) * degrees
    if result > 180 { result -= 360 }
    if result < -180 { result += 360 }
    return Place(result, asin(min(1, max(-1, sine))) * degrees)
  }

  private static func haversine(_ a: Place, _ b: Place) -> Double {
    let x = sin((a.latitude - b.latitude) / 2 / degrees)
    let y = sin((a.longitude - b.longitude) / 2 / degrees)
    let h = x * x + cos(a.latitude / degrees) * cos(b.latitude / degrees) * y * y
    return 2 * asin(min(1, h.squareRoot()))
  }

  // MARK: Polygons another way

  private static func determinant(_ a: Place, _ b: Place, _ c: Place) -> Double {
    let (p, q, r) = (a.vector, b.vector, c.vector)
    return p.x * (q.y * r.z - q.z * r.y) + p.y * (q.z * r.x - q.x * r.z)
      + p.z * (q.x * r.y - q.y * r.x)
  }

  private struct Star {
    let center: Place
    let corners: [Place]

    private var edges: [(Place, Place)] {
      corners.indices.map { (corners[$0], corners[($0 + 1) % corners.count]) }
    }

    /// The area around the centre: the spherical excess of the triangles (van Oosterom, Strackee).
    var area: Double {
      func dot(_ a: Place, _ b: Place) -> Double {
        let (p, q) = (a.vector, b.vector)
        return p.x * q.x + p.y * q.y + p.z * q.z
      }
      return edges.reduce(0) { sum, edge in
        let excess =
          2
          * atan2(
            abs(determinant(center, edge.0, edge.1)),
            1 + dot(center, edge.0) + dot(edge.0, edge.1) + dot(edge.1, center))
        return sum + (excess < 0 ? excess + 4 * .pi : excess)
      }
    }

    /// Whether a place is on the centre's side; nil near an edge or a wedge's border.
    func contains(_ place: Place) -> Bool? {
      var sides: [Bool] = []
      for (a, b) in edges {
        let first = determinant(center, a, place)
        let second = determinant(center, b, place)
        let edge = determinant(a, b, place)
        let tolerance = 1e-13
        guard abs(first) > tolerance, abs(second) > tolerance, abs(edge) > tolerance else {
          return nil
        }
        // Bearings turn right: in the wedge a place is right of the way to `a`, left of that to
        // `b`.
        if first < 0, second > 0 { sides.append(edge < 0) }
      }
      return sides.count == 1 ? sides[0] : nil
    }
  }

  /// Whether a ring smaller than a hemisphere winds around a place: the sum of the angles at which
  /// its edges are seen from there.
  private static func isAround(_ place: Place, _ ring: [Place]) -> Bool {
    // Two directions across the line of sight.
    let (a, b) = (place.longitude / degrees, place.latitude / degrees)
    let east = (x: -sin(a), y: cos(a), z: 0.0)
    let north = (x: -sin(b) * cos(a), y: -sin(b) * sin(a), z: cos(b))
    func bearing(_ corner: Place) -> Double {
      let c = corner.vector
      return atan2(
        c.x * east.x + c.y * east.y + c.z * east.z, c.x * north.x + c.y * north.y + c.z * north.z)
    }
    var sum = 0.0
    for index in ring.indices {
      var angle = bearing(ring[(index + 1) % ring.count]) - bearing(ring[index])
      if angle > .pi { angle -= 2 * .pi }
      if angle < -.pi { angle += 2 * .pi }
      sum += angle
    }
    return abs(sum) > .pi
  }

  // MARK: The database

  private static func text(_ corners: [Place]) -> String {
    let closed = corners + corners.prefix(1)
    return "{"
      + closed.map { "[\($0.longitude), \($0.latitude)]" }.joined(separator: ", ") + "}"
  }

  /// The places, by their number, that a shape finds.
  private static func found(_ shape: String, _ places: [Place]) throws -> Set<Int> {
    let database = try ShipDatabase.make(
      places.enumerated().map { index, place in
        ShipDatabase.Ship(name: "\(index)", spot: .init(place.longitude, place.latitude))
      })
    let snapshot = try database.snapshot()
    let query = try Query("spot GEOWITHIN \(shape)", on: "Ship", in: snapshot.schema)
    var found = Set<Int>()
    try query.results(in: snapshot).forEach { ship in
      if case .string(let name) = try ship["name"], let index = Int(name) { found.insert(index) }
    }
    return found
  }
}
