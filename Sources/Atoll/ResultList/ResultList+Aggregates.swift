internal import AtollObjects
internal import AtollQuery

extension _ResultList {
  /// An aggregate of a property over the objects, or of the values themselves.
  ///
  /// Nulls are left out; of nothing the sum is 0 and the others are null.
  func aggregate(_ function: AggregateFunction, _ property: String?) throws -> _StoredValue {
    noteRead()
    if let descriptor { context.noteRead(.contents, of: descriptor) }
    guard let descriptor else { return try aggregateOfValues(function) }
    guard let property else {
      throw Realm.Error(.invalidInput, "an aggregate over objects needs a property of theirs")
    }
    let name = descriptor.property(property)?.columnName ?? property
    if name.contains(".") {
      throw Realm.Error(
        .invalidInput, "an aggregate takes a property of the class itself, and '\(name)' is a path")
    }
    if isOfWholeClass, !isOutdated {
      return try query().aggregate(function, of: name, in: context.source(of: descriptor))
    }
    let table = try context.source(of: descriptor).table(descriptor.name)
    return try QueryResults(table: table, keys: foundElements().keys)
      .aggregate(function, of: name)
  }

  private func aggregateOfValues(_ function: AggregateFunction) throws -> _StoredValue {
    guard case .property(let place) = origin else { return .null }
    let stored = place.row.access.descriptor.property(at: place.position).form.stored.type
    guard case .values(let values) = try foundElements() else { return .null }
    return try function.checkedResult(stored, of: values)
  }
}

extension AggregateFunction {
  /// The aggregate of values of a type.
  ///
  /// - Throws: `Realm.Error` for a type that has none.
  func checkedResult(_ type: ValueType, of values: [_StoredValue]) throws -> _StoredValue {
    guard type.isNumeric || type == .mixed || type == .date && isExtreme else {
      throw Realm.Error(
        .invalidInput, "values of type \(type.queryName) have no such aggregate")
    }
    return result(type, of: values)
  }

  fileprivate var isExtreme: Bool { self == .minimum || self == .maximum }
}
