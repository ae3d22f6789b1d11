internal import AtollObjects

/// An expression whose constants are known, evaluated for one object at a time.
///
/// Serves the tests that no vector scan answers, and is the measure for the others.
indirect enum RowExpression {
  case values([Value])
  case path(BoundPath)
  case count(BoundCount)
  case aggregate(BoundAggregate)
  case subquery(BoundPath, ObjectSet)
  case arithmetic(RowExpression, [(QuerySyntax.ArithmeticFunction, RowExpression)])
  case typeName(BoundPath)
}

/// Computes the values of expressions.
///
/// An expression gives groups of values. Mostly it is one group; a collection behind a collection
/// of links has one for each object reached, and a test holds when it holds for one of them.
struct RowEvaluator {
  let execution: Execution
  /// Whether an object at the end of a path comes once for each way to it, in the order of the
  /// ways, as lists need it that are compared position by position; else once, with the number of
  /// ways.
  var keepsWays = false

  typealias Group = [Value]

  func groups(_ expression: RowExpression, _ row: RowPlace) throws -> [Group] {
    switch expression {
    case .values(let values): return [values]
    case .path(let path): return try groups(path, row)
    case .count(let count): return [try counts(count, row)]
    case .aggregate(let aggregate): return [try aggregates(aggregate, row)]
    case .subquery(let path, let set):
      var passingCount = 0
      for (object, count) in try objects(path, row) ?? [] where try set.contains(object.key) {
        passingCount = Self.sum(passingCount, count)
      }
      return [[.int(Int64(passingCount))]]
    case .arithmetic(let first, let rest):
      var result = try groups(first, row)
      for (function, operand) in rest {
        let other = try groups(operand, row)
        result = result.flatMap { left in
          other.map { right in
            left.flatMap { a in right.map { b in ValueArithmetic.apply(function, a, b) } }
          }
        }
      }
      return result
    case .typeName(let path):
      return try groups(path, row).map { $0.map { .string(TypeNames.name(of: $0)) } }
    }
  }

  // MARK: Paths

  /// The objects at the end of a path's hops, each with the number of ways that lead to it; nil
  /// when a link on the way is null and stands for null.
  ///
  /// Each object of a step is looked at once: the ways multiply from step to step. Where ways are
  /// kept, each is an entry of its own.
  func objects(
    _ path: BoundPath, _ row: RowPlace
  ) throws -> [(place: RowPlace, wayCount: Int)]? {
    let dropsNulls = path.dropsNulls
    var current = [(place: row, wayCount: 1)]
    for hop in path.hops {
      var next: [(place: RowPlace, wayCount: Int)] = []
      var indexByKey: [UInt64: Int] = [:]
      let target = try execution.table(hop.target)
      for (place, wayCount) in current {
        let keys = try targets(hop, place)
        let isOnlyOne = current.count == 1 && keys.count == 1
        for key in keys {
          if let index = isOnlyOne ? nil : indexByKey[key] {
            if keepsWays {
              if next.count < QueryLimits.listWays { next.append(next[index]) }
            } else {
              next[index].wayCount = Self.sum(next[index].wayCount, wayCount)
            }
          } else if let found = try target.locate(key) {
            if !isOnlyOne { indexByKey[key] = next.count }
            next.append((found, wayCount))
          }
        }
      }
      if next.isEmpty { return dropsNulls ? [] : nil }
      current = next
    }
    return current
  }

  /// The sum of two counts of ways, or the greatest number.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }

  /// The keys of the objects that a hop leads to.
  func targets(_ hop: BoundPath.Hop, _ row: RowPlace) throws -> [UInt64] {
    switch hop {
    case .link(let column): return Self.keys(try row.value(column))
    case .mapEntry(let column, let key):
      return try row.value(column, mapKey: key.text).map { Self.keys($0) } ?? []
    case .element(let column, let position):
      guard case .list(let elements) = try row.value(column),
        let offset = position.offset(in: elements.count)
      else { return [] }
      return Self.keys(elements[offset])
    case .links(let column): return Self.keys(try row.value(column))
    case .backlinks(let column): return try execution.incomingLinks(column).sources(of: row.key)
    }
  }

  static func keys(_ value: Value) -> [UInt64] {
    switch value {
    case .link(let link): [link.key]
    case .list(let elements), .set(let elements): elements.flatMap { keys($0) }
    case .map(let map): map.entries.flatMap { keys($0.value) }
    default: []
    }
  }

  func groups(_ path: BoundPath, _ row: RowPlace) throws -> [Group] {
    guard let objects = try objects(path, row) else {
      return path.endsInCollection ? [[]] : [[.null]]
    }
    guard path.dropsNulls else { return try terminalGroups(path, objects[0].place) }
    // How often a value comes matters only where each way is an entry.
    var groups: [Group] = []
    for (object, _) in objects { groups += try terminalGroups(path, object) }
    if path.hasGroups { return groups.isEmpty ? [[]] : groups }
    var values = groups.flatMap { $0 }
    // Behind a collection a null link is no value.
    if path.endsInLink { values.removeAll(where: \.isNull) }
    return [values]
  }

  /// The groups at the end of a path, for one object there.
  private func terminalGroups(_ path: BoundPath, _ object: RowPlace) throws -> [Group] {
    switch path.terminal {
    case .object:
      return [[.link(ObjectLink(table: path.lastTable, key: object.key))]]
    case .value(let column, let steps):
      if column.layout.collection == .map, case .key(let key)? = steps.first {
        guard let found = try object.value(column, mapKey: key.text) else {
          return steps.count == 1 ? [[.null]] : [[]]
        }
        let groups = Self.descend(found, steps.dropFirst())
        return groups.isEmpty ? [[]] : groups
      }
      let value = try object.value(column)
      if steps.isEmpty {
        return [column.layout.collection == .none ? [value] : value.elements]
      }
      let groups = Self.descend(value, steps[...])
      return groups.isEmpty ? [[]] : groups
    case .keys(let column):
      guard case .map(let map) = try object.value(column) else { return [[]] }
      return [map.entries.map { .string($0.key) }]
    case .elementLengths(let column):
      let isMixed = column.layout.value == .mixed
      return [
        try object.value(column).elements.compactMap { element in
          let length = Self.byteCount(element)
          return length.isNull ? (isMixed ? nil : .int(0)) : length
        }
      ]
    }
  }

  /// The values that steps lead to inside a value; a group for each inner collection.
  static func descend(_ value: Value, _ steps: ArraySlice<BoundPath.ValueStep>) -> [Group] {
    guard let step = steps.first else { return [[value]] }
    let rest = steps.dropFirst()
    switch (step, value) {
    case (.all, .list), (.all, .set), (.all, .map):
      let elements = value.elements
      if rest.isEmpty { return [elements] }
      return elements.flatMap { descend($0, rest) }
    case (.position(let position), .list(let elements)):
      guard let offset = position.offset(in: elements.count) else { return [[]] }
      return descend(elements[offset], rest)
    case (.key(let key), .map(let map)):
      guard let found = map[key.text] else { return rest.isEmpty ? [[.null]] : [[]] }
      return descend(found, rest)
    case (.keys, .map(let map)) where rest.isEmpty:
      return [map.entries.map { .string($0.key) }]
    default: return [[]]
    }
  }

  // MARK: Counts

  /// The bytes of a string or of data, as a value; null for everything else.
  static func byteCount(_ value: Value) -> Value {
    switch value {
    case .string(let text): .int(Int64(text.utf8.count))
    case .data(let bytes): .int(Int64(bytes.count))
    default: .null
    }
  }

  /// The size of a value of any type: of a collection its elements; null for what has none.
  static func size(_ value: Value) -> Value {
    switch value {
    case .list(let elements), .set(let elements): .int(Int64(elements.count))
    case .map(let map): .int(Int64(map.count))
    default: byteCount(value)
    }
  }

  private func counts(_ count: BoundCount, _ row: RowPlace) throws -> Group {
    let objects = try objects(count.base, row)
    if case .incoming(let columns) = count.counted {
      var sum = 0
      for (object, wayCount) in objects ?? [] {
        for column in columns {
          let count = try execution.incomingLinks(column).count(of: object.key)
          let (product, isTooLarge) = count.multipliedReportingOverflow(by: wayCount)
          sum = Self.sum(sum, isTooLarge ? .max : product)
        }
      }
      return [.int(Int64(sum))]
    }
    guard let objects else {
      switch count.counted {
      case .bytes, .nested: return [.null]
      default: return [.int(0)]
      }
    }
    return try objects.flatMap { try self.count(count.counted, $0.place) }
  }

  private func count(_ counted: BoundCount.Counted, _ row: RowPlace) throws -> Group {
    switch counted {
    case .link(let column): return [.int(try row.value(column).isNull ? 0 : 1)]
    case .mapEntry(let column, let key):
      return [.int(Int64(try targets(.mapEntry(column, key: key), row).count))]
    case .element(let column, let position):
      return [.int(Int64(try targets(.element(column, position), row).count))]
    case .collection(let column):
      let view = try row.leaf.column(column)
      if let count = view.elementCount(row.row) { return [.int(Int64(count))] }
      return [Self.size(try view.value(row.row))]
    case .backlinks(let column):
      return [.int(Int64(try execution.incomingLinks(column).count(of: row.key)))]
    case .incoming: return []
    case .bytes(let column): return [Self.byteCount(try row.value(column))]
    case .nested(let column, let steps):
      let value = try row.value(column)
      if steps.isEmpty { return [Self.size(value)] }
      if steps.last == .all {
        return Self.descend(value, steps[...]).map { .int(Int64($0.count)) }
      }
      return Self.descend(value, steps[...]).flatMap { $0.map { Self.size($0) } }
    }
  }

  // MARK: Aggregates

  private func aggregates(_ aggregate: BoundAggregate, _ row: RowPlace) throws -> Group {
    guard let objects = try objects(aggregate.base, row) else {
      return [Aggregation.result(aggregate.function, aggregate.type, of: [])]
    }
    return try objects.map { object, _ in
      let values: [Value]
      switch aggregate.source {
      case .elements(let column, let steps):
        let value = try object.value(column)
        values =
          steps.isEmpty
          ? value.elements
          : Self.descend(value, steps[...]).flatMap { $0 }.flatMap { element in
            switch element {
            case .list, .set, .map: element.elements
            default: [element]
            }
          }
      case .property(let column, let hop):
        let table = try execution.table(hop.target)
        values = try targets(hop, object).compactMap { key in
          try table.locate(key)?.value(column)
        }
      }
      return Aggregation.result(aggregate.function, aggregate.type, of: values)
    }
  }
}

extension BoundPath {
  /// Whether the values at the end are links.
  var endsInLink: Bool {
    switch terminal {
    case .object: true
    case .value(let column, _): column.layout.value == .link
    case .keys, .elementLengths: false
    }
  }
}
