extension Tree {
  /// Walks the whole tree and reports every broken rule.
  ///
  /// 1. Every page verifies, belongs to this tree and lies at its depth.
  /// 2. Keys ascend strictly, within a branch and against the separators above.
  /// 3. Every branch says of each child how many entries lie below it.
  /// 4. The root says how many entries there are in all.
  ///
  /// `visitLeaf`: checks a leaf's own rules, reports to the audit, and returns the
  /// number of entries with the smallest and largest key.
  package func check(
    _ audit: inout Audit,
    visitLeaf: (Page, inout Audit) throws(StorageError) -> (
      count: UInt64, keys: ClosedRange<TreeKey>?
    )
  ) {
    guard !root.reference.isNone else {
      if root.entryCount != 0 { audit.report("an empty tree claims \(root.entryCount) entries") }
      return
    }
    let count = check(
      root.reference, level: Int(root.height), lower: nil, upper: nil, &audit, visitLeaf)
    if let count, count != root.entryCount {
      audit.report(
        "the root says \(root.entryCount) entries, its leaves hold \(count)",
        block: root.reference.block)
    }
  }

  /// The entries below `reference`; nil when damage hides them.
  private func check(
    _ reference: PageReference, level: Int, lower: TreeKey?, upper: TreeKey?,
    _ audit: inout Audit,
    _ visitLeaf: (Page, inout Audit) throws(StorageError) -> (
      count: UInt64, keys: ClosedRange<TreeKey>?
    )
  ) -> UInt64? {
    guard !audit.hasVisitedMore(than: reader.blockCount), audit.visit(reference, reader: reader)
    else { return nil }
    do {
      guard level > 0 else {
        let (count, keys) = try visitLeaf(try leafPage(reference), &audit)
        if let keys, isOutside(keys, lower: lower, upper: upper) {
          audit.report(
            .corrupted(block: reference.block, .structure(.keyOutsideSeparators)))
        }
        return count
      }
      let branch = try branch(reference, level: level)
      var total: UInt64? = 0
      for index in 0..<branch.count {
        let key = branch.key(index)
        if index > 0, !(branch.key(index - 1) < key) {
          audit.report(.corrupted(block: reference.block, .structure(.keysOutOfOrder)))
        }
        if isOutside(key...key, lower: lower, upper: upper) {
          audit.report(.corrupted(block: reference.block, .structure(.keyOutsideSeparators)))
        }
        let count = check(
          branch.reference(index), level: level - 1, lower: key,
          upper: index + 1 < branch.count ? branch.key(index + 1) : upper, &audit, visitLeaf)
        if let count, count != branch.entryCount(index) {
          audit.report(.corrupted(block: reference.block, .structure(.wrongEntryCount)))
        }
        if let count { total = total.map { $0 &+ count } } else { total = nil }
      }
      return total
    } catch {
      audit.report(error)
      return nil
    }
  }

  private func isOutside(_ keys: ClosedRange<TreeKey>, lower: TreeKey?, upper: TreeKey?) -> Bool {
    if let lower, keys.lowerBound < lower { return true }
    if let upper, !(keys.upperBound < upper) { return true }
    return false
  }
}

extension KeyValueTree {
  /// Walks the whole tree; `visit` sees every entry.
  package func check(_ audit: inout Audit, visit: (_ key: [UInt8], _ value: [UInt8]) -> Void) {
    tree.check(&audit) { page, audit throws(StorageError) in
      let leaf = try KeyValuePage(page)
      for index in 0..<leaf.count {
        if index > 0, !leaf.key(index - 1).lexicographicallyPrecedes(leaf.key(index)) {
          audit.report(.corrupted(block: page.reference.block, .structure(.keysOutOfOrder)))
        }
        visit(leaf.key(index), leaf.value(index))
      }
      guard leaf.count > 0 else { return (0, nil) }
      return (
        UInt64(leaf.count), TreeKey(leaf.key(0))...TreeKey(leaf.key(leaf.count - 1))
      )
    }
  }
}
