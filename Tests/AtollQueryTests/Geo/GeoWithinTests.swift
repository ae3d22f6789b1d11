import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// A question to the ships and the names of those that answer it.
struct GeoRule: CustomTestStringConvertible, Sendable {
  let query: String
  let arguments: [Value]
  let names: [String]

  init(_ query: String, arguments: [Value] = [], _ names: String...) {
    self.query = query
    self.arguments = arguments
    self.names = names
  }

  var testDescription: String { query }
}

@Suite(.computing) struct GeoWithinTests {
  @Test(arguments: GeoRule.all)
  func ruleHolds(_ rule: GeoRule) throws {
    let snapshot = try ShipDatabase.shared.get().snapshot()
    let query = try Query(
      rule.query, on: "Ship", in: snapshot.schema, arguments: rule.arguments)
    var names: [String] = []
    try query.results(in: snapshot).forEach { ship in
      if case .string(let name) = try ship["name"] { names.append(name) }
    }
    #expect(names == rule.names)
    #expect(try query.count(in: snapshot) == rule.names.count)
  }

  @Test func planNamesTheShape() throws {
    let snapshot = try ShipDatabase.shared.get().snapshot()
    let plan = try Query(
      "NONE stops GEOWITHIN geoCircle([10.7, 59.9], $0)", on: "Ship", in: snapshot.schema,
      arguments: [.double(0.1)]
    ).explain(in: snapshot).description
    let lines = plan.split(separator: "\n").map { $0.drop { $0 == " " } }
    for (line, text) in zip(
      lines.dropFirst(),
      ["not", "a link in 'stops' to an object with", "a point within geoCircle([10.7, 59.9], 0.1)"])
    {
      #expect(line.hasPrefix(text), "\(plan)")
    }
    let polygon = try Query(
      "spot GEOWITHIN geoPolygon({[0, 0], [9, 0], [9, 9], [0, 0]}, "
        + "{[4, 1], [8, 1], [8, 5], [4, 1]})",
      on: "Ship", in: snapshot.schema
    ).explain(in: snapshot).description
    #expect(polygon.contains("a point within geoPolygon of 6 corners and 1 hole"))
  }

  @Test func argumentsOfOneTextAreNotMixedUp() throws {
    let snapshot = try ShipDatabase.shared.get().snapshot()
    for (radius, count) in [(0.01, 1), (0.1, 2), (3.2, 5), (0.01, 1)] {
      let query = try Query(
        "spot GEOWITHIN geoCircle([10.75, 59.91], $0)", on: "Ship", in: snapshot.schema,
        arguments: [.double(radius)])
      #expect(try query.count(in: snapshot) == count)
    }
  }

  /// As NSPredicate spells it.
  @Test func aPlaceIsInAShapeThatIsAnArgument() throws {
    let snapshot = try ShipDatabase.shared.get().snapshot()
    let circle = Value.string("geoCircle([10.75, 59.91], 0.1)")
    func count(_ text: String) throws -> Int {
      try Query(text, on: "Ship", in: snapshot.schema, arguments: [circle]).count(in: snapshot)
    }
    #expect(try count("spot IN $0") == count("spot GEOWITHIN $0"))
    #expect(try count("spot IN $0") == 2)
    #expect(try count("NONE stops IN $0") == count("NONE stops GEOWITHIN $0"))
    #expect(throws: QueryError.self) { try count("name IN $0") }
  }

  @Test func holesAreGivenOneByOneOrTogether() throws {
    let ring = [(0.0, 0.0), (0, 9), (9, 9), (0, 0)]
    let holes = [[(2.0, 3.0), (2, 4), (3, 4), (2, 3)], [(5, 7), (5, 8), (6, 8), (5, 7)]]
    let together = try #require(GeoPolygon(outerRing: ring, holes: holes))
    #expect(GeoPolygon(outerRing: ring, holes: holes[0], holes[1]) == together)
    #expect(
      GeoPolygon(outerRing: together.outerRing, holes: together.holes[0], together.holes[1])
        == together)
    #expect(GeoPolygon(outerRing: ring)?.holes == [])
    #expect(GeoPolygon(outerRing: together.outerRing)?.holes == [])
    #expect(GeoPolygon(outerRing: ring, holes: [(1, 1), (2, 2)]) == nil)
  }

  @Test func subqueriesTestTheirObjects() throws {
    let snapshot = try ShipDatabase.shared.get().snapshot()
    let query = try Query(
      "SUBQUERY(stops, $s, $s GEOWITHIN geoCircle([10.7, 59.9], 0.003)).@count == 1", on: "Ship",
      in: snapshot.schema)
    #expect(try query.count(in: snapshot) == 2)
    let whole = try Query("TRUEPREDICATE", on: "Spot", in: snapshot.schema)
    #expect(try whole.count(in: snapshot) == 16)
  }

  /// Objects in the external store and many leaves give the same answers as a few.
  @Test func listsOfAnyLengthAreRead() throws {
    let ships = (0..<3000).map { number in
      let longitude = Double(number % 360) - 179.5
      let altitudes = [Double](repeating: 1, count: number % 500 == 3 ? 30_000 : number % 3)
      return ShipDatabase.Ship(
        name: "\(number)", spot: .init(type: "Point", [longitude, 10] + altitudes))
    }
    let database = try ShipDatabase.make(ships)
    let snapshot = try database.snapshot()
    let query = try Query(
      "spot GEOWITHIN geoBox([2.0, 0.0], [5.0, 20.0])", on: "Ship", in: snapshot.schema)
    let expected = (0..<3000).filter { (182...184).contains($0 % 360) }.count
    #expect(try query.count(in: snapshot) == expected)
    let far = try Query(
      "spot GEOWITHIN geoCircle([-176.5, 10.0], 0.0001)", on: "Ship", in: snapshot.schema)
    #expect(try far.results(in: snapshot).count == (0..<3000).filter { $0 % 360 == 3 }.count)
  }
}

extension GeoRule {
  private static let oslo = "geoCircle([10.7, 59.9], 0.003)"

  static let all: [GeoRule] = [
    // One link.
    GeoRule("spot GEOWITHIN \(oslo)", "Oslo"),
    GeoRule("spot geowithin GEOCIRCLE([10.7, 59.9], 0.05)", "Oslo", "Bergen"),
    GeoRule("NOT spot GEOWITHIN geoCircle([0, 0], 4)", "Null", "Line", "Short", "Beyond", "NaN"),
    GeoRule("sister.spot GEOWITHIN \(oslo)", "Suva"),
    GeoRule("sister.sister.spot GEOWITHIN geoBox([179.0, -20.0], [-179.0, 0])", "Savusavu"),
    GeoRule("spot GEOWITHIN \(oslo) OR name == 'Line'", "Oslo", "Line"),
    GeoRule(
      "spot GEOWITHIN geoCircle([0, 0], 4) AND NOT spot GEOWITHIN \(oslo) LIMIT(2)",
      "Bergen", "Suva"),
    // Boxes: any two opposite corners, also beyond the antimeridian.
    GeoRule("spot GEOWITHIN geoBox([10, 59], [11, 61])", "Oslo"),
    GeoRule("spot GEOWITHIN geoBox([11, 59], [10, 61])", "Oslo"),
    GeoRule("spot GEOWITHIN geoBox([11, 61], [10, 59])", "Oslo"),
    GeoRule("spot GEOWITHIN geoBox([177.0, -20.0], [-179.0, -10.0])", "Suva", "Savusavu"),
    GeoRule("spot GEOWITHIN geoBox([-179.0, -10.0], [177.0, -20.0])", "Suva", "Savusavu"),
    GeoRule("spot GEOWITHIN geoBox([177.0, -20.0], [180, -10.0])", "Suva"),
    GeoRule("spot GEOWITHIN geoBox([-180.0, -20.0], [-179.0, -10.0])", "Savusavu"),
    // The pole: a cap, and a ring around it.
    GeoRule("spot GEOWITHIN geoCircle([0, 90], 0.01)", "Pole"),
    GeoRule("spot GEOWITHIN geoCircle([-57.0, 89.9], 0.004)", "Pole"),
    GeoRule("spot GEOWITHIN geoPolygon({[0, 80], [120, 80], [-120.0, 80], [0, 80]})", "Pole"),
    GeoRule("spot GEOWITHIN geoPolygon({[0, 80], [-120.0, 80], [120, 80], [0, 80]})", "Pole"),
    // Holes.
    GeoRule(
      "spot GEOWITHIN geoPolygon({[0, 50], [20, 50], [20, 70], [0, 70], [0, 50]})", "Oslo",
      "Bergen"),
    GeoRule(
      """
      spot GEOWITHIN geoPolygon({[0, 50], [20, 50], [20, 70], [0, 70], [0, 50]},
        {[10, 59], [12, 59], [12, 61], [10, 61], [10, 59]})
      """, "Bergen"),
    GeoRule(
      """
      spot GEOWITHIN geoPolygon({[0, 50], [20, 50], [20, 70], [0, 70], [0, 50]},
        {[10, 59], [12, 59], [12, 61], [10, 61], [10, 59]},
        {[4, 60], [6, 60], [6, 60], [6, 61], [4, 61], [4, 60]})
      """),
    // Many links.
    GeoRule("stops GEOWITHIN \(oslo)", "Oslo", "Bergen"),
    GeoRule("SOME stops GEOWITHIN \(oslo)", "Oslo", "Bergen"),
    GeoRule(
      "ALL stops GEOWITHIN geoCircle([10.7, 59.9], 0.1)", "Oslo", "Bergen"),
    GeoRule("ALL stops GEOWITHIN geoCircle([10.7, 59.9], 0.02)", "Oslo"),
    GeoRule("ALL stops GEOWITHIN geoCircle([10.7, 59.9], 4)", "Oslo", "Bergen", "Pole"),
    GeoRule(
      "NONE stops GEOWITHIN \(oslo)", "Suva", "Savusavu", "Pole", "Null", "Line", "Short",
      "Beyond", "NaN"),
    GeoRule(
      "NOT ALL stops GEOWITHIN geoCircle([0, 90], 0.9) AND spot != NULL",
      "Suva", "Savusavu", "Line", "Short", "Beyond", "NaN"),
    GeoRule("stops[0] GEOWITHIN \(oslo)", "Oslo"),
    GeoRule("stops[LAST] GEOWITHIN \(oslo)", "Bergen"),
    GeoRule("named GEOWITHIN \(oslo)", "Oslo"),
    GeoRule("ALL named GEOWITHIN \(oslo)"),
    GeoRule("named['home'] GEOWITHIN \(oslo)", "Oslo"),
    GeoRule("named['away'] GEOWITHIN \(oslo)"),
    GeoRule("@links.Ship.sister.spot GEOWITHIN geoCircle([178.4, -18.1], 0.01)", "Oslo"),
    GeoRule("ALL sister.stops GEOWITHIN geoCircle([10.7, 59.9], 0.02)", "Suva"),
    // Arguments.
    GeoRule("spot GEOWITHIN $0", arguments: [.string(oslo)], "Oslo"),
    GeoRule("$K0 GEOWITHIN $1", arguments: [.string("spot"), .string(oslo)], "Oslo"),
    GeoRule(
      "spot GEOWITHIN geoCircle([$0, $1], $2)",
      arguments: [.float(10.75), .int(60), .decimal(Decimal128(0.01))], "Oslo"),
    GeoRule(
      "spot GEOWITHIN geoBox([$0, $1], [11, $2])",
      arguments: [.int(10), .double(-60), .double(60)], "Oslo"),
    GeoRule("spot GEOWITHIN $0", arguments: [.circle(59.9, 10.7, .kilometers(10))], "Oslo"),
    GeoRule(
      "spot GEOWITHIN $0", arguments: [.circle(59.9, 10.7, .miles(250))], "Oslo", "Bergen"),
    GeoRule("spot GEOWITHIN $0", arguments: [.circle(-16.9, 179.9, .radians(1e-2))], "Savusavu"),
    GeoRule("spot GEOWITHIN $0", arguments: [.circle(59.91, 10.75, .degrees(1e-7))], "Oslo"),
    GeoRule("spot GEOWITHIN $0", arguments: [.box((-20, 177), (-10, -179))], "Suva", "Savusavu"),
    GeoRule(
      "spot GEOWITHIN $0",
      arguments: [
        .polygon(
          [(50, 0), (50, 20), (70, 20), (70, 0), (50, 0)],
          [[(59, 10), (59, 12), (61, 12), (61, 10), (59, 10)]])
      ], "Bergen"),
  ]
}

extension Value {
  /// A native circle around a latitude and longitude; null when there is none.
  fileprivate static func circle(
    _ latitude: Double, _ longitude: Double, _ radius: Distance?
  ) -> Value {
    guard let radius, let circle = GeoCircle(center: (latitude, longitude), radius: radius) else {
      return .null
    }
    return .shape(circle)
  }

  fileprivate static func box(_ low: (Double, Double), _ high: (Double, Double)) -> Value {
    GeoBox(bottomLeft: low, topRight: high).map { .shape($0) } ?? .null
  }

  fileprivate static func polygon(
    _ ring: [(Double, Double)], _ holes: [[(Double, Double)]]
  ) -> Value {
    GeoPolygon(outerRing: ring, holes: holes).map { .shape($0) } ?? .null
  }
}
