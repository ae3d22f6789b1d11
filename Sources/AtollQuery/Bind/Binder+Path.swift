internal import AtollObjects

// Paths: from names to columns.

extension Binder {
  /// Where a path has come to.
  private enum Position {
    /// At objects of a class.
    case object(TableSchema)
    /// At a collection of links that may still be indexed.
    case links(Column)
    /// At a property, with steps into its value.
    case value(Column, [BoundPath.ValueStep])
    case keys(Column)
    case lengths(Column)
  }

  /// Resolves a path that starts at objects of `table`.
  ///
  /// `clause`: ends the message about an unknown name: " in SORT".
  mutating func bindPath(
    _ path: QuerySyntax.Path, on table: TableSchema, clause: String = ""
  ) throws(QueryError) -> (path: BoundPath, type: StaticType) {
    var steps = path.steps
    if case .keyPathArgument(let index) = steps.first?.value {
      steps = try keyPathSteps(index, at: path.range)
    }
    var bound = BoundPath(root: table.id)
    var position = Position.object(table)
    for (offset, step) in steps.enumerated() {
      if offset == 0, case .property(let name) = step.value,
        let variable = variables.last(where: { $0.name == name })
      {
        guard variable.table == table.id, variables.last?.name == name else {
          throw error(
            .binding,
            "'\(name)' belongs to an outer SUBQUERY; only the innermost variable can be used",
            at: step.range)
        }
        continue
      }
      position = try advance(position, step, &bound, path, clause: clause)
      guard enclosingHopCount + bound.hops.count <= QueryLimits.linkDepth else {
        throw error(
          .binding, "more than \(QueryLimits.linkDepth) links are followed one after another",
          at: step.range)
      }
    }
    return finish(position, bound)
  }

  /// The path, and the type of its values.
  private func finish(
    _ position: Position, _ path: BoundPath
  ) -> (path: BoundPath, type: StaticType) {
    var path = path
    switch position {
    case .object(let table):
      // One link at the end of a path of links is a value like others.
      if case .link(let column) = path.hops.last {
        path.hops.removeLast()
        path.terminal = .value(column, [])
      } else {
        path.terminal = .object
      }
      return (path, .object(table.id))
    case .links(let column):
      path.hops.append(.links(column))
      path.terminal = .object
      return (path, .object(column.layout.linkTable))
    case .value(let column, let steps):
      path.terminal = .value(column, steps)
      return (path, steps.last == .keys ? .value(.string) : .value(column.layout.value))
    case .keys(let column):
      path.terminal = .keys(column)
      return (path, .value(.string))
    case .lengths(let column):
      path.terminal = .elementLengths(column)
      return (path, .value(.int))
    }
  }

  private mutating func advance(
    _ position: Position, _ step: QuerySyntax.Located<QuerySyntax.PathStep>,
    _ bound: inout BoundPath, _ path: QuerySyntax.Path, clause: String
  ) throws(QueryError) -> Position {
    switch position {
    case .object(let table):
      return try advance(from: table, step, &bound, clause: clause)
    case .links(let column):
      return try advance(fromLinks: column, step, &bound, clause: clause)
    case .value(let column, let steps):
      return try advance(fromValue: column, steps, step)
    case .keys(let column), .lengths(let column):
      throw refused(step, after: column)
    }
  }

  private mutating func advance(
    from table: TableSchema, _ step: QuerySyntax.Located<QuerySyntax.PathStep>,
    _ bound: inout BoundPath, clause: String
  ) throws(QueryError) -> Position {
    switch step.value {
    case .property(let name):
      guard let column = table.column(name) else {
        throw error(
          .binding, "class '\(table.name)' has no property '\(name)'\(clause)", at: step.range,
          hint: habitHint(name, on: table) ?? nearest(name, among: table.columns.map(\.name)))
      }
      guard column.layout.value == .link else { return .value(column, []) }
      guard column.layout.collection == .none else { return .links(column) }
      bound.hops.append(.link(column))
      return .object(try target(of: column, at: step.range))
    case .backlinks(let originName, let propertyName):
      guard let origin = schema.table(originName.value) else {
        throw error(
          .binding,
          "there is no class '\(originName.value)' to link to class '\(table.name)'",
          at: originName.range,
          hint: nearest(originName.value, among: schema.visibleTables.map(\.name)))
      }
      guard let column = origin.column(propertyName.value) else {
        throw error(
          .binding,
          "class '\(origin.name)' has no property '\(propertyName.value)' that links to "
            + "class '\(table.name)'",
          at: propertyName.range,
          hint: nearest(propertyName.value, among: origin.columns.map(\.name)))
      }
      guard column.layout.value == .link, column.layout.linkTable == table.id else {
        throw error(
          .binding,
          "'\(origin.name).\(column.name)' does not link to class '\(table.name)'",
          at: propertyName.range)
      }
      bound.hops.append(.backlinks(column))
      return .object(origin)
    case .incomingLinks:
      throw error(
        .binding, "`@links` alone can only be counted", at: step.range,
        hint: "write `@links.@count` or `@links.Class.property`")
    case .keyPathArgument:
      throw error(.binding, "a key-path argument stands for a whole path", at: step.range)
    case .keys, .values, .index, .first, .last, .all, .key, .indexArgument, .placeArgument:
      if let hop = bound.hops.last { throw refused(step, after: hop.column) }
      throw error(
        .binding,
        "class '\(table.name)' is not a collection: \(source.quoted(step.range)) "
          + "cannot follow", at: step.range)
    }
  }

  private mutating func advance(
    fromLinks column: Column, _ step: QuerySyntax.Located<QuerySyntax.PathStep>,
    _ bound: inout BoundPath, clause: String
  ) throws(QueryError) -> Position {
    let target = try target(of: column, at: step.range)
    let resolved = try resolvedIndex(step)
    switch (resolved, column.layout.collection) {
    case (.property(let name), .map) where target.column(name) == nil:
      bound.hops.append(.mapEntry(column, key: BoundPath.MapKey(name)))
      return .object(target)
    case (.property, _), (.backlinks, _):
      bound.hops.append(.links(column))
      return try advance(from: target, step, &bound, clause: clause)
    case (.index(let index), .list):
      bound.hops.append(.element(column, .index(index)))
      return .object(target)
    case (.first, .list):
      bound.hops.append(.element(column, .first))
      return .object(target)
    case (.last, .list):
      bound.hops.append(.element(column, .last))
      return .object(target)
    case (.key(let key), .map):
      bound.hops.append(.mapEntry(column, key: BoundPath.MapKey(key)))
      return .object(target)
    case (.all, .list), (.all, .map), (.values, .map):
      bound.hops.append(.links(column))
      return .object(target)
    case (.keys, .map): return .keys(column)
    default: throw refused(step, after: column)
    }
  }

  private mutating func advance(
    fromValue column: Column, _ steps: [BoundPath.ValueStep],
    _ step: QuerySyntax.Located<QuerySyntax.PathStep>
  ) throws(QueryError) -> Position {
    let resolved = try resolvedIndex(step)
    let kind = column.layout.collection
    let isMixed = column.layout.value == .mixed
    if steps.isEmpty, kind != .none {
      switch (resolved, kind) {
      case (.index(let index), .list): return .value(column, [.position(.index(index))])
      case (.first, .list): return .value(column, [.position(.first)])
      case (.last, .list): return .value(column, [.position(.last)])
      case (.all, .list), (.all, .map), (.values, .map): return .value(column, [.all])
      case (.key(let key), .map): return .value(column, [.key(BoundPath.MapKey(key))])
      case (.keys, .map): return .keys(column)
      case (.property(let name), .map): return .value(column, [.key(BoundPath.MapKey(name))])
      case (.property(let name), .list), (.property(let name), .set):
        let type = column.layout.value
        if name.lowercased() == "length", type == .string || type == .data || isMixed {
          return .lengths(column)
        }
        throw refused(step, after: column)
      default: throw refused(step, after: column)
      }
    }
    guard isMixed else {
      if !steps.isEmpty {
        throw error(
          .binding,
          "\(source.quoted(step.range)) cannot follow an element of "
            + "'\(name(of: column))': only properties of type mixed nest", at: step.range)
      }
      throw refused(step, after: column)
    }
    switch resolved {
    case .index(let index): return .value(column, steps + [.position(.index(index))])
    case .first: return .value(column, steps + [.position(.first)])
    case .last: return .value(column, steps + [.position(.last)])
    case .all, .values: return .value(column, steps + [.all])
    case .key(let key), .property(let key):
      return .value(column, steps + [.key(BoundPath.MapKey(key))])
    case .keys: return .value(column, steps + [.keys])
    case .backlinks, .incomingLinks, .keyPathArgument, .indexArgument, .placeArgument:
      throw refused(step, after: column)
    }
  }

  /// The class that a link leads to.
  private func target(of column: Column, at range: Range<Int>) throws(QueryError) -> TableSchema {
    guard let table = schema.table(id: column.layout.linkTable) else {
      throw error(.binding, "the class that '\(column.name)' links to is missing", at: range)
    }
    return table
  }

  /// The step with an index argument replaced by the argument.
  private mutating func resolvedIndex(
    _ step: QuerySyntax.Located<QuerySyntax.PathStep>
  ) throws(QueryError) -> QuerySyntax.PathStep {
    if case .placeArgument(let index) = step.value {
      fitsOtherArguments = false
      guard case .string(let key) = try argument(index, at: step.range) else {
        throw error(.argument, "argument $\(index) is a key and must be a string", at: step.range)
      }
      return key == QuerySyntax.PathStep.wordForAll ? .all : .key(key)
    }
    guard case .indexArgument(let index) = step.value else { return step.value }
    fitsOtherArguments = false
    switch try argument(index, at: step.range) {
    case .int(let number): return .index(number)
    case .string(let key): return .key(key)
    case let other:
      throw error(
        .argument,
        "argument $\(index) is an index and must be an int or a string, not \(other.typeName)",
        at: step.range)
    }
  }

  /// The steps that a key-path argument spells.
  private mutating func keyPathSteps(
    _ index: Int, at range: Range<Int>
  ) throws(QueryError) -> [QuerySyntax.Located<QuerySyntax.PathStep>] {
    fitsOtherArguments = false
    guard case .string(let text) = try argument(index, at: range) else {
      throw error(
        .argument, "argument $\(index) is used as a path and must be a string", at: range)
    }
    do throws(QuerySyntax.ArgumentProblem) {
      return try QuerySyntax.Path(spelled: text, byArgument: index, at: range).steps
    } catch { throw self.error(.argument, error.message, at: error.range) }
  }

  func name(of column: Column) -> String {
    "\(schema.table(id: column.table)?.name ?? "?").\(column.name)"
  }

  private func refused(
    _ step: QuerySyntax.Located<QuerySyntax.PathStep>, after column: Column
  ) -> QueryError {
    error(
      .binding,
      "\(source.quoted(step.range)) cannot follow '\(name(of: column))', which is "
        + Self.article(column.layout.description), at: step.range)
  }

  static func article(_ noun: String) -> String {
    guard let first = noun.first else { return noun }
    return ("aeiou".contains(first) ? "an " : "a ") + noun
  }
}
