internal import AtollObjects
internal import AtollQuery

/// What decides about the elements of a collection: where they come from, which of them pass, and
/// in which order they stand.
///
/// Unlike a `_ResultList` it holds nothing of a realm.
struct ListQuestion: Equatable {
  /// The class of the elements; nil for values.
  private let className: String?
  private let predicate: QuerySyntax.Predicate
  private let descriptors: [QuerySyntax.Descriptor]
  private let arguments: [_StoredValue]
  private let valueSteps: [_ResultList.ValueStep]
  private let origin: Origin

  private indirect enum Origin: Equatable {
    case objects
    /// A property of an object, by the id of its column.
    case property(ObjectLink, UInt32, [ValueStep])
    /// The objects of a class that link to one, by the ids of class and column; nil: the file does
    /// not have them.
    case sources(ObjectLink, Source?)
    case list(ListQuestion)
  }

  private struct Source: Equatable {
    let table: UInt32
    let column: UInt32
  }

  init(_ list: _ResultList) {
    className = list.descriptor?.name
    predicate = list.predicate
    descriptors = list.descriptors
    arguments = list.arguments
    valueSteps = list.valueSteps
    origin =
      switch list.origin {
      case .objects: .objects
      case .list(let list): .list(ListQuestion(list))
      case .property(let place): Self.origin(place, list)
      }
  }

  private static func origin(_ place: _ValuePlace, _ list: _ResultList) -> Origin {
    let (row, position) = (place.row, place.position)
    let property = row.access.descriptor.property(at: position)
    guard property.isComputed else {
      return .property(row.address, row.access.columns[position].id, place.path)
    }
    guard let descriptor = list.descriptor, let access = list.context.access(descriptor),
      let source = property.originName.flatMap({ access.descriptor.property($0) })
    else { return .sources(row.address, nil) }
    let column = access.columns[source.position].id
    return .sources(row.address, Source(table: access.table.id, column: column))
  }
}

extension ListQuestion {
  /// What decides which elements there are, and in which order, apart from where they come from.
  ///
  /// - Throws: `Realm.Error` of a collection of values; `QueryError` where the schema does not have
  ///   the class, or a property.
  func dependencies(in schema: AtollObjects.Schema) throws -> QueryDependencies {
    guard let className else { throw _ResultList.hasNoObjects }
    return try AtollQuery.Query(
      QuerySyntax.Request(predicate, descriptors: descriptors), on: className, in: schema,
      arguments: arguments
    ).dependencies
  }
}

extension ListQuestion: TrackedQuestion {
  func isSame(as other: any TrackedQuestion) -> Bool { other as? ListQuestion == self }

  func mayHaveOtherElements(_ difference: VersionDifference) throws -> Bool {
    let schema = difference.new.schema
    if className != nil, predicate != .true || !descriptors.isEmpty {
      // A version that does not have the class, or a property, cannot be asked; the search can.
      guard let dependencies = try? dependencies(in: schema) else { return true }
      if try dependencies.areTouched(by: difference) { return true }
    }
    switch origin {
    case .objects:
      guard let table = className.flatMap({ schema.table($0) }) else {
        return !difference.isOfOneSchema
      }
      return try difference.table(table.id).hasOtherMembers
    case .property(let owner, let column, _):
      let changes = try difference.table(owner.table)
      return changes.isTouched(ObjectKey(rawValue: owner.key), column)
    case .sources(let owner, let source):
      guard let source else { return !difference.isOfOneSchema }
      let changes = try difference.table(source.table)
      if changes.hasOtherMembers { return true }
      if changes.modified.contains(where: { $0.value.contains(source.column) }) { return true }
      return try difference.table(owner.table).deleted.contains(ObjectKey(rawValue: owner.key))
    case .list(let question): return try question.mayHaveOtherElements(difference)
    }
  }
}

extension _ResultList: TrackedList {
  var trackedQuestion: any TrackedQuestion { ListQuestion(self) }
}

extension TableDifference {
  fileprivate var hasOtherMembers: Bool { !inserted.isEmpty || !deleted.isEmpty }
}
