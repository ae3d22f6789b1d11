// A deletion first takes the object out of sight only: it is doomed. Its row, what the indexes have
// of it and the links to it go when the class is needed as it is, at the latest before the commit.
// So the deletions of a transaction are one pass over each tree, in the order of the keys.
//
// Invariant: while an object is doomed, no new object gets its key and no new link to it is made.
// What reads a property of links, or counts on where its elements are, settles first; so does an
// application's assignment of a collection in which links to doomed objects may wait. To write a
// link to one object needs no settling: the old target's backlink goes with the link, whether that
// object is doomed or not.

extension Transaction {
  /// Deletes an object, the embedded objects it owns, what else the rules of its properties say, and
  /// every link to them.
  ///
  /// Where a rule denies it, the commit is refused.
  public func delete(_ className: String, _ key: ObjectKey) throws(ObjectError) {
    let writer = try writer(className)
    try writeDeferred()
    guard try writer.contains(key.rawValue) else { throw .noSuchObject(className: className) }
    try change { () throws(ObjectError) in
      try doom(ObjectLink(table: writer.schema.id, key: key.rawValue))
    }
  }

  /// Takes objects out of sight until nothing is left that must go with them.
  ///
  /// `followsRules`: whether the rules of deletion hold; not where another file's deletion is
  /// repeated, and where an object leaves this one only.
  package func doom(_ link: ObjectLink, followsRules: Bool = true) throws(ObjectError) {
    let followsRules = followsRules && !isReplaying && schema.hasDeletionRules
    // What a property holds, and who links to an object, is known only then.
    if followsRules { try settleArrivals() }
    var waiting = [link]
    while let next = waiting.popLast() {
      let writer = try writer(id: next.table)
      guard try writer.contains(next.key) else { continue }
      for column in writer.schema.columns where column.layout.value == .link {
        guard
          followsRules && column.deletionRule == .cascade
            || schema.table(id: column.layout.linkTable)?.isEmbedded == true,
          let owned = try writer.value(next.key, column)
        else { continue }
        waiting += owned.links
      }
      // First, so that the witness sees what waits.
      try writer.doom(next.key)
      if !denied.isEmpty { denied.forget(next) }
      if followsRules { try noteDenials(of: next, writer) }
      try pending.remove(source: next, column: nil)
      hasUnsettledDeletions = true
    }
  }

  /// Settles what is in the way of a new object with the primary key of object `key`.
  ///
  /// That is the row of a deleted object. And the places of links that wait for the new object
  /// count the elements before them, so that those to deleted objects must go first.
  package func settleDeletions(beforeReusing key: UInt64?, of writer: TableWriter)
    throws(ObjectError)
  {
    guard hasUnsettledDeletions else { return }
    if !pending.isEmpty || key.map(writer.doomed.contains) ?? false { try settleDeletions() }
  }

  /// The columns that may have links to objects of a class.
  private func linkColumns(to target: TableSchema) -> [(origin: TableSchema, column: Column)] {
    let links = schema.incomingLinks(to: target.id)
    guard !target.isEmbedded else { return links }
    return links + schema.mixedColumns.filter { hasBacklinks($0.column) }
  }

  /// Removes the rows of deleted objects, their entries in the indexes, and the links to them.
  package func settleDeletions() throws(ObjectError) {
    try settleArrivals()
    guard hasUnsettledDeletions else { return }
    // What was settled halfway is not settled again.
    if let failure { throw failure }
    try change { () throws(ObjectError) in
      let doomed = writers.values.filter { !$0.doomed.isEmpty }
        .sorted { $0.schema.id < $1.schema.id }
      var removals: [UInt32: TableRemoval] = [:]
      var targets: [UInt32: DeletedKeys] = [:]
      // Of deleted objects that links wait for from now on.
      var primaryKeys: [UInt32: [UInt64: Value]] = [:]
      for writer in doomed {
        let keys = writer.doomed.ascending
        targets[writer.schema.id] = writer.doomed
        try participant?.willRemove(keys, of: writer.schema)
        removals[writer.schema.id, default: TableRemoval()].keys = keys
        for (origin, column) in linkColumns(to: writer.schema) {
          let links = try self.writer(id: origin.id)
            .removeBacklinks(of: keys, in: writer.schema.id, column)
          if !links.isEmpty, keepsWaiting(linksTo: writer.schema.id) {
            removals[origin.id, default: TableRemoval()].waitingColumns.insert(column.id)
            for link in links where primaryKeys[writer.schema.id]?[link.target] == nil {
              let key = try primaryKey(of: link.target, writer)
              primaryKeys[writer.schema.id, default: [:]][link.target] = key
            }
          }
          if !links.isEmpty {
            removals[origin.id, default: TableRemoval()].links += links
          }
        }
      }
      for id in removals.keys.sorted() {
        guard var removal = removals.removeValue(forKey: id) else { continue }
        removal.links.sort(by: <)
        removal.deletedTargets = targets
        let writer = try self.writer(id: id)
        try writer.carryOut(removal) {
          targets, old, source, column throws(ObjectError) in
          let source = ObjectLink(table: id, key: source)
          if column.layout.value == .mixed {
            try makeWaiting(targets, inMixed: old, source, column, primaryKeys: primaryKeys)
          } else if keepsWaiting(column) {
            try makeWaiting(
              targets, in: old, source, column,
              primaryKeys: primaryKeys[column.layout.linkTable] ?? [:])
          } else if case .list(let elements) = old {
            let places = elements.indices.filter { index in
              elements[index].links.contains { targets.contains($0) }
            }
            try writer.witness?.willClear(places, in: column, of: source.key, writer)
            try pending.close(places, source: source, column: column)
          }
        }
      }
      for writer in doomed { writer.forgetDoomed() }
      hasUnsettledDeletions = false
    }
  }

  /// The primary key of an object, also of a deleted one whose row is still there; nil for a class
  /// without one.
  package func primaryKey(of key: UInt64, _ writer: TableWriter) throws(ObjectError) -> Value? {
    guard let column = writer.schema.primaryKey else { return nil }
    if writer.schema.isKeyedByPrimaryKey {
      return .int(key.orderedSigned)
    }
    return try writer.storedValue(key, column)
  }
}
