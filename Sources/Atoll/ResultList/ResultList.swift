internal import AtollObjects
internal import AtollQuery
internal import Synchronization

/// The elements of a collection, found when they are asked for and again when the realm has
/// changed.
///
/// `Results`, lists and linking objects all stand on one: it knows where the elements come from,
/// what they are filtered by and how they are ordered. Belongs to its realm, and to whatever that
/// is confined to; one of a frozen realm may be used by several threads.
public final class _ResultList {
  /// Where the elements come from, before anything is done to them.
  enum Origin {
    /// All objects of the class.
    case objects
    /// A collection that a property of an object holds, or links that are followed backwards.
    case property(_ValuePlace)
    /// Those of another list, in its order.
    case list(_ResultList)
  }

  let context: _RealmContext
  /// The name under which the query was subscribed to; nil inside for none, outside for never.
  var subscriptionName: String??
  /// The class of the elements; nil for values.
  let descriptor: ClassDescriptor?
  let origin: Origin
  let predicate: QuerySyntax.Predicate
  /// In the order in which they are applied.
  let descriptors: [QuerySyntax.Descriptor]
  let arguments: [_StoredValue]
  /// Whether nothing is done to objects.
  let isUnfiltered: Bool
  /// What is done to values.
  let valueSteps: [ValueStep]

  enum ValueStep: Hashable {
    case sort(isAscending: Bool)
    case distinct
    case filter(ValueFilter)
  }

  /// What changes make the elements others.
  private enum Dependence {
    /// That objects are made or deleted.
    case membership
    /// That links or collections change as well.
    case links
    /// That properties of objects are set which the query reads.
    case properties
    case values
  }

  private let dependence: Dependence
  /// The realm's count of invalidations when the list was made.
  private let epoch: UInt32

  init(
    _ context: _RealmContext, _ descriptor: ClassDescriptor?, from origin: Origin,
    predicate: QuerySyntax.Predicate = .true, descriptors: [QuerySyntax.Descriptor] = [],
    arguments: [_StoredValue] = [], valueSteps: [ValueStep] = []
  ) {
    self.context = context
    self.descriptor = descriptor
    self.origin = origin
    self.predicate = predicate
    self.descriptors = descriptors
    self.arguments = arguments
    self.valueSteps = valueSteps
    epoch = context.epoch
    isUnfiltered = predicate == .true && descriptors.isEmpty
    dependence =
      switch origin {
      case .objects where isUnfiltered: .membership
      case .property where isUnfiltered: .links
      default: descriptor == nil ? .values : .properties
      }
  }

  // MARK: What was found

  /// What is known of one state of the realm.
  private struct Found {
    var stateNumber: UInt64
    /// The realm's count of all changes.
    var changes: UInt64
    var elements: Elements?
    var count: Int?
  }

  private var found: Found?
  /// How many elements there were when they were looked for last, also where that is not kept; and
  /// the realm's count of all changes then.
  private var given: (changes: UInt64, count: Int)?
  /// The number under which it was noted that the elements were asked for.
  var trackedNumber: Int?
  /// How often the elements, or their number, were looked for.
  private(set) var searchCount = 0
  private var readColumns: (columns: [ChangeCounts.ColumnID], schema: AtollObjects.Schema)?
  /// Has a lock of its own: a query of a frozen list is also run without the one below.
  private let boundQuery = Mutex<(query: AtollQuery.Query, schema: AtollObjects.Schema)?>(nil)
  /// Held while a list of a frozen realm is asked, which several threads may do.
  private let lock = Mutex(())

  /// The realm's count of the changes that the elements depend on.
  private var stateNumber: UInt64 {
    switch dependence {
    case .membership: context.counts.members
    case .links, .properties: context.counts.links
    case .values: context.counts.all
    }
  }

  /// What was found, if it is what would be found now.
  private var current: Found? {
    guard let found, found.stateNumber == stateNumber else { return nil }
    guard dependence == .properties, found.changes != context.counts.all else {
      return found
    }
    // Where it is not known what the query reads, the search says why.
    guard let columns = try? columnsRead() else { return nil }
    return context.counts.isSet(columns, after: found.changes) ? nil : found
  }

  /// Keeps what was found since the number of failures was `failureCount`, unless there was one.
  private func keep(_ elements: Elements?, count: Int, since failureCount: Int) {
    searchCount += 1
    given = (context.counts.all, count)
    guard context.isSound(since: failureCount) else { return }
    found = Found(
      stateNumber: stateNumber, changes: context.counts.all, elements: elements,
      count: count)
  }

  /// Takes over elements that were found otherwise for the present state of the realm.
  func adopt(_ elements: Elements) {
    found = Found(
      stateNumber: stateNumber, changes: context.counts.all, elements: elements,
      count: elements.count)
  }

  /// The elements in the present state of the realm; when the file fails, nothing, as often as
  /// there were elements if that was asked before: a loop over fewer would end the process.
  var elements: Elements {
    context.reading(Self.cannotBeAnswered, or: unknownElements) { try foundElements() }
  }

  /// As `elements`; throws where the file fails.
  func foundElements() throws -> Elements {
    noteRead()
    return try exclusively {
      Result {
        if let elements = current?.elements { return elements }
        let failureCount = context.failureCount
        let elements = try evaluated()
        keep(elements, count: elements.count, since: failureCount)
        return elements
      }
    }.get()
  }

  /// Takes note that the elements were asked for in a block of `withObservationTracking`.
  func noteRead() {
    context.checkConfinement()
    if context.isTracking { context.noteRead(self) }
  }

  /// The number of elements, without finding them where that is possible.
  var count: Int {
    noteRead()
    // No lock is held when a failure is told.
    let count = exclusively {
      Result {
        if let count = current?.count { return count }
        let failureCount = context.failureCount
        let count = try counted()
        keep(nil, count: count, since: failureCount)
        return count
      }
    }
    return context.reading(Self.cannotBeAnswered, or: 0) { try count.get() }
  }

  /// The first element as a stored value, without finding the others where that is possible.
  var first: _StoredValue? {
    noteRead()
    let first = exclusively {
      Result { () throws -> _StoredValue? in
        if let elements = current?.elements { return elements.first }
        return try evaluated(limit: 1).first
      }
    }
    return context.reading(Self.cannotBeAnswered, or: nil) { try first.get() }
  }

  private var unknownElements: Elements {
    let count = exclusively {
      if let given, given.changes == context.counts.all { return given.count }
      return current?.count ?? 0
    }
    return .values(Array(repeating: .null, count: count))
  }

  private static let cannotBeAnswered = "the query cannot be answered"

  private func exclusively<Result>(_ body: () -> Result) -> Result {
    context.checkConfinement()
    guard context.isFrozen else { return body() }
    return lock.withLock { _ in body() }
  }

  // MARK: Queries

  /// The query of the predicate and the descriptors, bound to the present schema.
  func query() throws -> AtollQuery.Query {
    guard let descriptor else { throw Self.hasNoObjects }
    let schema = context.source(of: descriptor).schema
    let bound = boundQuery.withLock { $0 }
    if let bound, bound.schema === schema { return bound.query }
    // Elements of a collection are ordered here and not by the query, which has no place for them.
    let request =
      isOfWholeClass
      ? QuerySyntax.Request(predicate, descriptors: descriptors) : QuerySyntax.Request(predicate)
    let query = try AtollQuery.Query(
      request, on: descriptor.name, in: schema, arguments: arguments)
    boundQuery.withLock { $0 = (query, schema) }
    return query
  }

  /// Whether an object is an element or not by itself and what it leads to, whatever other objects
  /// there are.
  func isByObject() throws -> Bool {
    guard descriptors.isEmpty else { return false }
    return try !query().dependencies.links.contains(where: \.isBackward)
  }

  /// The properties whose values decide which elements there are, and in which order.
  private func columnsRead() throws -> [ChangeCounts.ColumnID] {
    guard let descriptor else { return [] }
    let failureCount = context.failureCount
    let schema = context.source(of: descriptor).schema
    if let readColumns, readColumns.schema === schema { return readColumns.columns }
    let columns = try columnsRead(in: schema)
    if context.isSound(since: failureCount) { readColumns = (columns, schema) }
    return columns
  }

  private func columnsRead(in schema: AtollObjects.Schema) throws -> [ChangeCounts.ColumnID] {
    var columns: [ChangeCounts.ColumnID] = []
    for (name, properties) in try ListQuestion(self).dependencies(in: schema).properties {
      guard let table = schema.table(name.text) else { continue }
      columns += properties.compactMap { table.column($0.text) }.map(ChangeCounts.ColumnID.init)
    }
    if case .list(let list) = origin { columns += try list.columnsRead() }
    return columns
  }

  static var hasNoObjects: Realm.Error {
    Realm.Error(.invalidInput, "a collection of values has no properties to ask for")
  }

  var isOfWholeClass: Bool {
    if case .objects = origin { true } else { false }
  }

  /// Whether the elements are those of a set, of which each is there once.
  var isOfSet: Bool {
    guard case .property(let place) = origin else { return false }
    return place.row.access.descriptor.property(at: place.position).form.kind == .set
  }

  var isWholeClass: Bool { isOfWholeClass && isUnfiltered }

  /// Finds out whether a query in text form can be asked of the objects.
  func check(
    _ request: QuerySyntax.Request, _ text: String, _ arguments: [_StoredValue]
  ) throws {
    guard let descriptor else { throw Self.hasNoObjects }
    guard request.grouping == nil else {
      throw Realm.Error(.invalidInput, "GROUP gives rows of values, and no objects")
    }
    _ = try AtollQuery.Query(
      request, text: text, on: descriptor.name,
      in: context.source(of: descriptor).schema, arguments: arguments)
  }

  /// The number of the first argument of a query that is asked of these elements.
  var argumentOffset: Int {
    descriptors.contains(where: \.leavesOut) ? 0 : arguments.count
  }

  /// Finds out whether the query can be asked at all.
  func check() throws {
    _ = try query()
    for step in descriptors where !isOfWholeClass {
      guard let descriptor else { continue }
      let request = QuerySyntax.Request(.true, descriptors: [step])
      _ = try AtollQuery.Query(
        request, on: descriptor.name, in: context.source(of: descriptor).schema,
        arguments: [])
    }
  }

  // MARK: Lists made of this one

  /// The elements that pass a predicate.
  func filtered(
    _ other: QuerySyntax.Predicate, arguments others: [_StoredValue],
    then steps: [QuerySyntax.Descriptor] = []
  ) -> _ResultList {
    // What was cut off or left out as a duplicate does not come back.
    if descriptors.contains(where: \.leavesOut) {
      return _ResultList(
        context, descriptor, from: .list(self), predicate: other, descriptors: steps,
        arguments: others)
    }
    return _ResultList(
      context, descriptor, from: origin,
      predicate: .all(of: [predicate, other].filter { $0 != .true }),
      descriptors: descriptors + steps, arguments: arguments + others)
  }

  /// The elements after one more step.
  func appending(_ step: QuerySyntax.Descriptor) -> _ResultList {
    _ResultList(
      context, descriptor, from: origin, predicate: predicate, descriptors: descriptors + [step],
      arguments: arguments)
  }

  func appending(_ step: ValueStep) -> _ResultList {
    _ResultList(
      context, nil, from: origin, predicate: predicate, valueSteps: valueSteps + [step])
  }

  /// The same question to another realm of the same file: frozen, or live again; nil where the
  /// object does not exist whose collection it is.
  func inContext(_ other: _RealmContext) -> _ResultList? {
    inContext(other) { $0.moved(to: other) }
  }

  /// As `inContext`; of a collection that is not known there, the elements are none.
  func frozen() -> _ResultList? {
    let other = context.frozen()
    if let frozen = inContext(other) { return frozen }
    context.refuseNoVersion()
    return inContext(other) { place in
      place.of(_ManagedRow(unreadable: place.row.access.descriptor, context: other))
    }
  }

  private func inContext(
    _ other: _RealmContext, _ move: (_ValuePlace) -> _ValuePlace?
  ) -> _ResultList? {
    if other === context { return self }
    let origin: Origin
    switch self.origin {
    case .objects: origin = .objects
    case .property(let place):
      guard let moved = move(place) else { return nil }
      origin = .property(moved)
    case .list(let list):
      guard let moved = list.inContext(other, move) else { return nil }
      origin = .list(moved)
    }
    return _ResultList(
      other, descriptor.map { other.access($0)?.descriptor ?? $0 }, from: origin,
      predicate: predicate, descriptors: descriptors,
      arguments: arguments, valueSteps: valueSteps)
  }

  /// Whether the realm was invalidated since the list was made.
  var isOutdated: Bool { epoch != context.epoch }

  /// Whether the elements can no longer be asked for: there are none then.
  var isInvalidated: Bool {
    if isOutdated { return true }
    return switch origin {
    case .objects: false
    case .property(let place): !place.isThere
    case .list(let list): list.isInvalidated
    }
  }

  private func isOfClass(of other: _ResultList) -> Bool {
    guard let descriptor, let otherDescriptor = other.descriptor else {
      return descriptor == nil && other.descriptor == nil
    }
    return descriptor.isSame(as: otherDescriptor)
  }

  /// Whether both ask the same of the same.
  func isSame(as other: _ResultList) -> Bool {
    if self === other { return true }
    guard context === other.context || context.isSameVersion(as: other.context),
      isOfClass(of: other), predicate == other.predicate, descriptors == other.descriptors,
      arguments == other.arguments, valueSteps == other.valueSteps
    else { return false }
    switch (origin, other.origin) {
    case (.objects, .objects): return true
    case (.property(let place), .property(let otherPlace)): return place.isSame(as: otherPlace)
    case (.list(let list), .list(let otherList)): return list.isSame(as: otherList)
    default: return false
    }
  }
}

extension QuerySyntax.Descriptor {
  /// Whether fewer elements come out than go in.
  var leavesOut: Bool {
    if case .sort = self { false } else { true }
  }
}
