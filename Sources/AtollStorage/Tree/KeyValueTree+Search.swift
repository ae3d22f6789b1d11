/// The entries of one leaf, stored or in memory, as they were when they were asked for.
package enum KeyValueEntries {
  case page(KeyValuePage)
  case arrays(keys: [[UInt8]], values: [[UInt8]])

  var count: Int {
    switch self {
    case .page(let page): page.count
    case .arrays(let keys, _): keys.count
    }
  }

  func key(_ index: Int) -> [UInt8] {
    switch self {
    case .page(let page): page.key(index)
    case .arrays(let keys, _): keys[index]
    }
  }

  func value(_ index: Int) -> [UInt8] {
    switch self {
    case .page(let page): page.value(index)
    case .arrays(_, let values): values[index]
    }
  }

  /// The first entry whose key is not below `key`.
  func firstIndex(notBelow key: [UInt8]) -> Int {
    guard case .arrays(let keys, _) = self else {
      guard case .page(let page) = self else { return 0 }
      return page.firstIndex(notBelow: key)
    }
    return binarySearch(0..<keys.count) { keys[$0].lexicographicallyPrecedes(key) }
  }

  /// Refuses a way through the tree that leads back: in a damaged one it could be a circle.
  fileprivate func requireOrder(_ a: [UInt8], _ b: [UInt8]) throws(StorageError) {
    guard !a.lexicographicallyPrecedes(b) else { return }
    // The order of leaves in memory is that of the branches that they were found by.
    let block = if case .page(let leaf) = self { leaf.page.reference.block } else { UInt64(0) }
    throw .corrupted(block: block, .structure(.keysOutOfOrder))
  }
}

/// A key-value tree whose leaves are found by their keys, stored or in memory.
///
/// Each step costs a descent, so that the tree may change between two of them.
package protocol KeyValueLeaves {
  /// The leaf that may hold `key`, and where the next one begins; nil in an empty tree.
  func leaf(for key: TreeKey) throws(StorageError) -> (leaf: KeyValueEntries, bound: TreeKey?)?
  /// The last leaf that may hold keys below `key`, and where it begins, if it is not the first.
  func leaf(below key: TreeKey) throws(StorageError) -> (leaf: KeyValueEntries, bound: TreeKey?)?
}

extension KeyValueLeaves {
  /// Visits the entries from `start` on whose keys begin with `prefix`, in order, until `body` says
  /// false.
  ///
  /// `body` may change the tree: of the leaf at hand it is given the entries that were there,
  /// behind it those that are.
  package func visit<Failure: Error>(
    prefix: [UInt8], from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(Failure) -> Bool
  ) throws {
    var start = start.lexicographicallyPrecedes(prefix) ? prefix : start
    while let (leaf, bound) = try leaf(for: TreeKey(start)) {
      for index in leaf.firstIndex(notBelow: start)..<leaf.count {
        let key = leaf.key(index)
        guard key.starts(with: prefix), try body(key, leaf.value(index)) else { return }
      }
      guard let next = bound?.bytes else { return }
      try leaf.requireOrder(start, next)
      start = next
    }
  }

  /// The entry with the smallest key that is not below `key`.
  package func first(atOrAfter key: [UInt8]) throws(StorageError) -> (key: [UInt8], value: [UInt8])?
  {
    var start = key
    while let (leaf, bound) = try leaf(for: TreeKey(start)) {
      let index = leaf.firstIndex(notBelow: start)
      if index < leaf.count { return (leaf.key(index), leaf.value(index)) }
      guard let next = bound?.bytes else { return nil }
      try leaf.requireOrder(start, next)
      start = next
    }
    return nil
  }

  /// The entry with the greatest key below `key`.
  package func last(before key: [UInt8]) throws(StorageError) -> (key: [UInt8], value: [UInt8])? {
    var end = key
    while let (leaf, bound) = try leaf(below: TreeKey(end)) {
      let index = leaf.firstIndex(notBelow: end)
      if index > 0 { return (leaf.key(index - 1), leaf.value(index - 1)) }
      guard let next = bound?.bytes else { return nil }
      try leaf.requireOrder(next, end)
      end = next
    }
    return nil
  }
}

extension KeyValueTree: KeyValueLeaves {
  package func leaf(for key: TreeKey) throws(StorageError) -> (
    leaf: KeyValueEntries, bound: TreeKey?
  )? {
    try tree.leaf { branch in
      let index = branch.childIndex(for: key)
      return (index, index + 1 < branch.count ? branch.key(index + 1) : nil)
    }.map { page, bound throws(StorageError) in (.page(try KeyValuePage(page)), bound) }
  }

  package func leaf(below key: TreeKey) throws(StorageError) -> (
    leaf: KeyValueEntries, bound: TreeKey?
  )? {
    try tree.leaf { branch in
      let index = branch.childIndex(below: key)
      return (index, index > 0 ? branch.key(index) : nil)
    }.map { page, bound throws(StorageError) in (.page(try KeyValuePage(page)), bound) }
  }
}

extension Tree {
  /// The leaf at the end of the way that `choose` takes, and the bound that it named last.
  fileprivate func leaf(
    choose: (BranchPage) -> (index: Int, bound: TreeKey?)
  ) throws(StorageError) -> (page: Page, bound: TreeKey?)? {
    guard !root.reference.isNone else { return nil }
    var reference = root.reference
    var bound: TreeKey?
    for level in stride(from: Int(root.height), to: 0, by: -1) {
      let branch = try branch(reference, level: level)
      let (index, found) = choose(branch)
      bound = found ?? bound
      reference = branch.reference(index)
    }
    return (try leafPage(reference), bound)
  }
}

extension MutableTree {
  /// The last leaf that may hold keys below `key`, as it is, and where it begins, if it is not the
  /// first.
  func locate(below key: TreeKey) throws(StorageError)
    -> (location: Location, bound: TreeKey?)
  {
    try locate { node in
      var index = node.childIndex(for: key)
      if index > 0, node.entries[index].key == key { index -= 1 }
      return (index, index > 0 ? node.entries[index].key : nil)
    } inBranch: { branch in
      let index = branch.childIndex(below: key)
      return (index, index > 0 ? branch.key(index) : nil)
    }
  }
}

extension BranchPage {
  /// The last child that may hold keys below `key`.
  fileprivate func childIndex(below key: TreeKey) -> Int {
    let index = childIndex(for: key)
    return index > 0 && self.key(index) == key ? index - 1 : index
  }
}
