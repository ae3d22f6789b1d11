/// Which elements of a list stay when it becomes another one.
enum ListDifference {
  /// The most elements, of both lists, that are compared beyond what both begin and end with.
  static let comparedLimit = 1024

  /// For each new element the old one that it is, ascending; nil for one that is new.
  ///
  /// Minimal where the lists differ in few elements; else what both begin and end with.
  static func kept<Element: Equatable>(_ old: [Element], _ new: [Element]) -> [Int?] {
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
    guard !oldMiddle.isEmpty, !newMiddle.isEmpty,
      oldMiddle.count + newMiddle.count <= comparedLimit
    else { return kept }
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
}
