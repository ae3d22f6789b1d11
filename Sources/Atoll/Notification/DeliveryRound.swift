internal import AtollObjects

/// What observers of one realm are told at one time, and what is found out for it only once.
final class DeliveryRound {
  let context: _RealmContext
  /// The version that is told of.
  let snapshot: Snapshot
  private let ownChanges: [(version: UInt64, changes: ChangeSet)]
  private var differences: [UInt64: VersionDifference] = [:]

  init(_ context: _RealmContext, _ ownChanges: [(version: UInt64, changes: ChangeSet)] = []) {
    self.context = context
    self.ownChanges = ownChanges
    snapshot = context.snapshot
  }

  /// Whether the realm itself made all versions since that one.
  func isOwn(since old: Snapshot) -> Bool {
    let own = ownChanges.count { $0.version > old.version && $0.version <= snapshot.version }
    return UInt64(own) == snapshot.version - old.version
  }

  /// What has changed since a version.
  func difference(from old: Snapshot) -> VersionDifference {
    if let known = differences[old.version] { return known }
    let own = ownChanges.filter { $0.version > old.version && $0.version <= snapshot.version }
    let difference = VersionDifference(from: old, to: snapshot, own.map(\.changes))
    differences[old.version] = difference
    return difference
  }
}

/// The differences between two versions, computed class by class when an observer first needs them.
final class VersionDifference {
  let old: Snapshot
  let new: Snapshot
  private let own: [ChangeSet]
  private var tables: [UInt32: [ObjectKey: Set<UInt32>]] = [:]
  private var reached: [ReachKey: Set<ObjectKey>] = [:]

  private struct ReachKey: Hashable {
    let table: UInt32
    let depth: Int
  }

  /// How many links an object may be away from one that changed and still count as changed.
  static let linkDepth = 4

  init(from old: Snapshot, to new: Snapshot, _ own: [ChangeSet]) {
    self.old = old
    self.new = new
    self.own = own
  }

  /// The objects of a class that exist in both versions and were changed, with their columns.
  func modified(_ table: UInt32) throws -> [ObjectKey: Set<UInt32>] {
    if let known = tables[table] { return known }
    guard let oldTable = try old.table(id: table), let newTable = try new.table(id: table) else {
      return [:]
    }
    let difference = try TableDifference(from: oldTable, to: newTable)
    var modified = difference.modified
    // What was set to an equal value differs in no leaf.
    for changes in own {
      for (key, names) in changes.classes[newTable.name]?.modified ?? [:]
      where !difference.inserted.contains(key) && !difference.deleted.contains(key) {
        let columns = names.compactMap { newTable.schema.column($0)?.id }
        modified[key, default: []].formUnion(columns)
      }
    }
    tables[table] = modified
    return modified
  }

  /// The objects of a class that changed, or from which links lead to an object that did.
  func reached(_ table: UInt32, depth: Int = linkDepth) throws -> Set<ObjectKey> {
    let key = ReachKey(table: table, depth: depth)
    if let known = reached[key] { return known }
    var keys = Set(try modified(table).keys)
    if depth > 0, let schema = new.schema.table(id: table) {
      for column in schema.columns {
        switch column.layout.value {
        case .link:
          let target = column.layout.linkTable
          keys.formUnion(try sources(of: reached(target, depth: depth - 1), in: target, column))
        case .mixed: keys.formUnion(try mixedSources(column, depth: depth - 1))
        default: break
        }
      }
    }
    reached[key] = keys
    return keys
  }

  /// The objects of a class in which the value at the end of a path changed, or a link on the way.
  func reached(_ table: UInt32, path: ArraySlice<String>) throws -> Set<ObjectKey> {
    guard let name = path.first, let column = new.schema.table(id: table)?.column(name) else {
      return []
    }
    var keys = Set(try modified(table).filter { $0.value.contains(column.id) }.keys)
    let rest = path.dropFirst()
    if !rest.isEmpty, column.layout.value == .link {
      let target = column.layout.linkTable
      keys.formUnion(try sources(of: reached(target, path: rest), in: target, column))
    }
    return keys
  }

  /// The objects with a link in a mixed column to an object of any class that is reached over
  /// `depth` links.
  private func mixedSources(_ column: Column, depth: Int) throws -> Set<ObjectKey> {
    // Most mixed columns never hold a link, and the others lead to few of the classes.
    guard let backlinks = try new.backlinks(column), backlinks.entryCount > 0 else { return [] }
    var keys: Set<ObjectKey> = []
    for target in new.schema.visibleTables where !target.isEmbedded {
      let first = Index.target(ObjectLink(table: target.id, key: 0), of: column)
      let last = Index.target(ObjectLink(table: target.id, key: .max), of: column)
      guard let lower = Index.bytes(of: first), let upper = Index.bytes(of: last),
        try backlinks.count(IndexRange(lower: lower, upper: IndexRange.successor(of: upper))) > 0
      else { continue }
      keys.formUnion(try sources(of: reached(target.id, depth: depth), in: target.id, column))
    }
    return keys
  }

  /// The objects whose links in `column` lead to one of `targets`, which are of the class `table`.
  private func sources(
    of targets: Set<ObjectKey>, in table: UInt32, _ column: Column
  ) throws -> Set<ObjectKey> {
    guard !targets.isEmpty, let target = try new.table(id: table) else { return [] }
    var sources: Set<ObjectKey> = []
    for key in targets {
      if let object = try target.object(key) { sources.formUnion(try object.backlinks(column)) }
    }
    return sources
  }
}
