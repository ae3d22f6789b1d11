import AtollObjects
import AtollQuery
import TestThreads
import Testing

@Suite(.computing) struct GeoRefusalTests {
  @Test(arguments: BindingRefusal.geo)
  func messageNamesWhatIsWrong(_ refusal: BindingRefusal) throws {
    let schema = try ShipDatabase.shared.get().snapshot().schema
    let error = try #require(throws: QueryError.self) {
      try Query(
        refusal.query, on: refusal.className, in: schema, arguments: refusal.arguments)
    }
    #expect(error.kind == refusal.kind)
    for word in refusal.words { #expect(error.description.contains(word), "\(error)") }
    #expect(error.place.caret.contains("^"))
  }

  @Test func placeIsThatOfTheNumberAtFault() throws {
    let schema = try ShipDatabase.shared.get().snapshot().schema
    for (query, token) in [
      ("spot GEOWITHIN geoBox([0, 0], [181, 1])", "181"),
      ("spot GEOWITHIN geoBox([0, 0], [18, -90.5])", "-90.5"),
      ("spot GEOWITHIN geoCircle([0, 0], -0.1)", "-0.1"),
      ("home.spot GEOWITHIN geoCircle([0, 0], 1)", "home"),
      ("sister GEOWITHIN geoCircle([0, 0], 1)", "sister"),
    ] {
      let error = try #require(throws: QueryError.self) {
        try Query(query, on: "Ship", in: schema)
      }
      #expect(error.place.token == token)
    }
  }

  @Test func nativeShapesAreNotMadeOfWrongNumbers() {
    #expect(GeoPoint(latitude: 90.1, longitude: 0) == nil)
    #expect(GeoPoint(latitude: 0, longitude: -180.1) == nil)
    #expect(GeoPoint(latitude: .nan, longitude: 0) == nil)
    #expect(GeoPoint(latitude: 0, longitude: 0, altitude: -1) == nil)
    #expect(Distance.kilometers(-1) == nil)
    #expect(Distance.miles(.infinity) == nil)
    #expect(Distance.radians(.nan) == nil)
    #expect(GeoCircle(center: (0, 0), radiusInRadians: -1) == nil)
    #expect(GeoBox(bottomLeft: (91, 0), topRight: (0, 0)) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (0, 0)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (0, 0)]) != nil)
    #expect(
      GeoPolygon(outerRing: [(0, 0), (0, 9), (9, 9), (0, 0)], holes: [[(1, 1), (2, 2)]]) == nil)
  }

  @Test func distancesAgree() throws {
    let kilometers = try #require(Distance.kilometers(6378.1))
    #expect(kilometers.radians == 1)
    #expect(abs(kilometers.asMiles() - 3963.17) < 0.01)
    #expect(abs(try #require(Distance.miles(1)).asKilometers() - 1.609344) < 1e-12)
    #expect(try #require(Distance.degrees(180)).radians == .pi)
    #expect(abs(try #require(Distance.radians(1)).asDegrees() - 57.29578) < 1e-5)
  }
}

extension BindingRefusal {
  private init(
    geo query: String, arguments: [Value] = [], _ kind: QueryError.Kind, _ words: [String]
  ) {
    self.init(query, on: "Ship", arguments: arguments, kind, words)
  }

  private init(geo query: String, _ words: [String]) {
    self.init(query, on: "Ship", arguments: [], .binding, words)
  }

  private static func polygon(_ rings: String..., words: [String]) -> BindingRefusal {
    BindingRefusal(
      geo: "spot GEOWITHIN geoPolygon(\(rings.joined(separator: ", ")))", .binding, words)
  }

  private static let square = "{[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]}"
  private static let circle = "GEOWITHIN geoCircle([0, 0], 1)"

  static let geo: [BindingRefusal] = [
    // The left side.
    BindingRefusal(geo: "name \(circle)", ["`name`", "string", "embedded"]),
    BindingRefusal(geo: "tags \(circle)", ["`tags`", "string"]),
    BindingRefusal(geo: "sister \(circle)", ["`sister`", "Ship", "not embedded"]),
    BindingRefusal(geo: "spot.coordinates \(circle)", ["spot.coordinates", "double"]),
    BindingRefusal(geo: "stops.@count \(circle)", ["@count"]),
    BindingRefusal(geo: "flat \(circle)", ["flat", "NoType", "'type'", "a string"]),
    BindingRefusal(geo: "odd \(circle)", ["odd", "NoList", "'coordinates'", "a list of double"]),
    BindingRefusal(geo: "text \(circle)", ["text", "WrongType.type", "int"]),
    BindingRefusal(geo: "ALL spot \(circle)", ["ALL", "spot"]),
    BindingRefusal(geo: "NONE sister.spot \(circle)", ["NONE", "sister.spot"]),
    BindingRefusal(geo: "spott \(circle)", ["Ship", "spott", "did you mean 'spot'"]),
    // Numbers out of range.
    BindingRefusal(geo: "spot GEOWITHIN geoBox([-181.0, 0], [1, 1])", ["longitude -181.0"]),
    BindingRefusal(geo: "spot GEOWITHIN geoBox([0, 0], [1, 91])", ["latitude 91.0"]),
    BindingRefusal(geo: "spot GEOWITHIN geoCircle([0, 1e999], 1)", ["latitude inf"]),
    BindingRefusal(geo: "spot GEOWITHIN geoCircle([0, 0], -0.5)", ["radius -0.5", "negative"]),
    polygon("{[0, 0], [9, 0], [9, 95], [0, 0]}", words: ["latitude 95.0"]),
    // A sign without a point is refused by the grammar.
    BindingRefusal(geo: "spot GEOWITHIN geoBox([-1, 0], [1, 1])", .syntax, ["-1.0"]),
    BindingRefusal(geo: "spot GEOWITHIN geoBox([1, 1], [1, 2])", ["box"]),
    BindingRefusal(geo: "spot GEOWITHIN geoBox([0, 90], [50, -90.0])", ["box"]),
    BindingRefusal(geo: "spot GEOWITHIN geoBox([0, 0], [180, 10])", ["opposite"]),
    // Rings.
    polygon("{[0, 0], [9, 0], [9, 9]}", words: ["outer ring", "open"]),
    polygon("{[0, 0]}", words: ["fewer than 3"]),
    polygon("{[0, 0], [1, 1], [1, 1], [0, 0]}", words: ["outer ring", "fewer than 3"]),
    polygon("{[0, 90], [50, 90], [1, 1], [0, 90]}", words: ["fewer than 3"]),
    polygon("{[0, 0], [9, 9], [9, 0], [0, 9], [0, 0]}", words: ["outer ring", "crossing edges"]),
    polygon("{[0, 0], [9, 0], [5, 0], [5, 5], [0, 0]}", words: ["crossing edges"]),
    polygon(
      "{[0, 0], [9, 0], [5, 5], [9, 9], [1, 9], [5, 5], [0, 0]}", words: ["vertices twice"]),
    polygon("{[0, 0], [180, 0], [90, 45], [0, 0]}", words: ["opposite"]),
    polygon(square, "{[1, 1], [2, 1], [2, 2]}", words: ["hole 1", "open"]),
    polygon(square, "{[1, 1], [2, 1], [1, 1]}", words: ["hole 1", "fewer than 3"]),
    polygon(square, "{[20, 1], [22, 1], [22, 2], [20, 1]}", words: ["hole 1", "outside"]),
    polygon(
      square, "{[1, 1], [2, 1], [2, 2], [1, 1]}", "{[8, 8], [10, 8], [8, 10], [8, 8]}",
      words: ["hole 2", "outer ring", "crossing edges"]),
    polygon(
      square, "{[1, 1], [5, 1], [5, 5], [1, 1]}", "{[4, 2], [4, 0.5], [6, 2], [4, 2]}",
      words: ["hole 1", "hole 2", "crossing edges"]),
    polygon(
      square, "{[3, 2], [4, 2], [4, 3], [3, 2]}", "{[1, 1], [8, 1], [8, 8], [1, 1]}",
      words: ["hole 1", "inside of hole 2"]),
    polygon(square, "{[0, 0], [9, 0], [5, 5], [0, 0]}", words: ["hole 1", "more than one vertex"]),
    // The hole goes through a corner of the outer ring.
    polygon(square, "{[0, 0], [5, 5], [-1.0, 0.5], [0, 0]}", words: ["hole 1"]),
    // Arguments.
    BindingRefusal(geo: "spot GEOWITHIN $0", .argument, ["$0", "no arguments"]),
    BindingRefusal(geo: "spot GEOWITHIN $0", arguments: [.int(1)], .argument, ["$0", "an int"]),
    BindingRefusal(geo: "spot GEOWITHIN $0", arguments: [.null], .argument, ["$0", "null"]),
    BindingRefusal(
      geo: "spot GEOWITHIN $0", arguments: [.string("geoBox([1, 2], [3, 4)")], .argument,
      ["$0", "column 21", "unexpected `)`"]),
    BindingRefusal(
      geo: "spot GEOWITHIN $0", arguments: [.string("Oslo")], .argument,
      ["$0", "`Oslo`", "geoBox"]),
    BindingRefusal(geo: "spot GEOWITHIN $0", arguments: [.string("")], .argument, ["$0"]),
    BindingRefusal(
      geo: "spot GEOWITHIN $0", arguments: [.string("geoCircle([0, 0], 1) OR TRUEPREDICATE")],
      .argument, ["$0", "the end of the shape"]),
    BindingRefusal(
      geo: "spot GEOWITHIN $0", arguments: [.string("geoCircle([0, 0], -1.0)")], .argument,
      ["$0", "radius -1.0"]),
    BindingRefusal(
      geo: "spot GEOWITHIN $0", arguments: [.string("geoCircle([0, 0], $1)"), .int(1)], .argument,
      ["$0", "$1"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoCircle([$0, 0], 1)", arguments: [.null], .argument, ["$0", "null"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoCircle([0, 0], $0)", arguments: [.list([.double(1)])], .argument,
      ["$0", "a list"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoCircle([0, $0], 1)", arguments: [.string("1")], .argument,
      ["$0", "a string"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoCircle([0, 0], $0)", arguments: [.double(.nan)], .argument,
      ["radius", "not a number"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoCircle([$0, 0], 1)", arguments: [.double(.nan)], .argument,
      ["longitude nan"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoBox([0, 0], [1, $0])", arguments: [.int(100)], .argument,
      ["latitude 100.0"]),
    BindingRefusal(
      geo: "spot GEOWITHIN geoCircle([0, $7], 1)", arguments: [.int(1)], .argument,
      ["$7", "only 1 argument"]),
  ]
}
