internal import AtollObjects
public import AtollQuery

/// How a query was run, and what it cost; `print` shows it as a tree.
public typealias QueryPlan = AtollQuery.QueryPlan

extension _ResultList {
  /// How the elements are found now.
  ///
  /// - Throws: `QueryError` for a query that cannot be asked; `Realm.Error` for a collection of
  ///   values; what the file fails with.
  func plan() throws -> QueryPlan {
    context.checkConfinement()
    guard let descriptor else { throw Self.hasNoObjects }
    let source = context.source(of: descriptor)
    guard !isOutdated, source.schema.table(descriptor.name) != nil else {
      return QueryPlan(
        QueryPlan.Step(text: "the realm has no objects of '\(descriptor.name)'", rowCount: 0),
        count: 0)
    }
    if isOfWholeClass { return try query().explain(in: source) }
    return try planOfCollection(descriptor, source)
  }

  /// The plan of elements of a collection: they are found there, tested by a query of the class, and
  /// then sorted one by one.
  private func planOfCollection(
    _ descriptor: ClassDescriptor, _ source: any TreeSource
  ) throws -> QueryPlan {
    let count = try foundElements().count
    var plan = try planOfOrigin()
    if predicate != .true {
      let test = try query().explain(in: source)
      plan.indexes += test.indexes
      plan.testedRowCount += test.testedRowCount
      plan.leavesRead += test.leavesRead
      plan.leavesSkipped += test.leavesSkipped
      plan.root = QueryPlan.Step(
        text: "those of the collection that the query finds", parts: [plan.root, test.root])
      if descriptors.isEmpty { plan.root.rowCount = count }
    }
    for step in descriptors {
      let text = QuerySyntax.Request(.true, descriptors: [step]).description
      plan.root = QueryPlan.Step(
        text: text.replacing("TRUEPREDICATE ", with: ""), parts: [plan.root])
    }
    if !descriptors.isEmpty { plan.root.rowCount = count }
    plan.matchingRowCount = count
    plan.resultCount = count
    return plan
  }

  private func planOfOrigin() throws -> QueryPlan {
    switch origin {
    case .objects: return QueryPlan(QueryPlan.Step(text: "no collection"), count: 0)
    case .list(let list): return try list.plan()
    case .property(let place):
      let owner = place.row.access.descriptor
      let name = "'\(owner.name).\(owner.property(at: place.position).name)'"
      let count = try _ResultList(context, descriptor, from: origin).foundElements().count
      return QueryPlan(
        QueryPlan.Step(text: "collection \(name) of one object", rowCount: count), count: count)
    }
  }
}
