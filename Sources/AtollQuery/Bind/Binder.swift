internal import AtollObjects

/// Resolves the names of a syntax tree against a schema and checks its types.
///
/// Recurses over the tree, which is at most `QueryLimits.depth` deep (checked here, as trees
/// can be made without the parser).
struct Binder {
  let schema: Schema
  let source: SourceText
  let arguments: [Value]
  /// Whether nothing but the types of the arguments went into the outcome.
  var fitsOtherArguments = true
  /// One more than the greatest number of an argument that the query names.
  var argumentCount = 0
  /// The variables of the subqueries around the place that is bound.
  var variables: [(name: String, table: UInt32)] = []
  /// The links on the ways to the objects of these variables, one after another.
  var enclosingHopCount = 0
  private var depth = 0

  init(schema: Schema, source: SourceText, arguments: [Value]) {
    self.schema = schema
    self.source = source
    self.arguments = arguments
  }

  /// Binds a whole query on a class.
  mutating func bind(
    _ request: QuerySyntax.Request, on className: String
  ) throws(QueryError) -> BoundQuery {
    guard let table = schema.table(className) else {
      throw error(
        .binding, "there is no class '\(className)'", at: 0..<0,
        hint: nearest(className, among: schema.visibleTables.map(\.name)))
    }
    let predicate = try bind(request.predicate, on: table)
    let descriptors = try bind(request.descriptors, on: table)
    var grouping: BoundGrouping?
    if let wanted = request.grouping { grouping = try bind(wanted, on: table) }
    return BoundQuery(
      table: table, predicate: predicate, descriptors: descriptors,
      grouping: grouping, fitsOtherArguments: fitsOtherArguments, argumentCount: argumentCount,
      source: source)
  }

  mutating func bind(
    _ predicate: QuerySyntax.Predicate, on table: TableSchema
  ) throws(QueryError) -> BoundPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryLimits.depth + 1 else {
      throw error(.binding, "the predicate is nested too deeply", at: 0..<0)
    }
    switch predicate {
    case .true: return .constant(true)
    case .false: return .constant(false)
    case .and(let terms): return .and(try bind(terms, on: table))
    case .or(let terms): return .or(try bind(terms, on: table))
    case .not(let inner): return .not(try bind(inner, on: table))
    case .comparison(let comparison): return try bind(comparison, on: table)
    case .between(let between): return try bind(between, on: table)
    case .text(let search): return try bind(search, on: table)
    case .geoWithin(let search): return try bind(search, on: table)
    }
  }

  private mutating func bind(
    _ terms: [QuerySyntax.Predicate], on table: TableSchema
  ) throws(QueryError) -> [BoundPredicate] {
    var bound: [BoundPredicate] = []
    bound.reserveCapacity(terms.count)
    for term in terms { bound.append(try bind(term, on: table)) }
    return bound
  }

  // MARK: Descriptors

  private mutating func bind(
    _ descriptors: [QuerySyntax.Descriptor], on table: TableSchema
  ) throws(QueryError) -> [BoundDescriptor] {
    var list = DescriptorList()
    var place = 0..<0
    for descriptor in descriptors {
      list.append(try bind(descriptor, on: table))
      place = descriptor.lastKeyRange ?? place
      guard list.keyCount <= QueryLimits.sortKeys else {
        throw error(
          .binding,
          "SORT, DISTINCT and LIMIT have more than \(QueryLimits.sortKeys) different keys",
          at: place)
      }
    }
    return list.descriptors
  }

  private mutating func bind(
    _ descriptor: QuerySyntax.Descriptor, on table: TableSchema
  ) throws(QueryError) -> BoundDescriptor {
    switch descriptor {
    case .limit(let count): return .limit(Int(clamping: count))
    case .sort(let keys):
      var bound: [(path: BoundPath, isAscending: Bool)] = []
      for key in keys {
        bound.append((try bindKey(key.path, on: table, clause: "SORT"), key.isAscending))
      }
      return .sort(bound)
    case .distinct(let paths):
      var bound: [BoundPath] = []
      for path in paths { bound.append(try bindKey(path, on: table, clause: "DISTINCT")) }
      return .distinct(bound)
    }
  }

  /// A path with one value for each object.
  mutating func bindKey(
    _ path: QuerySyntax.Path, on table: TableSchema, clause: String
  ) throws(QueryError) -> BoundPath {
    if case .keyPathArgument = path.steps.first?.value {
      throw error(
        .binding, "a key-path argument cannot stand in \(clause)", at: path.range)
    }
    let (bound, _) = try bindPath(path, on: table, clause: " in \(clause)")
    if let hop = bound.hops.first(where: { $0.isToMany }) {
      throw error(
        .binding,
        "\(clause) needs one value for each object, and "
          + "\(source.quoted(path.range)) goes through '\(hop.column.name)' to several",
        at: path.range)
    }
    if bound.dropsNulls
      || bound.hops.contains(where: { if case .mapEntry = $0 { true } else { false } })
    {
      throw error(
        .binding, "\(clause) cannot go through an element of a collection of links",
        at: path.range)
    }
    guard !bound.endsInCollection else {
      throw error(
        .binding,
        "\(clause) needs one value for each object, and \(source.quoted(path.range)) "
          + "is a collection", at: path.range)
    }
    return bound
  }

  // MARK: Errors

  func error(
    _ kind: QueryError.Kind, _ message: String, at range: Range<Int>, expected: [String] = [],
    hint: String? = nil
  ) -> QueryError {
    QueryError(kind, message, in: source, at: range, expected: expected, hint: hint)
  }

  /// What a name that no property has was probably meant to be.
  func habitHint(_ name: String, on table: TableSchema) -> String? {
    if let variable = variables.last?.name, name.first == "$" {
      return "the variable here is '\(variable)'"
    }
    if Parser.hasTypographicQuote(name) { return Parser.quoteHint }
    if let minus = name.firstIndex(of: "-"), table.column(String(name[..<minus])) != nil {
      return "a name may contain a minus sign: to subtract, put blanks around it"
    }
    return nil
  }

  /// A hint with the name that was probably meant, or the keyword that was written in mixed case.
  func nearest(_ name: String, among candidates: [String]) -> String? {
    if let found = NearestName.find(name, among: candidates) { return "did you mean '\(found)'?" }
    guard let keyword = Keyword(ignoringCase: Array(name.utf8)[...]), keyword.needsUniformCase
    else { return nil }
    let word = keyword.rawValue
    return "write `\(word)` or `\(word.uppercased())`: in mixed case it is a property name"
  }
}
