internal import AtollObjects
internal import AtollQuery

extension ResultDifference {
  /// Compares sets of values, each in an order that does not depend on the other members.
  ///
  /// A member is there or not; one that equals another and is of another type, as 1.0 does 1, goes and
  /// comes. `modified`: the places in the old set of those that lead to an object that was changed.
  init(fromSet old: [_StoredValue], to new: [_StoredValue], modified: Set<Int> = []) {
    func others(_ members: [_StoredValue], than known: [_StoredValue]) -> [Int] {
      let known = Set(known)
      return members.indices.filter { index in
        guard let place = known.firstIndex(of: members[index]) else { return true }
        return !_StoredValue.isIdentical(members[index], known[place])
      }
    }
    let deletions = others(old, than: new)
    self.init(
      deletions: deletions, insertions: others(new, than: old),
      modifications: modified.subtracting(deletions).sorted())
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
