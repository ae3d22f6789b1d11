internal import AtollStorage

extension [Int] {
  /// The longest part of these, in their order, that ascends.
  package func longestAscending(_ isBefore: (Int, Int) -> Bool) -> [Int] {
    // Of each length the place of the least last one, and for each place the one before it.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: count)
    for index in indices {
      let low = binarySearch(0..<ends.count) { isBefore(self[ends[$0]], self[index]) }
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var longest: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      longest.append(self[index])
      index = before[index]
    }
    return longest.reversed()
  }
}
