internal import AtollObjects

/// A projection of an object, of which all properties or some are observed.
struct ProjectionForm<P: ProjectionObservable>: ObservedForm {
  private struct ObservedProperty {
    let shown: ProjectedProperty
    /// The path that it shows.
    let path: ObservedPath
    /// The paths whose changes count: that one, or some that go on from there.
    let observed: [ObservedPath]
    /// What the path ends at; nil where it shows no single value.
    let end: PropertyDescriptor?
  }

  private let properties: [ObservedProperty]

  /// Observes properties of a projection.
  ///
  /// - Parameters:
  ///   - projection: One of the class.
  ///   - row: Its object.
  ///   - keyPaths: Names of properties, which may go on with those of what they show; nil: all. One
  ///     that the projection does not have ends the process.
  init(_ projection: P, _ row: _ManagedRow, _ keyPaths: [String]?) {
    let descriptor = row.access.descriptor
    let all = ProjectedProperties.of(projection)
    var rests: [String: [String]] = [:]
    for keyPath in keyPaths ?? all.map(\.name) {
      let name = String(keyPath.prefix { $0 != "." })
      guard all.contains(where: { $0.name == name }) else {
        Misuse.trap("'\(keyPath)' is no property of '\(P.self)' that can be observed")
      }
      rests[name, default: []].append(String(keyPath.dropFirst(name.count)))
    }
    properties = all.compactMap { property in
      rests[property.name].map { rests in
        ObservedProperty(
          shown: property, path: ObservedPath(property.path, on: descriptor),
          observed: rests.map { ObservedPath(property.path + $0, on: descriptor) },
          end: Self.end(of: property.path, on: descriptor))
      }
    }
  }

  private static func end(of path: String, on root: ClassDescriptor) -> PropertyDescriptor? {
    var descriptor: ClassDescriptor? = root
    var end: PropertyDescriptor?
    for name in path.split(separator: ".") {
      if end?.isSingle == false { return nil }
      end = descriptor?.property(String(name))
      descriptor = end?.targetClass
    }
    return end?.isSingle == true ? end : nil
  }

  func shown(_ row: _ManagedRow) -> P { P(projecting: Freezing.instance(row)) }
  func object(of shown: P) -> ObjectBase { shown.rootObject }

  func changes(
    of shown: P, _ row: _ManagedRow, from old: Snapshot, _ round: DeliveryRound
  ) throws -> [PropertyChange] {
    let difference = round.difference(from: old)
    let table = row.access.table.id
    let isOwn = round.isOwn(since: old)
    return try properties.compactMap { property in
      let isChanged = try property.observed.contains {
        try difference.reached(table, path: $0.steps[...]).contains(row.key)
      }
      guard isChanged else { return nil }
      guard let end = property.end else {
        return PropertyChange(name: property.shown.name, oldValue: nil, newValue: nil)
      }
      let before = isOwn ? nil : try value(property.path.columns, of: row, in: old)
      return PropertyChange(
        name: property.shown.name, oldValue: before.flatMap { end.swiftValue($0, row.context) },
        newValue: property.shown.value(of: shown.rootObject))
    }
  }

  /// The value at the end of a path in a version; nil where that does not have it.
  private func value(
    _ columns: [String], of row: _ManagedRow, in snapshot: Snapshot
  ) throws -> _StoredValue? {
    var object = try snapshot.table(id: row.access.table.id)?.object(row.key)
    for (index, name) in columns.enumerated() {
      guard let current = object, let column = current.table.schema.column(name) else { return nil }
      if index == columns.count - 1 { return try current.value(column) }
      object = try current.linked(column)
    }
    return nil
  }
}

extension PropertyDescriptor {
  /// Whether the property has one value, which objects keep.
  fileprivate var isSingle: Bool { !isCollection && !isComputed }
}
