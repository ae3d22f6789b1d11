internal import AtollStorage

// Objects that count as changed because an object did that they link to.

extension VersionDifference {
  /// How many links an object may be away from one that changed and still count as changed.
  package static let linkDepth = 4

  /// A way from objects that changed back to those that link to them.
  struct Reach: Hashable {
    let table: UInt32
    /// How many links may be followed; nil: the path.
    var depth: Int?
    /// The properties to follow.
    var path: [PathStep] = []
  }

  /// A step of a path that is followed from an object.
  package enum PathStep: Hashable, Sendable {
    /// To what a property holds, by the name of its column.
    case property(String)
    /// To the objects of a class whose column holds links to the object.
    case backlinks(className: String, column: String)
  }

  /// Finds the objects of a class that were changed, or from which links of the new version lead to
  /// an object that was.
  ///
  /// - Throws: `.storage` when a page is damaged.
  /// - Complexity: The changed objects and their backlinks, once for each class on the way.
  package func reached(
    _ table: UInt32, depth: Int = linkDepth
  ) throws(ObjectError) -> Set<ObjectKey> {
    let reach = Reach(table: table, depth: depth)
    if let known = shared.reached(reach) { return known }
    var keys = Set(try self.table(table).modified.keys)
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
    shared.keep(keys, for: reach)
    return keys
  }

  /// Finds the objects of a class in which the value at the end of a path changed, or a link on the
  /// way.
  ///
  /// - Throws: `.storage` when a page is damaged.
  /// - Complexity: The changed objects and their backlinks, once for each step.
  package func reached(
    _ table: UInt32, path: ArraySlice<PathStep>
  ) throws(ObjectError) -> Set<ObjectKey> {
    guard let step = path.first else { return [] }
    let reach = Reach(table: table, path: Array(path))
    if let known = shared.reached(reach) { return known }
    let keys =
      switch step {
      case .property(let name): try reached(table, by: name, path.dropFirst())
      case .backlinks(let className, let column):
        try reached(table, from: className, column, path.dropFirst())
      }
    shared.keep(keys, for: reach)
    return keys
  }

  private func reached(
    _ table: UInt32, by name: String, _ rest: ArraySlice<PathStep>
  ) throws(ObjectError) -> Set<ObjectKey> {
    guard let column = new.schema.table(id: table)?.column(name) else { return [] }
    var keys = Set(
      try self.table(table).modified.lazy.filter { $0.value.contains(column.id) }.map(\.key))
    if !rest.isEmpty, column.layout.value == .link {
      let target = column.layout.linkTable
      keys.formUnion(try sources(of: reached(target, path: rest), in: target, column))
    }
    return keys
  }

  /// Finds the objects of a class that others link to which came, went or are reached by the rest of
  /// the path, or that others link to more or less often than before.
  private func reached(
    _ table: UInt32, from className: String, _ name: String, _ rest: ArraySlice<PathStep>
  ) throws(ObjectError) -> Set<ObjectKey> {
    guard let source = new.schema.table(className), let column = source.column(name),
      column.layout.value == .link, column.layout.linkTable == table
    else { return [] }
    let changes = try self.table(source.id)
    let before = try ColumnLinks(column, in: old)
    let now = try ColumnLinks(column, in: new)
    var keys: Set<ObjectKey> = []
    for key in changes.deleted { keys.formUnion(try before.targets(of: key)) }
    for key in try reached(source.id, path: rest).union(changes.inserted) {
      keys.formUnion(try now.targets(of: key))
    }
    for (key, columns) in changes.modified where columns.contains(column.id) {
      // A list that gains one element still links to all others as before.
      var counts: [ObjectKey: Int] = [:]
      for target in try before.targets(of: key) { counts[target, default: 0] -= 1 }
      for target in try now.targets(of: key) { counts[target, default: 0] += 1 }
      keys.formUnion(counts.lazy.filter { $0.value != 0 }.map(\.key))
    }
    return keys
  }

  /// The objects with a link in a mixed column to an object of any class that is reached over
  /// `depth` links.
  private func mixedSources(_ column: Column, depth: Int) throws(ObjectError) -> Set<ObjectKey> {
    // Most mixed columns never hold a link, and the others lead to few of the classes.
    guard let backlinks = try new.backlinks(column), backlinks.entryCount > 0 else { return [] }
    var keys: Set<ObjectKey> = []
    for target in new.schema.visibleTables where !target.isEmbedded {
      guard try backlinks.leads(to: target.id, column) else { continue }
      keys.formUnion(try sources(of: reached(target.id, depth: depth), in: target.id, column))
    }
    return keys
  }

  /// The objects whose links in `column` lead to one of `targets`, which are of the class `table`.
  private func sources(
    of targets: Set<ObjectKey>, in table: UInt32, _ column: Column
  ) throws(ObjectError) -> Set<ObjectKey> {
    guard !targets.isEmpty, let backlinks = try new.backlinks(column) else { return [] }
    var sources: Set<ObjectKey> = []
    for key in targets {
      sources.formUnion(
        try backlinks.sources(of: ObjectLink(table: table, key: key.rawValue), column))
    }
    return sources
  }
}

/// The links of a column in one version, which may not have it.
private struct ColumnLinks {
  private let table: Table?
  private let column: Column?

  init(_ column: Column, in snapshot: Snapshot) throws(ObjectError) {
    table = try snapshot.table(id: column.table)
    self.column = table?.schema.columns.first { $0.id == column.id }
  }

  /// The objects that an object links to; one that it links to twice comes twice.
  func targets(of key: ObjectKey) throws(ObjectError) -> [ObjectKey] {
    guard let column, let value = try table?.object(key)?.value(column) else { return [] }
    return value.links.map { ObjectKey(rawValue: $0.key) }
  }
}

extension Index {
  /// The objects whose links lead to an object, of the backlinks of a column; one comes as often as
  /// it links.
  fileprivate func sources(
    of target: ObjectLink, _ column: Column
  ) throws(ObjectError) -> [ObjectKey] {
    guard let bytes = Self.bytes(of: Self.target(target, of: column)) else { return [] }
    do throws(StorageError) {
      return try keys(.equal(to: bytes)).map { ObjectKey(rawValue: $0) }
    } catch { throw .storage(error) }
  }

  /// Whether any link leads to an object of a class, of the backlinks of a mixed column.
  fileprivate func leads(to table: UInt32, _ column: Column) throws(ObjectError) -> Bool {
    let first = Self.target(ObjectLink(table: table, key: 0), of: column)
    let last = Self.target(ObjectLink(table: table, key: .max), of: column)
    guard let lower = Self.bytes(of: first), let upper = Self.bytes(of: last) else { return false }
    do throws(StorageError) {
      return try count(IndexRange(lower: lower, upper: IndexRange.successor(of: upper))) > 0
    } catch { throw .storage(error) }
  }
}
