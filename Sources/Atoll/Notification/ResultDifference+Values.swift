internal import AtollObjects
internal import AtollQuery

extension ResultDifference {
  /// Compares sets of values, each in an order that does not depend on the other members.
  ///
  /// A member is there or not: one is never another than before. `modified`: the places in the old
  /// set of those that lead to an object that was changed.
  init(fromSet old: [_StoredValue], to new: [_StoredValue], modified: Set<Int> = []) {
    let (oldMembers, newMembers) = (Set(old), Set(new))
    self.init(
      deletions: old.indices.filter { !newMembers.contains(old[$0]) },
      insertions: new.indices.filter { !oldMembers.contains(new[$0]) },
      modifications: modified.filter { newMembers.contains(old[$0]) }.sorted())
  }

  /// Compares lists of values: one that was replaced in its place is a modification.
  ///
  /// `modified`: the places in the old list of those that lead to an object that was changed.
  init(from old: [_StoredValue], to new: [_StoredValue], modified: Set<Int> = []) {
    let prefix = zip(old, new).prefix(while: _StoredValue.isIdentical).count
    let rest = min(old.count, new.count) - prefix
    let suffix = zip(old.reversed(), new.reversed()).prefix(rest)
      .prefix(while: _StoredValue.isIdentical).count
    let oldRange = prefix..<old.count - suffix
    let newRange = prefix..<new.count - suffix
    if oldRange.count == newRange.count {
      let replaced = oldRange.filter { !_StoredValue.isIdentical(old[$0], new[$0]) }
      self.init(
        modifications: modified.isEmpty ? replaced : modified.union(replaced).sorted())
    } else {
      self.init(
        deletions: Array(oldRange), insertions: Array(newRange),
        modifications: modified.filter { !oldRange.contains($0) }.sorted())
    }
  }
}
