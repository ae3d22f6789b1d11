internal import AtollObjects

/// Finds the objects whose place in the answer of a query a change may have moved.
struct QueryScope {
  /// The class of the objects that the query finds.
  private let table: UInt32
  /// The columns that are read, by class.
  private let columns: [UInt32: Set<UInt32>]
  /// The links that are followed from their sources to their targets.
  private let forward: [Column]
  /// The links that are followed from their targets to their sources.
  private let backward: [Column]
  /// The classes of objects that constants name.
  private let named: [UInt32]
  private let hopCount: Int

  init(_ dependencies: QueryDependencies, table: UInt32) {
    let schema = dependencies.schema
    self.table = table
    var columns: [UInt32: Set<UInt32>] = [:]
    for (name, properties) in dependencies.properties {
      guard let table = schema.table(name.text) else { continue }
      columns[table.id] = Set(properties.compactMap { table.column($0.text)?.id })
    }
    self.columns = columns
    func followed(isBackward: Bool) -> [Column] {
      dependencies.links.filter { $0.isBackward == isBackward }.compactMap { link in
        schema.table(link.className.text)?.column(link.property.text)
      }
    }
    forward = followed(isBackward: false)
    backward = followed(isBackward: true)
    named = dependencies.namedClasses.compactMap { schema.table($0.text)?.id }
    hopCount = dependencies.hopCount
  }

  /// Finds the objects of the query's class that may have come in, left or changed their place.
  ///
  /// Those in which a property changed that is read, and those from which links lead to such an
  /// object: of the new version, as an object whose link changed is one of them itself. Links that
  /// the query follows backwards are followed forwards, in both versions.
  ///
  /// - Parameters:
  ///   - difference: What is different.
  ///   - limit: The most objects that are looked at.
  /// - Returns: Nil when there are more, or when an object came or went that a constant may name.
  /// - Throws: `ObjectError` if the file is damaged.
  /// - Complexity: O(n) in the changes of the classes that are read, and a look-up for each object
  ///   and link on the way.
  func affected(
    by difference: VersionDifference, limit: Int
  ) throws -> Set<ObjectKey>? {
    var frontier: [UInt32: Set<ObjectKey>] = [:]
    var rest = limit
    for (table, columns) in columns {
      let changes = try difference.table(table)
      if changes.isEmpty { continue }
      if named.contains(table), !changes.inserted.isEmpty || !changes.deleted.isEmpty {
        return nil
      }
      guard changes.inserted.count + changes.deleted.count <= rest else { return nil }
      var keys = Set(changes.inserted).union(changes.deleted)
      for (key, changed) in changes.modified where !changed.isDisjoint(with: columns) {
        keys.insert(key)
      }
      if keys.isEmpty { continue }
      frontier[table] = keys
      rest -= keys.count
      guard rest >= 0 else { return nil }
    }
    guard hopCount > 0, !frontier.isEmpty else { return frontier[table] ?? [] }
    var reached = frontier
    for _ in 0..<hopCount where !frontier.isEmpty {
      var next: [UInt32: Set<ObjectKey>] = [:]
      /// Takes in objects of a class that were not reached before, unless they are too many.
      func reach(_ keys: [ObjectKey]?, _ table: UInt32) -> Bool {
        guard let keys else { return false }
        for key in keys where reached[table, default: []].insert(key).inserted {
          next[table, default: []].insert(key)
          rest -= 1
        }
        return rest >= 0
      }
      for column in forward {
        for key in frontier[column.layout.linkTable] ?? [] {
          let sources = try sources(of: key, column, difference.new, limit: limit)
          guard reach(sources, column.table) else { return nil }
        }
      }
      for column in backward {
        for key in frontier[column.table] ?? [] {
          for version in [difference.old, difference.new] {
            let targets = try targets(of: key, column, version, limit: limit)
            guard reach(targets, column.layout.linkTable) else { return nil }
          }
        }
      }
      frontier = next
    }
    return reached[table] ?? []
  }

  /// The objects that link to one, if they are no more than `limit`.
  private func sources(
    of key: ObjectKey, _ column: Column, _ version: Snapshot, limit: Int
  ) throws -> [ObjectKey]? {
    guard let index = try version.backlinks(column),
      let bytes = Index.bytes(of: Index.target(key.rawValue))
    else { return [] }
    guard try index.count(.equal(to: bytes)) <= limit else { return nil }
    return try index.keys(.equal(to: bytes)).map { ObjectKey(rawValue: $0) }
  }

  /// The objects that one links to, if they are no more than `limit`.
  private func targets(
    of key: ObjectKey, _ column: Column, _ version: Snapshot, limit: Int
  ) throws -> [ObjectKey]? {
    guard let object = try version.table(id: column.table)?.object(key) else { return [] }
    if column.layout.collection != .none, try object.elementCount(column) > limit { return nil }
    return RowEvaluator.keys(try object.value(column)).map { ObjectKey(rawValue: $0) }
  }
}
