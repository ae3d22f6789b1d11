internal import AtollObjects

// Aggregates over collections.

extension Binder {
  mutating func bind(
    _ aggregate: QuerySyntax.Aggregate, on table: TableSchema
  ) throws(QueryError) -> (BoundAggregate, ValueType) {
    let function = aggregate.function.value
    if case .incomingLinks = aggregate.path.steps.last?.value {
      throw error(
        .binding, "`@links` alone can only be counted, not aggregated by \(function.rawValue)",
        at: aggregate.function.range)
    }
    var (base, _) = try bindPath(aggregate.path, on: table)
    var elementType: ValueType
    let source: BoundAggregate.Source
    switch base.terminal {
    case .value(let column, let steps) where column.layout.value != .link:
      guard column.layout.collection != .none || column.layout.value == .mixed && !steps.isEmpty
      else {
        throw error(
          .binding,
          "\(function.rawValue) needs a collection, and '\(name(of: column))' is "
            + Self.article(column.layout.description), at: aggregate.function.range)
      }
      if let property = aggregate.property {
        throw error(
          .binding,
          "'\(name(of: column))' holds no objects, so \(function.rawValue) takes no property",
          at: property.range)
      }
      elementType = column.layout.value
      source = .elements(column, steps)
      try requireAggregatable(function, elementType, name(of: column), at: aggregate.function.range)
    case .keys(let column), .elementLengths(let column):
      throw error(
        .binding, "\(function.rawValue) cannot aggregate a part of '\(name(of: column))'",
        at: aggregate.function.range)
    case .object, .value:
      if case .value(let column, _) = base.terminal { base.hops.append(.link(column)) }
      base.terminal = .object
      guard let property = aggregate.property else {
        throw error(
          .binding, "\(function.rawValue) over objects needs a property of theirs",
          at: aggregate.function.range, hint: "write `path.\(function.rawValue).property`")
      }
      guard let hop = base.hops.popLast(), let target = schema.table(id: hop.target) else {
        throw error(.binding, "an object is no collection", at: aggregate.path.range)
      }
      guard let column = target.column(property.value) else {
        throw error(
          .binding, "class '\(target.name)' has no property '\(property.value)'",
          at: property.range, hint: nearest(property.value, among: target.columns.map(\.name)))
      }
      guard column.layout.collection == .none else {
        throw error(
          .binding,
          "\(function.rawValue) needs single values, and '\(name(of: column))' is "
            + Self.article(column.layout.description), at: property.range)
      }
      elementType = column.layout.value
      source = .property(column, of: hop)
      try requireAggregatable(function, elementType, name(of: column), at: aggregate.function.range)
    }
    let type: ValueType =
      switch (function, elementType) {
      case (.minimum, _), (.maximum, _): elementType
      case (_, .decimal), (_, .mixed): .decimal
      case (.sum, .int): .int
      default: .double
      }
    return (
      BoundAggregate(base: base, function: function, source: source, type: elementType), type
    )
  }

  func requireAggregatable(
    _ function: QuerySyntax.AggregateFunction, _ type: ValueType, _ name: String,
    at range: Range<Int>
  ) throws(QueryError) {
    let allowsDates = function == .minimum || function == .maximum
    guard type.isNumeric || type == .mixed || allowsDates && type == .date else {
      throw error(
        .binding, "\(function.rawValue) cannot aggregate '\(name)' of type \(type.queryName)",
        at: range)
    }
  }
}
