package import AtollObjects

/// How one list of elements became another: what a view that shows the first has to do.
///
/// Deletions and modifications are places in the old list, insertions places in the new one, all
/// ascending; an element that moved is deleted and inserted.
package struct ResultDifference: Equatable, Sendable {
  package var deletions: [Int]
  package var insertions: [Int]
  package var modifications: [Int]

  package init(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = []) {
    self.deletions = deletions
    self.insertions = insertions
    self.modifications = modifications
  }

  package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

extension ResultDifference {
  /// Compares lists of objects, in which one may come several times; of those that are in both,
  /// `modified` were changed.
  ///
  /// - Complexity: O(n log n) in the part between what both begin and end with.
  package init(from old: [ObjectKey], to new: [ObjectKey], modified: Set<ObjectKey>) {
    self.init()
    let prefix = Self.commonPrefix(old, new)
    let suffix = Self.commonSuffix(old, new, after: prefix)
    compare(old, prefix..<old.count - suffix, new, prefix..<new.count - suffix)
    addModifications(of: modified, in: old)
  }

  /// Compares lists of objects in the order of their keys.
  ///
  /// - Complexity: O(n).
  init(fromAscending old: [ObjectKey], to new: [ObjectKey], modified: Set<ObjectKey>) {
    self.init()
    var (index, other) = (0, 0)
    while index < old.count || other < new.count {
      if other == new.count || index < old.count && old[index] < new[other] {
        deletions.append(index)
        index += 1
      } else if index == old.count || new[other] < old[index] {
        insertions.append(other)
        other += 1
      } else {
        (index, other) = (index + 1, other + 1)
      }
    }
    addModifications(of: modified, in: old)
  }

  private mutating func addModifications(of modified: Set<ObjectKey>, in old: [ObjectKey]) {
    guard !modified.isEmpty else { return }
    var deleted = deletions[...]
    for (index, key) in old.enumerated() {
      if deleted.first == index {
        deleted.removeFirst()
      } else if modified.contains(key) {
        modifications.append(index)
      }
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

  /// Finds a longest ascending subsequence: what need not move.
  ///
  /// - Returns: For each number whether it belongs to it.
  /// - Complexity: A binary search for each number.
  package static func longestAscending(_ numbers: [Int]) -> [Bool] {
    var isAscending = true
    for index in numbers.indices.dropFirst() where numbers[index - 1] >= numbers[index] {
      isAscending = false
      break
    }
    if isAscending { return [Bool](repeating: true, count: numbers.count) }
    var result = [Bool](repeating: false, count: numbers.count)
    for index in Array(numbers.indices).longestAscending({ numbers[$0] < numbers[$1] }) {
      result[index] = true
    }
    return result
  }
}
