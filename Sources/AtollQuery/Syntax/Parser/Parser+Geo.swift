extension Parser {
  private static let shapes = ["geoBox(…)", "geoCircle(…)", "geoPolygon(…)"]

  /// The right side of GEOWITHIN: a shape or an argument.
  mutating func parseGeoArea() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.GeoArea>
  {
    if case .placeholder(.value(let index)) = token.kind {
      return QuerySyntax.Located(.argument(index), range: try advance().range)
    }
    let start = token.range.lowerBound
    let shape = try parseGeoShape()
    let end = previous?.range.upperBound ?? start
    return QuerySyntax.Located(.shape(shape), range: start..<end)
  }

  /// A shape and nothing else.
  mutating func parseWholeGeoShape() throws(QuerySyntaxError) -> QuerySyntax.GeoShape {
    let shape = try parseGeoShape()
    guard token.kind == .endOfQuery else { throw unexpected(["the end of the shape"]) }
    return shape
  }

  /// Reads `geoBox(Point, Point)`, `geoCircle(Point, Coord)` or `geoPolygon(Ring, …)`.
  private mutating func parseGeoShape() throws(QuerySyntaxError) -> QuerySyntax.GeoShape {
    guard case .keyword(let keyword) = token.kind,
      keyword == .geoBox || keyword == .geoCircle || keyword == .geoPolygon
    else {
      throw unexpected(
        Self.shapes + ["an argument"],
        hint: "Write a shape such as geoCircle([10.7, 59.9], 0.1), or pass one as $0.")
    }
    try advance()
    try expect(.leftParenthesis)
    let shape: QuerySyntax.GeoShape
    switch keyword {
    case .geoBox:
      let corner = try parseGeoPoint()
      try expectComma("A box has two opposite corners.")
      shape = .box(corner, try parseGeoPoint())
    case .geoCircle:
      let center = try parseGeoPoint()
      try expectComma("A circle has a centre and a radius.")
      shape = .circle(center: center, radius: try parseCoordinate())
    default:
      var rings = [try parseRing()]
      while try skip(.comma) { rings.append(try parseRing()) }
      shape = .polygon(rings)
    }
    try expect(.rightParenthesis)
    return shape
  }

  private mutating func expectComma(_ hint: String) throws(QuerySyntaxError) {
    guard isAt(.comma) else { throw unexpected([","], hint: hint) }
    try advance()
  }

  /// Reads points in braces, at least one.
  private mutating func parseRing() throws(QuerySyntaxError) -> [QuerySyntax.GeoPoint] {
    try expect(.leftBrace, hint: "The corners of a polygon stand in braces: {[0, 0], …}.")
    var points = [try parseGeoPoint()]
    while try skip(.comma) { points.append(try parseGeoPoint()) }
    guard try skip(.rightBrace) else { throw unexpected([",", "}"]) }
    return points
  }

  /// Reads `[longitude, latitude]`, possibly with an altitude.
  private mutating func parseGeoPoint() throws(QuerySyntaxError) -> QuerySyntax.GeoPoint {
    try expect(.leftBracket, hint: "A point is written [longitude, latitude].")
    let longitude = try parseCoordinate()
    try expectComma("A point has a longitude and a latitude.")
    let latitude = try parseCoordinate()
    var altitude: QuerySyntax.Located<QuerySyntax.Coordinate>?
    if isAt(.comma) {
      try advance()
      guard isFloat else {
        throw unexpected(
          ["a number with a decimal point"], hint: "An altitude is written with a point: 12.0.")
      }
      altitude = try parseCoordinate()
    }
    try expect(.rightBracket)
    guard case .number(let number)? = altitude?.value else {
      return QuerySyntax.GeoPoint(longitude: longitude, latitude: latitude)
    }
    return QuerySyntax.GeoPoint(longitude: longitude, latitude: latitude, altitude: number)
  }

  private var isFloat: Bool {
    switch token.kind {
    case .double, .float32: true
    default: false
    }
  }

  /// Reads a float of either sign, an unsigned integer or an argument.
  private mutating func parseCoordinate() throws(QuerySyntaxError)
    -> QuerySyntax.Located<QuerySyntax.Coordinate>
  {
    switch token.kind {
    case .double(let number), .float32(let number):
      return QuerySyntax.Located(.number(number), range: try advance().range)
    case .integer(_, .unsigned):
      guard let number = NumberText(digits: tokenText) else { break }
      return QuerySyntax.Located(.number(number), range: try advance().range)
    case .placeholder(.value(let index)):
      return QuerySyntax.Located(.argument(index), range: try advance().range)
    default: break
    }
    throw unexpected(
      ["an unsigned integer", "a number with a decimal point", "an argument"],
      hint: "A number with a sign needs a decimal point here: -1.0.")
  }
}
