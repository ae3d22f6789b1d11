internal import AtollObjects

/// An index of several columns that has the objects in the order of a sort.
///
/// Of its columns the first have one value each in all objects that can pass, or there are no such;
/// the others are those that the sort names, in its order and all in one direction. Then objects
/// that the sort does not tell apart have one value in the index, and come by their keys.
struct TableOrder {
  let index: TableIndex
  let isAscending: Bool
  /// At most so many objects are wanted.
  let limit: Int?
  /// The way through the index to what can pass; nil where that is all objects.
  let candidate: Planner.Candidate?

  /// Finds the index that gives the fewest entries; nil when there is none.
  init?(
    _ descriptors: [BoundDescriptor], _ candidates: [Planner.Candidate], _ table: TableSchema
  ) {
    guard !table.indexes.isEmpty, case .sort(let keys) = descriptors.first,
      let isAscending = keys.first?.isAscending,
      keys.allSatisfy({ $0.isAscending == isAscending })
    else { return nil }
    var limit: Int?
    for descriptor in descriptors.dropFirst() {
      guard case .limit(let next) = descriptor else { return nil }
      limit = min(next, limit ?? .max)
    }
    let wanted = keys.compactMap { $0.path.directColumn?.id }
    guard wanted.count == keys.count else { return nil }
    var best: (index: TableIndex, candidate: Planner.Candidate?)?
    for index in table.indexes where index.columns.map(\.id) == wanted { best = (index, nil) }
    for candidate in candidates {
      guard let found = candidate.tableIndex else { continue }
      let fixed = Set(found.index.columns.prefix(found.fixedCount).map(\.id))
      let rest = found.index.columns.dropFirst(found.fixedCount).map(\.id)
      guard rest == wanted.filter({ !fixed.contains($0) }), !rest.isEmpty else { continue }
      if let known = best?.candidate?.tableIndex, known.access.count <= found.access.count {
        continue
      }
      best = (found.index, candidate)
    }
    guard let best else { return nil }
    index = best.index
    candidate = best.candidate
    self.isAscending = isAscending
    self.limit = limit
  }
}
