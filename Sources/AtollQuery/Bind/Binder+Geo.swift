internal import AtollObjects

// GEOWITHIN: the path to the points, and the numbers of the shape.

extension Binder {
  mutating func bind(
    _ search: QuerySyntax.GeoWithin, on table: TableSchema
  ) throws(QueryError) -> BoundPredicate {
    let path = try bindGeoPath(search.property, on: table)
    let range = search.property.path.range
    let (type, coordinates) = try geoColumns(of: path, at: range)
    let (region, text) = try bindRegion(search.area)
    return .geoWithin(
      BoundGeoWithin(
        path: path, quantifier: search.property.quantifier?.value, type: type,
        coordinates: coordinates, region: region, shapeText: text))
  }

  /// The search that `place IN $0` is, when the argument is the text of a shape; nil for others.
  func geoMembership(
    _ comparison: QuerySyntax.Comparison, _ left: Operand
  ) -> QuerySyntax.GeoWithin? {
    guard comparison.comparator.value == .in, comparison.folding == .exact, left.isOfObjects,
      case .property(let reference) = comparison.left, reference.suffix == nil,
      case .argument(nil, let index) = comparison.right,
      arguments.indices.contains(index.value), case .string = arguments[index.value]
    else { return nil }
    return QuerySyntax.GeoWithin(reference, .init(.argument(index.value), range: index.range))
  }

  // MARK: The left side

  /// The path to the objects that hold points; its last link is a hop.
  private mutating func bindGeoPath(
    _ reference: QuerySyntax.PropertyReference, on table: TableSchema
  ) throws(QueryError) -> BoundPath {
    if let suffix = reference.suffix {
      throw error(
        .binding,
        "GEOWITHIN needs a link to an embedded object, and \(suffix.value.rawValue) is none",
        at: suffix.range)
    }
    let range = reference.path.range
    let operand = try bindOperand(.property(reference), on: table)
    guard case .expression(.path(var path), let type) = operand.form else {
      throw error(.binding, "GEOWITHIN needs the path of a link", at: range)
    }
    switch path.terminal {
    case .object: return path
    case .value(let column, let steps)
    where steps.isEmpty && column.layout.value == .link && column.layout.collection == .none:
      path.hops.append(.link(column))
      path.terminal = .object
      return path
    default:
      throw error(
        .binding,
        "GEOWITHIN needs a link to an embedded object, and \(source.quoted(range)) is of type "
          + type.name(in: schema), at: range)
    }
  }

  /// The two properties of the objects at the end of the path that make them points.
  private func geoColumns(
    of path: BoundPath, at range: Range<Int>
  ) throws(QueryError) -> (type: Column, coordinates: Column) {
    guard let target = schema.table(id: path.lastTable) else {
      throw error(.binding, "the class that \(source.quoted(range)) leads to is missing", at: range)
    }
    guard target.isEmbedded else {
      throw error(
        .binding,
        "GEOWITHIN needs a link to an embedded object, and \(source.quoted(range)) leads to class "
          + "'\(target.name)', which is not embedded", at: range)
    }
    let type = try geoColumn("type", of: target, .string, .none, at: range)
    return (type, try geoColumn("coordinates", of: target, .double, .list, at: range))
  }

  private func geoColumn(
    _ name: String, of table: TableSchema, _ type: ValueType, _ collection: CollectionKind,
    at range: Range<Int>
  ) throws(QueryError) -> Column {
    let wanted = Self.article(ColumnLayout(type, collection).description)
    let column = table.column(name)
    if let column, column.layout.value == type, column.layout.collection == collection {
      return column
    }
    let found =
      column.map { "'\(table.name).\(name)' is \(Self.article($0.layout.description))" }
      ?? "class '\(table.name)' has no property '\(name)'"
    throw error(
      .binding, "\(source.quoted(range)) holds no points: \(found)", at: range,
      hint: "a point is an embedded object whose '\(name)' is \(wanted)")
  }

  // MARK: The right side

  /// The shape, checked, and its text for a plan.
  private mutating func bindRegion(
    _ area: QuerySyntax.Located<QuerySyntax.GeoArea>
  ) throws(QueryError) -> (GeoRegion, String) {
    switch area.value {
    case .shape(let shape): return try region(shape, at: area.range, argument: nil)
    case .argument(let index):
      fitsOtherArguments = false
      let value = try argument(index, at: area.range)
      guard case .string(let text) = value else {
        throw error(
          .argument,
          "GEOWITHIN needs a shape, and argument $\(index) is \(Self.article(value.typeName))",
          at: area.range, hint: "pass a shape, or a string such as 'geoCircle([10.7, 59.9], 0.1)'")
      }
      let shape: QuerySyntax.GeoShape
      do throws(QuerySyntaxError) { shape = try QuerySyntax.parseGeoShape(text) } catch {
        throw self.error(
          .argument,
          "argument $\(index) is not the text of a shape: line \(error.line), column "
            + "\(error.column): \(error.message)", at: area.range, expected: error.expected,
          hint: error.hint)
      }
      return try region(shape, at: area.range, argument: index)
    }
  }

  /// `argument`: the one that held the text of the shape.
  private mutating func region(
    _ shape: QuerySyntax.GeoShape, at range: Range<Int>, argument: Int?
  ) throws(QueryError) -> (GeoRegion, String) {
    let numbers = try GeoNumbers(shape) { coordinate throws(QueryError) in
      try number(coordinate, of: argument, at: range)
    }
    do throws(GeoProblem) { return (try numbers.region(), numbers.description) } catch {
      let problem = error
      let culprit = numbers.usesArguments ? QueryError.Kind.argument : .binding
      guard let argument else {
        throw self.error(culprit, problem.description, at: numbers.range(of: problem) ?? range)
      }
      throw self.error(.argument, "argument $\(argument): \(problem)", at: range)
    }
  }

  /// The value of a coordinate or radius.
  private mutating func number(
    _ coordinate: QuerySyntax.Located<QuerySyntax.Coordinate>, of argument: Int?,
    at range: Range<Int>
  ) throws(QueryError) -> Double {
    switch coordinate.value {
    case .number(let number): return number.doubleValue
    case .argument(let index):
      if let argument {
        throw error(
          .argument,
          "argument $\(argument) is the text of a shape, in which $\(index) cannot stand", at: range
        )
      }
      fitsOtherArguments = false
      let value = try self.argument(index, at: coordinate.range)
      switch value {
      case .double(let number): return number
      case .float(let number): return Double(number)
      case .int(let number): return Double(number)
      case .decimal(let number): return number.doubleValue
      default:
        throw error(
          .argument,
          "a coordinate or radius is a number, and argument $\(index) is "
            + Self.article(value.typeName), at: coordinate.range)
      }
    }
  }
}

/// A shape with the values of its numbers, and where each stands in the query.
private struct GeoNumbers {
  private typealias Place = (longitude: Double, latitude: Double)

  private enum Form {
    case box(Place, Place)
    case circle(Place, radius: Double)
    case polygon([[Place]])
  }

  private let form: Form
  private var places: [(number: Double, range: Range<Int>)] = []
  private(set) var usesArguments = false

  /// `value`: gives the value of a number.
  init(
    _ shape: QuerySyntax.GeoShape,
    value: (QuerySyntax.Located<QuerySyntax.Coordinate>) throws(QueryError) -> Double
  ) throws(QueryError) {
    var places: [(number: Double, range: Range<Int>)] = []
    var usesArguments = false
    func read(
      _ coordinate: QuerySyntax.Located<QuerySyntax.Coordinate>
    ) throws(QueryError) -> Double {
      let number = try value(coordinate)
      if case .argument = coordinate.value { usesArguments = true }
      places.append((number, coordinate.range))
      return number
    }
    func read(_ point: QuerySyntax.GeoPoint) throws(QueryError) -> Place {
      (try read(point.longitude), try read(point.latitude))
    }
    switch shape {
    case .box(let corner, let opposite): form = .box(try read(corner), try read(opposite))
    case .circle(let center, let radius): form = .circle(try read(center), radius: try read(radius))
    case .polygon(let rings):
      var points: [[Place]] = []
      for ring in rings {
        var places: [Place] = []
        for point in ring { places.append(try read(point)) }
        points.append(places)
      }
      form = .polygon(points)
    }
    self.places = places
    self.usesArguments = usesArguments
  }

  func region() throws(GeoProblem) -> GeoRegion {
    switch form {
    case .box(let corner, let opposite): try GeoRegion(corner: corner, opposite: opposite)
    case .circle(let center, let radius): try GeoRegion(center: center, radius: radius)
    case .polygon(let rings): try GeoRegion(rings: rings)
    }
  }

  /// Where the number at fault stands; nil when the fault is not in one number.
  func range(of problem: GeoProblem) -> Range<Int>? {
    switch problem {
    case .longitudeOutOfRange(let value), .latitudeOutOfRange(let value),
      .negativeRadius(let value):
      places.first { $0.number == value }?.range
    default: nil
    }
  }

  /// The shape in a plan; of a polygon only the number of its corners.
  var description: String {
    func text(_ place: Place) -> String { "[\(place.longitude), \(place.latitude)]" }
    switch form {
    case .box(let corner, let opposite): return "geoBox(\(text(corner)), \(text(opposite)))"
    case .circle(let center, let radius): return "geoCircle(\(text(center)), \(radius))"
    case .polygon(let rings):
      let corners = rings.reduce(0) { $0 + max(0, $1.count - 1) }
      let holes = rings.count - 1
      return "geoPolygon of \(corners) corners"
        + (holes == 0 ? "" : holes == 1 ? " and 1 hole" : " and \(holes) holes")
    }
  }
}
