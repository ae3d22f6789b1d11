/// The leaves in which two versions of a tree differ.
///
/// Pages that both versions share have equal references and are skipped with
/// everything below them, so the cost follows the change: the pages of the
/// changed paths and the entries of their branches, never the data.
package struct TreeDifference {
  /// Leaves that only the older version has, in key order.
  package var removed: [PageReference] = []
  /// Leaves that only the newer version has, in key order.
  package var added: [PageReference] = []

  /// Compares two versions of one tree; both must be readable.
  package init(from older: Tree, to newer: Tree) throws(StorageError) {
    var before = older.root.reference.isNone ? [] : [older.root.reference]
    var after = newer.root.reference.isNone ? [] : [newer.root.reference]
    var beforeLevel = Int(older.root.height)
    var afterLevel = Int(newer.root.height)
    while true {
      if beforeLevel == afterLevel {
        let old = Set(before)
        let new = Set(after)
        before.removeAll { new.contains($0) }
        after.removeAll { old.contains($0) }
        if beforeLevel == 0 { break }
      }
      let level = max(beforeLevel, afterLevel)
      if beforeLevel == level {
        before = try Self.expand(before, level: level, of: older)
        beforeLevel -= 1
      }
      if afterLevel == level {
        after = try Self.expand(after, level: level, of: newer)
        afterLevel -= 1
      }
    }
    removed = before
    added = after
  }

  private static func expand(_ references: [PageReference], level: Int, of tree: Tree)
    throws(StorageError) -> [PageReference]
  {
    var children: [PageReference] = []
    for reference in references {
      let branch = try tree.branch(reference, level: level)
      for index in 0..<branch.count { children.append(branch.reference(index)) }
      guard children.count <= tree.reader.blockCount else {
        throw .corrupted(block: reference.block, .structure(.sharedPage))
      }
    }
    return children
  }
}
