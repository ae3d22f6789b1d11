internal import AtollObjects
internal import AtollStorage

/// What the terms of an AND say of the first columns of an index of several.
struct TableIndexAccess {
  let index: TableIndex
  let access: IndexAccess
  /// The columns that terms speak of, the first of the index: all but the last have few values.
  let columns: [Column]
  /// Those of them of which the ranges tell all.
  let exactColumns: Set<UInt32>
  /// How many of the first columns have one value in all ranges.
  let fixedCount: Int
}

/// Ways in through indexes of several columns: a few values of the first ones, and values or ranges
/// of the next.
extension Planner {
  /// The way through an index; nil when the terms do not speak of its first column.
  ///
  /// `predicate`: what the terms say of a column.
  func access(
    _ tableIndex: TableIndex, _ predicate: (Column) -> ValuePredicate?
  ) throws -> TableIndexAccess? {
    var columns: [Column] = []
    var exactColumns: Set<UInt32> = []
    var fixedCount = 0
    // The beginnings of the keys of all objects that can pass.
    var prefixes: [[UInt8]] = [[]]
    var ranges: [IndexRange]?
    for column in tableIndex.columns where ranges == nil {
      guard let predicate = predicate(column),
        let (found, isExact) = IndexChoice.ranges(predicate, column),
        prefixes.count * found.count <= rangeLimit(column)
      else { break }
      columns.append(column)
      if isExact { exactColumns.insert(column.id) }
      if found.allSatisfy(\.isSingleValue) {
        prefixes = prefixes.flatMap { prefix in found.map { prefix + $0.lower } }
        if prefixes.count == 1 { fixedCount = columns.count }
      } else {
        ranges = prefixes.flatMap { prefix in found.map { $0.following(prefix) } }
      }
    }
    let isWhole = columns.count == tableIndex.columns.count
    let all = ranges ?? prefixes.map { isWhole ? .equal(to: $0) : IndexRange(prefix: $0) }
    guard !columns.isEmpty, all.allSatisfy(\.isShorterThanListed),
      let index = try execution.source.index(tableIndex)
    else { return nil }
    var count = 0
    for range in all { count += try index.count(range) }
    return TableIndexAccess(
      index: tableIndex,
      access: IndexAccess(listing: .table(tableIndex), index: index, ranges: all, count: count),
      columns: columns, exactColumns: exactColumns, fixedCount: fixedCount)
  }

  /// The objects whose value in a column passes that is the first of an index of several.
  func access(
    first column: Column, _ predicate: ValuePredicate
  ) throws -> (path: AccessPath, isExact: Bool)? {
    guard let index = table.schema.index(leadingWith: column),
      let found = try access(index, { $0.id == column.id ? predicate : nil })
    else { return nil }
    return (.index(found.access), found.exactColumns.contains(column.id))
  }
}

extension TableSchema {
  /// An index of several columns of which this is the first, or a unique one of it alone, which
  /// comes first.
  func index(leadingWith column: Column) -> TableIndex? {
    let leading = indexes.filter { $0.columns.first?.id == column.id }
    return leading.min { $0.columns.count < $1.columns.count }
  }
}

extension IndexRange {
  /// The same range of the values behind `prefix`, which ends a key.
  ///
  /// Keys end themselves, so what follows a key does not move it past a bound of its column.
  fileprivate func following(_ prefix: [UInt8]) -> IndexRange {
    if isSingleValue { return IndexRange(prefix: prefix + lower) }
    return IndexRange(
      lower: prefix + lower, upper: upper.map { prefix + $0 } ?? Self.successor(of: prefix))
  }

  /// Whether a key of which the index lists the beginning lies on the same side of both bounds.
  fileprivate var isShorterThanListed: Bool {
    lower.count < Index.valueByteLimit && upper?.count ?? 0 < Index.valueByteLimit
  }
}
