public import AtollObjects

// Shapes as arguments of `GEOWITHIN $0`: they travel as their text in the query language, whose
// numbers are written so that they read back the same.

extension Value {
  /// A box as an argument of a query.
  public static func shape(_ box: GeoBox) -> Value { text(of: box.syntax) }

  /// A circle as an argument of a query.
  public static func shape(_ circle: GeoCircle) -> Value { text(of: circle.syntax) }

  /// A polygon as an argument of a query.
  public static func shape(_ polygon: GeoPolygon) -> Value { text(of: polygon.syntax) }

  private static func text(of shape: QuerySyntax.GeoShape) -> Value {
    var printer = Printer()
    printer.print(shape)
    return .string(printer.text)
  }
}

extension GeoBox {
  /// The box in a syntax tree.
  package var syntax: QuerySyntax.GeoShape { .box(bottomLeft.syntax, topRight.syntax) }
}

extension GeoCircle {
  /// The circle in a syntax tree.
  package var syntax: QuerySyntax.GeoShape {
    .circle(center: center.syntax, radius: .finite(radiusInRadians))
  }
}

extension GeoPolygon {
  /// The polygon in a syntax tree.
  package var syntax: QuerySyntax.GeoShape {
    .polygon(([outerRing] + holes).map { $0.map(\.syntax) })
  }
}

extension GeoPoint {
  var syntax: QuerySyntax.GeoPoint {
    QuerySyntax.GeoPoint(longitude: .finite(longitude), latitude: .finite(latitude))
  }
}

extension QuerySyntax.Located<QuerySyntax.Coordinate> {
  /// A number of a shape that has been checked; there is no text to point at.
  fileprivate static func finite(_ value: Double) -> Self {
    guard let number = NumberText(value) else { preconditionFailure("shapes hold finite numbers") }
    return QuerySyntax.Located(.number(number), range: 0..<0)
  }
}
