internal import AtollObjects

/// How one list of elements became another: what a view that shows the first has to do.
///
/// Deletions and modifications are places in the old list, insertions places in the new one, all
/// ascending; an element that moved is deleted and inserted.
struct ListDifference: Equatable {
  var deletions: [Int] = []
  var insertions: [Int] = []
  var modifications: [Int] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

  /// Compares lists of objects.
  ///
  /// `isChanged`: whether an object that is in both has changed.
  init(from old: [ObjectKey], to new: [ObjectKey], isChanged: Set<ObjectKey>) {
    let prefix = Self.commonPrefix(old, new)
    let suffix = Self.commonSuffix(old, new, after: prefix)
    compare(old, prefix..<old.count - suffix, new, prefix..<new.count - suffix)
    guard !isChanged.isEmpty else { return }
    let deleted = Set(deletions)
    for (index, key) in old.enumerated() where isChanged.contains(key) && !deleted.contains(index) {
      modifications.append(index)
    }
  }

  /// Compares sets of values, each in an order that does not depend on the other members.
  ///
  /// A member is there or not: one is never another than before. `modified`: the places in the old
  /// set of those that lead to an object that was changed.
  init(fromSet old: [_StoredValue], to new: [_StoredValue], modified: Set<Int> = []) {
    let (oldMembers, newMembers) = (Set(old), Set(new))
    deletions = old.indices.filter { !newMembers.contains(old[$0]) }
    insertions = new.indices.filter { !oldMembers.contains(new[$0]) }
    modifications = modified.filter { newMembers.contains(old[$0]) }.sorted()
  }

  /// Compares lists of values: one that was replaced in its place is a modification.
  ///
  /// `modified`: the places in the old list of those that lead to an object that was changed.
  init(from old: [_StoredValue], to new: [_StoredValue], modified: Set<Int> = []) {
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - prefix
    let suffix = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let oldRange = prefix..<old.count - suffix
    let newRange = prefix..<new.count - suffix
    if oldRange.count == newRange.count {
      let replaced = oldRange.filter { old[$0] != new[$0] }
      modifications = modified.isEmpty ? replaced : modified.union(replaced).sorted()
    } else {
      deletions = Array(oldRange)
      insertions = Array(newRange)
      modifications = modified.filter { !oldRange.contains($0) }.sorted()
    }
  }

  private static func commonPrefix(_ old: [ObjectKey], _ new: [ObjectKey]) -> Int {
    let end = min(old.count, new.count)
    var count = 0
    while count < end, old[count] == new[count] { count += 1 }
    return count
  }

  private static func commonSuffix(_ old: [ObjectKey], _ new: [ObjectKey], after prefix: Int) -> Int
  {
    let end = min(old.count, new.count) - prefix
    var count = 0
    while count < end, old[old.count - 1 - count] == new[new.count - 1 - count] { count += 1 }
    return count
  }

  /// Finds the deletions and insertions between two ranges.
  private mutating func compare(
    _ old: [ObjectKey], _ oldRange: Range<Int>, _ new: [ObjectKey], _ newRange: Range<Int>
  ) {
    if oldRange.isEmpty || newRange.isEmpty {
      deletions = Array(oldRange)
      insertions = Array(newRange)
      return
    }
    // The places of each object in the new list, the last first; an object may come several times.
    var places: [ObjectKey: [Int]] = [:]
    for index in newRange.reversed() { places[new[index], default: []].append(index) }
    var kept: [(old: Int, new: Int)] = []
    for index in oldRange {
      if let place = places[old[index]]?.popLast() {
        kept.append((index, place))
      } else {
        deletions.append(index)
      }
    }
    let staying = Self.longestAscending(kept.map(\.new))
    var isKept = Set<Int>()
    for (index, pair) in kept.enumerated() {
      if staying[index] { isKept.insert(pair.new) } else { deletions.append(pair.old) }
    }
    deletions.sort()
    insertions = newRange.filter { !isKept.contains($0) }
  }

  /// Whether each number belongs to a longest ascending subsequence: what need not move.
  ///
  /// Cost: a binary search for each number.
  static func longestAscending(_ numbers: [Int]) -> [Bool] {
    var isAscending = true
    for index in numbers.indices.dropFirst() where numbers[index - 1] >= numbers[index] {
      isAscending = false
      break
    }
    if isAscending { return [Bool](repeating: true, count: numbers.count) }
    // By length, the place of the least number that such a subsequence can end with.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var lower = 0
      var upper = ends.count
      while lower < upper {
        let middle = (lower + upper) / 2
        if numbers[ends[middle]] < number { lower = middle + 1 } else { upper = middle }
      }
      if lower > 0 { previous[index] = ends[lower - 1] }
      if lower == ends.count { ends.append(index) } else { ends[lower] = index }
    }
    var result = [Bool](repeating: false, count: numbers.count)
    var next = ends.last ?? -1
    while next >= 0 {
      result[next] = true
      next = previous[next]
    }
    return result
  }
}
