package import AtollObjects

/// What the answer of a query depends on.
package struct QueryDependencies: Equatable, Sendable {
  /// A property through which other objects are reached.
  package struct Link: Hashable, Sendable {
    package var className: ExactText
    package var property: ExactText
    /// Whether it is followed from its target to its source.
    package var isBackward: Bool
  }

  /// The class of the objects that the query finds.
  package let className: ExactText
  /// The properties that are read, by class; the query's own class is always there.
  package private(set) var properties: [ExactText: Set<ExactText>]
  /// The links that are followed, counted or compared with an object.
  package private(set) var links: Set<Link> = []
  /// The classes of objects that constants name by their primary keys.
  private(set) var namedClasses: Set<ExactText> = []
  /// How many times links are followed: no object is further away from one that is found.
  private(set) var hopCount = 0
  let schema: Schema

  /// Whether an object passes or not by its own properties alone.
  ///
  /// Then a change concerns the answer only through the objects that it touched.
  package var isLocal: Bool { properties.count == 1 && links.isEmpty }

  /// Whether what is different between two versions can have changed the answer.
  ///
  /// - Throws: `ObjectError` if the file is damaged.
  package func areTouched(by difference: VersionDifference) throws -> Bool {
    for (name, read) in properties {
      guard let table = schema.table(name.text) else { continue }
      let changes = try difference.table(table.id)
      if !changes.inserted.isEmpty || !changes.deleted.isEmpty { return true }
      if changes.modified.isEmpty { continue }
      let columns = Set(read.compactMap { table.column($0.text)?.id })
      if changes.modified.contains(where: { !columns.isDisjoint(with: $0.value) }) { return true }
    }
    return false
  }

  package static func == (a: Self, b: Self) -> Bool {
    a.className == b.className && a.properties == b.properties && a.links == b.links
  }
}

extension QueryDependencies {
  init(_ query: BoundQuery, in schema: Schema) {
    className = ExactText(query.table.name)
    self.schema = schema
    properties = [className: []]
    add(query.predicate)
    for descriptor in query.descriptors {
      switch descriptor {
      case .sort(let keys): for key in keys { add(key.path) }
      case .distinct(let paths): for path in paths { add(path) }
      case .limit: break
      }
    }
    for column in query.grouping?.columns ?? [] {
      switch column.source {
      case .key(let path), .aggregate(_, let path, _): add(path)
      case .count: break
      }
    }
  }

  private mutating func add(_ predicate: BoundPredicate) {
    switch predicate {
    case .constant: break
    case .and(let terms), .or(let terms): for term in terms { add(term) }
    case .not(let inner): add(inner)
    case .test(let test):
      add(test.left)
      add(test.right)
    case .between(let between):
      add(between.operand)
      add(between.low)
      add(between.high)
    case .text(let search):
      add(search.path)
      add(search.column)
    case .geoWithin(let search):
      add(search.path)
      add(search.type)
      add(search.coordinates)
    }
  }

  private mutating func add(_ expression: BoundExpression) {
    switch expression {
    case .constant(let constant): add(constant)
    case .list(let constants): for constant in constants { add(constant) }
    case .path(let path), .typeName(let path): add(path)
    case .count(let count):
      add(count.base)
      switch count.counted {
      case .link(let column), .mapEntry(let column, _), .element(let column, _),
        .collection(let column), .bytes(let column), .nested(let column, _):
        add(column)
      case .backlinks(let column): follow(column, isBackward: true)
      case .incoming(let columns): for column in columns { follow(column, isBackward: true) }
      }
    case .aggregate(let aggregate):
      add(aggregate.base)
      switch aggregate.source {
      case .property(let column, let hop):
        add(hop)
        add(column)
      case .elements(let column, _): add(column)
      }
    case .subquery(let subquery):
      add(subquery.path)
      add(subquery.predicate)
    case .arithmetic(let first, let rest):
      add(first)
      for term in rest { add(term.1) }
    }
  }

  /// An object that a constant names may come and go.
  private mutating func add(_ constant: BoundConstant) {
    guard case .object(let table, _) = constant, let name = schema.table(id: table)?.name else {
      return
    }
    properties[ExactText(name), default: []].formUnion([])
    namedClasses.insert(ExactText(name))
  }

  private mutating func add(_ path: BoundPath) {
    for hop in path.hops { add(hop) }
    switch path.terminal {
    case .object: break
    case .value(let column, _), .keys(let column), .elementLengths(let column): add(column)
    }
  }

  private mutating func add(_ hop: BoundPath.Hop) {
    if case .backlinks(let column) = hop { return follow(column, isBackward: true) }
    follow(hop.column, isBackward: false)
  }

  private mutating func follow(_ column: Column, isBackward: Bool) {
    guard let name = schema.table(id: column.table)?.name else { return }
    let link = Link(
      className: ExactText(name), property: ExactText(column.name), isBackward: isBackward)
    properties[link.className, default: []].insert(link.property)
    links.insert(link)
    hopCount += 1
    // The object at the other end may come and go.
    if let target = schema.table(id: column.layout.linkTable)?.name, !isBackward {
      properties[ExactText(target), default: []].formUnion([])
    }
  }

  private mutating func add(_ column: Column) {
    guard column.layout.value != .link else { return follow(column, isBackward: false) }
    guard let name = schema.table(id: column.table)?.name else { return }
    properties[ExactText(name), default: []].insert(ExactText(column.name))
  }
}

extension Query {
  /// What the answer depends on.
  package var dependencies: QueryDependencies { QueryDependencies(bound, in: schema) }
}
