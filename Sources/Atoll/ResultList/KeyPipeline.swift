internal import AtollObjects
internal import AtollQuery

/// Sorts, thins out and cuts chosen objects of one class: the elements of a collection, which a
/// query of the whole class knows nothing of.
///
/// Cost: a lookup of each object for each key.
struct KeyPipeline {
  private let source: any TreeSource
  private let table: TableSchema

  init(_ source: any TreeSource, _ table: TableSchema) {
    self.source = source
    self.table = table
  }

  func apply(
    _ descriptors: [QuerySyntax.Descriptor], to keys: [ObjectKey]
  ) throws -> [ObjectKey] {
    var keys = keys
    for descriptor in descriptors {
      switch descriptor {
      case .sort(let sortKeys): keys = try sorted(keys, by: sortKeys)
      case .distinct(let paths): keys = try distinct(keys, by: paths)
      case .limit(let count): keys = Array(keys.prefix(Int(clamping: count)))
      }
    }
    return keys
  }

  /// The value at the end of a path; nil where a link on the way is null.
  private func value(_ path: QuerySyntax.Path, of key: ObjectKey) throws -> _StoredValue? {
    var object = try source.table(id: table.id)?.object(key)
    for (index, step) in path.steps.enumerated() {
      guard case .property(let name) = step.value else { return nil }
      guard let current = object else { return nil }
      let column = try current.table.column(name)
      if index == path.steps.count - 1 { return try current.value(column) }
      object = try current.linked(column)
    }
    return nil
  }

  private func sorted(
    _ keys: [ObjectKey], by sortKeys: [QuerySyntax.SortKey]
  ) throws -> [ObjectKey] {
    let rows = try keys.map { key in
      (key: key, values: try sortKeys.map { try value($0.path, of: key) })
    }
    return rows.stablySorted { a, b in
      for (index, sortKey) in sortKeys.enumerated() {
        switch Self.order(a.values[index], b.values[index]) {
        case .equal: continue
        case .less: return sortKey.isAscending
        case .greater: return !sortKey.isAscending
        }
      }
      return false
    }.map(\.key)
  }

  /// The order of two values: what lies behind a null link comes last.
  private static func order(_ a: _StoredValue?, _ b: _StoredValue?) -> Ordering {
    switch (a, b) {
    case (nil, nil): .equal
    case (nil, _): .greater
    case (_, nil): .less
    case (let a?, let b?): _StoredValue.sortOrder(a, b)
    }
  }

  /// The first object of each combination of values; those behind a null link are left out.
  private func distinct(_ keys: [ObjectKey], by paths: [QuerySyntax.Path]) throws -> [ObjectKey] {
    var seen: Set<[_StoredValue]> = []
    return try keys.filter { key in
      var values: [_StoredValue] = []
      for path in paths {
        guard let value = try value(path, of: key) else { return false }
        values.append(value)
      }
      return seen.insert(values).inserted
    }
  }
}
