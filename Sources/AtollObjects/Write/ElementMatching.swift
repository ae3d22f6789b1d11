/// Which elements of a list stay when it becomes another one.
package enum ElementMatching {
  /// The most elements, of both lists and beyond what both begin and end with, of which the longest
  /// common part is found.
  @usableFromInline static let comparedLimit = 1024

  /// For each new element the old one that it is, ascending; nil for one that is new.
  ///
  /// As many as can be, where the lists differ in few elements; else what both begin and end with,
  /// and of the rest as many as can be of those that are equal in the order of their copies.
  @inlinable
  package static func kept<Element: Hashable>(_ old: [Element], _ new: [Element]) -> [Int?] {
    let shorter = min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
      suffix += 1
    }
    var kept = [Int?](repeating: nil, count: new.count)
    for index in 0..<prefix { kept[index] = index }
    for index in 0..<suffix { kept[new.count - 1 - index] = old.count - 1 - index }
    let oldMiddle = old[prefix..<(old.count - suffix)]
    let newMiddle = new[prefix..<(new.count - suffix)]
    guard !oldMiddle.isEmpty, !newMiddle.isEmpty else { return kept }
    guard oldMiddle.count + newMiddle.count <= comparedLimit else {
      for (source, index) in ascendingCopies(oldMiddle, newMiddle) { kept[index] = source }
      return kept
    }
    var removed = [Bool](repeating: false, count: oldMiddle.count)
    var inserted = [Bool](repeating: false, count: newMiddle.count)
    for change in newMiddle.difference(from: oldMiddle, by: ==) {
      switch change {
      case .remove(let offset, _, _): removed[offset] = true
      case .insert(let offset, _, _): inserted[offset] = true
      }
    }
    var source = 0
    for index in inserted.indices where !inserted[index] {
      while removed[source] { source += 1 }
      kept[prefix + index] = prefix + source
      source += 1
    }
    return kept
  }

  /// Pairs the copies of each element, the first with the first, and takes as many pairs as ascend
  /// in both lists.
  @inlinable
  static func ascendingCopies<Element: Hashable>(
    _ old: ArraySlice<Element>, _ new: ArraySlice<Element>
  ) -> [(source: Int, index: Int)] {
    var places: [Element: [Int]] = [:]
    for index in old.indices.reversed() { places[old[index], default: []].append(index) }
    var pairs: [(source: Int, index: Int)] = []
    for index in new.indices {
      guard let source = places[new[index]]?.popLast() else { continue }
      pairs.append((source, index))
    }
    return Array(pairs.indices).longestAscending { pairs[$0].source < pairs[$1].source }
      .map { pairs[$0] }
  }
}
