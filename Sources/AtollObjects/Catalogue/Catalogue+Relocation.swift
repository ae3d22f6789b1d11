internal import AtollStorage

extension ClassRecord {
  /// Which of the trees of a class; those of a column by the column's position.
  enum TreePlace {
    case rows
    case index(Int)
    case backlinks(Int)
    case fullText(Int)
    /// By the position in `indexes`.
    case tableIndex(Int)
  }

  /// Moves pages of a tree, and returns whether its root is another one now.
  mutating func relocate(_ place: TreePlace, _ relocation: Relocation) throws(StorageError) -> Bool
  {
    switch place {
    case .rows: try relocateRows(relocation)
    case .index(let column): try columns[column].index?.relocate(relocation) ?? false
    case .backlinks(let column): try columns[column].backlinks?.relocate(relocation) ?? false
    case .fullText(let column): try columns[column].fullText?.relocate(relocation) ?? false
    case .tableIndex(let position): try indexes[position].tree.relocate(relocation)
    }
  }

  private mutating func relocateRows(_ relocation: Relocation) throws(StorageError) -> Bool {
    let form = MutableRowGroup.form(rows.treeID)
    let tree = Tree(root: rows.root, form: form, reader: relocation.transaction.reader)
    let environment = RowGroupEnvironment()
    let collections = columns.filter { $0.layout.collection != .none }.map { ($0.id, $0.layout) }
    let values = ValueRelocation(
      relocation: relocation, environment: environment, tree: tree,
      collections: Dictionary(collections, uniquingKeysWith: { first, _ in first }))
    let hasValues = relocation.movesBlobs && columns.contains { $0.layout.mayBeOutsideLeaf }
    let moved = try relocation.relocate(
      rows.root, form, moveLeaf: hasValues ? values.moved : nil)
    defer { rows.root = moved }
    return moved != rows.root
  }
}

extension ClassRecord.IndexRecord {
  fileprivate mutating func relocate(_ relocation: Relocation) throws(StorageError) -> Bool {
    let before = root
    let form = Index.form(treeID)
    root.main = try relocation.relocate(root.main, form)
    root.added = try relocation.relocate(root.added, form, layer: 1)
    root.removed = try relocation.relocate(root.removed, form, layer: 2)
    return root != before
  }
}

extension ColumnLayout {
  /// Whether values of the column can be too large for a leaf.
  var mayBeOutsideLeaf: Bool {
    if collection != .none { return true }
    return switch value {
    case .string, .data, .mixed: true
    default: false
    }
  }
}

extension Catalogue {
  /// Where the root of a tree stands.
  enum TreePlace {
    /// `record`: the class's position in `records`.
    case ofClass(record: Int, ClassRecord.TreePlace)
    case named(String, ClassRecord.TreeRecord)
  }

  /// The trees of all classes and the internal ones, by their ids.
  var treePlaces: [TreePlace] {
    var places: [(treeID: UInt32, place: TreePlace)] = []
    for (position, record) in records.enumerated() {
      func add(_ treeID: UInt32?, _ place: ClassRecord.TreePlace) {
        if let treeID { places.append((treeID, .ofClass(record: position, place))) }
      }
      add(record.rows.treeID, .rows)
      for (column, found) in record.columns.enumerated() {
        add(found.index?.treeID, .index(column))
        add(found.backlinks?.treeID, .backlinks(column))
        add(found.fullText?.treeID, .fullText(column))
      }
      for (index, found) in record.indexes.enumerated() {
        add(found.tree.treeID, .tableIndex(index))
      }
    }
    for (name, record) in namedTrees { places.append((record.treeID, .named(name, record))) }
    places.sort { $0.treeID < $1.treeID }
    return places.map(\.place)
  }
}
