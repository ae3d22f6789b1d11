// Links in mixed values that wait for their targets: null stands in their places, and in a set
// nothing.

extension Transaction {
  /// Puts links that came into a mixed property.
  func settle(
    _ arrived: [PendingLinks.Entry.Arrival], inMixed column: Column, _ key: UInt64,
    _ writer: TableWriter
  ) throws(ObjectError) {
    guard let old = try writer.value(key, column) else { return }
    // All at once: thousands may wait in one value for the same object.
    let new = old.filling(arrived.lazy.map { (path: $0.mapKey, link: $0.link) })
    try derive(writer, key, column, new)
  }

  /// A mixed property is about to be set: what waits in it goes along with what it lies in.
  func keepWaiting(
    inMixed column: Column, _ source: ObjectLink, _ writer: TableWriter, _ new: Value
  ) throws(ObjectError) {
    try settleArrivals()
    let waiting = try pending.waiting(source: source, column: column)
    guard !waiting.isEmpty, let old = try writer.value(source.key, column) else { return }
    var kept: [(link: PendingLinks.Waiting, steps: [ValueStep])] = []
    for link in waiting where keepsWaiting(linksTo: link.targetTable) {
      if let steps = ValuePath(bytes: link.mapKey).steps { kept.append((link, steps)) }
    }
    try pending.remove(source: source, column: column.id)
    for (entry, steps) in zip(kept, ValuePath.moved(kept.map(\.steps), old, new)) {
      guard let steps else { continue }
      try pending.add(
        source: source, column: column.id, position: entry.link.position,
        targetTable: entry.link.targetTable, target: entry.link.target,
        mapKey: ValuePath(steps).bytes)
    }
  }

  /// Links in a mixed property to objects that are deleted become links that wait.
  ///
  /// `old`: the property's value with these links. `primaryKeys`: of the targets that are waited
  /// for, by class.
  func makeWaiting(
    _ targets: Set<ObjectLink>, inMixed old: Value, _ source: ObjectLink, _ column: Column,
    primaryKeys: [UInt32: [UInt64: Value]]
  ) throws(ObjectError) {
    let waiting = try pending.waiting(source: source, column: column)
    var position = (waiting.last?.position ?? -1) + 1
    try old.forEachLink(at: ValuePath()) { link, path throws(ObjectError) in
      guard targets.contains(link), let target = primaryKeys[link.table]?[link.key] else { return }
      try pending.add(
        source: source, column: column.id, position: position, targetTable: link.table,
        target: target, mapKey: path.bytes)
      position += 1
    }
  }
}
