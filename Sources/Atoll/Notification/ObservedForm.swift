internal import AtollObjects

/// What observers of an object are shown, and which of its changes they are told of.
protocol ObservedForm {
  /// The object, or a view of it.
  associatedtype Shown

  /// Makes another instance of what is shown.
  func shown(_ row: _ManagedRow) -> Shown

  /// The object that an instance shows.
  func object(of shown: Shown) -> ObjectBase

  /// Finds what has changed since a version.
  ///
  /// - Parameters:
  ///   - shown: What shows the object now.
  ///   - row: The object.
  ///   - old: The version.
  ///   - round: What is known of the versions since then.
  /// - Returns: The properties that have changed.
  /// - Throws: What reading the file throws.
  func changes(
    of shown: Shown, _ row: _ManagedRow, from old: Snapshot, _ round: DeliveryRound
  ) throws -> [PropertyChange]
}

/// The object itself, of which all properties or some are observed.
struct ObjectForm<T: ObjectBase>: ObservedForm {
  /// Nil: all properties that the object holds.
  private let keyPaths: [ObservedPath]?

  init(_ row: _ManagedRow, _ keyPaths: [String]?) {
    // The block may be one for objects of any class.
    let descriptor = row.access.descriptor
    self.keyPaths = keyPaths.map { $0.map { ObservedPath($0, on: descriptor) } }
  }

  func shown(_ row: _ManagedRow) -> T { Freezing.instance(row) }
  func object(of shown: T) -> ObjectBase { shown }

  func changes(
    of shown: T, _ row: _ManagedRow, from old: Snapshot, _ round: DeliveryRound
  ) throws -> [PropertyChange] {
    let difference = round.difference(from: old)
    let table = row.access.table
    let own = round.isOwn(since: old)
    let changed = try changedSteps(row, difference, table)
    let before = own ? nil : try old.table(id: table.id)?.object(row.key)
    return try row.access.descriptor.properties.compactMap { property in
      guard changed.contains(ObservedPath(property.name, on: row.access.descriptor).steps[0]) else {
        return nil
      }
      guard !property.isCollection, !property.isComputed,
        let column = table.column(property.columnName)
      else { return PropertyChange(name: property.name, oldValue: nil, newValue: nil) }
      return PropertyChange(
        name: property.name,
        oldValue: try before.flatMap { property.swiftValue(try $0.value(column), row.context) },
        newValue: AnyBridge.unwrapped(
          property.storage.value(of: shown, position: property.position)))
    }
  }

  /// The properties of the object that changed, or from which a path leads to a change.
  private func changedSteps(
    _ row: _ManagedRow, _ difference: VersionDifference, _ table: TableSchema
  ) throws -> Set<VersionDifference.PathStep> {
    guard let keyPaths else {
      let columns = try difference.table(table.id).modified[row.key] ?? []
      return Set(
        table.columns.lazy.filter { columns.contains($0.id) }.map { .property($0.name) })
    }
    var steps: Set<VersionDifference.PathStep> = []
    for path in keyPaths
    where try difference.reached(table.id, path: path.steps[...]).contains(row.key) {
      steps.insert(path.steps[0])
    }
    return steps
  }
}
