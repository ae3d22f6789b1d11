internal import AtollStorage

/// What the catalogue tree says of one class: its schema and the roots of its trees.
///
/// One value of the catalogue (key-value tree 1), under the key `c` followed by
/// the class's id as four big-endian bytes. Bytes (Format.md, "Catalogue"),
/// numbers as varints, strings as a count of bytes and UTF-8:
///
///     name, flags (`ClassFlags`), nextKey (8 bytes), nextColumnID,
///     primary key: column id or 0,
///     rows: tree id, root (32 bytes),
///     columns: count, then for each:
///       id, name, value type, collection kind, flags (`ColumnFlags`),
///       link target, index (if indexed), backlinks (if there are), full-text index (if there is),
///       each:
///         tree id, root, 1 when there is a delta, else 0; then of the delta:
///           root of what was added, root of what was removed, position as a string of bytes
///     with the flag `hasIndexes`: see `ClassRecord+Indexes.swift`
struct ClassRecord {
  var id: UInt32
  var name: String
  var flags: ClassFlags
  /// The next key for a class whose primary key is not its object key.
  var nextKey: UInt64
  var nextColumnID: UInt32
  var primaryKeyColumn: UInt32
  var rows: TreeRecord
  var columns: [ColumnRecord]
  /// The indexes of several columns, and the unique ones.
  var indexes: [TableIndexRecord] = []

  /// A tree: the id that its pages carry, and its root.
  struct TreeRecord: Hashable {
    var treeID: UInt32
    var root: TreeRoot
  }

  /// An index: the id that the pages of its trees carry, and their roots.
  struct IndexRecord: Hashable {
    var treeID: UInt32
    var root: IndexRoots
  }

  struct ColumnRecord {
    var id: UInt32
    var name: String
    var layout: ColumnLayout
    /// The ordered index, if one is kept.
    var index: IndexRecord?
    /// For links: the index from target to source.
    var backlinks: IndexRecord?
    /// The index from token to object, if one is kept.
    var fullText: IndexRecord?
    var deletionRule = DeletionRule.nullify

    var flags: ColumnFlags {
      var flags: ColumnFlags = []
      if layout.isOptional { flags.insert(.optional) }
      if index != nil { flags.insert(.indexed) }
      if backlinks != nil { flags.insert(.backlinks) }
      if fullText != nil { flags.insert(.fullText) }
      switch deletionRule {
      case .nullify: break
      case .cascade: flags.insert(.cascade)
      case .deny: flags.insert(.deny)
      }
      return flags
    }
  }

  /// The catalogue contradicts itself.
  struct Malformed: Error {}

  /// The same class without objects.
  var emptied: ClassRecord {
    var record = self
    record.rows.root = .empty
    for position in columns.indices {
      record.columns[position].index?.root = .empty
      record.columns[position].backlinks?.root = .empty
      record.columns[position].fullText?.root = .empty
    }
    for position in indexes.indices { record.indexes[position].tree.root = .empty }
    return record
  }

  var tableSchema: TableSchema {
    let columns = columns.map { record in
      Column(
        name: record.name, id: record.id, table: id, layout: record.layout,
        isIndexed: record.index != nil || record.id == primaryKeyColumn,
        isFullTextIndexed: record.fullText != nil,
        isPrimaryKey: record.id == primaryKeyColumn, deletionRule: record.deletionRule)
    }
    return TableSchema(
      id: id, name: name, flags: flags, columns: columns,
      primaryKeyIndex: columns.firstIndex { $0.id == primaryKeyColumn },
      indexes: indexes.map { $0.index(of: id, columns) })
  }

  // MARK: Coding

  static let keyPrefix: [UInt8] = Array("c".utf8)

  var key: [UInt8] { Self.key(id) }

  static func key(_ id: UInt32) -> [UInt8] {
    keyPrefix + (0..<4).map { UInt8(truncatingIfNeeded: id >> (24 - 8 * $0)) }
  }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendString(name)
    bytes.append((indexes.isEmpty ? flags : flags.union(.hasIndexes)).rawValue)
    bytes.appendLittleEndian(nextKey)
    bytes.appendVarint(UInt64(nextColumnID))
    bytes.appendVarint(UInt64(primaryKeyColumn))
    rows.append(to: &bytes)
    bytes.appendVarint(UInt64(columns.count))
    for column in columns {
      bytes.appendVarint(UInt64(column.id))
      bytes.appendString(column.name)
      bytes.append(column.layout.value.rawValue)
      bytes.append(column.layout.collection.rawValue)
      bytes.append(column.flags.rawValue)
      bytes.appendVarint(UInt64(column.layout.linkTable))
      column.index?.append(to: &bytes)
      column.backlinks?.append(to: &bytes)
      column.fullText?.append(to: &bytes)
    }
    if !indexes.isEmpty { appendIndexes(to: &bytes) }
    return bytes
  }

  init(decoding bytes: [UInt8], key: [UInt8]) throws(Malformed) {
    do {
      guard key.count == 5 else { throw Malformed() }
      id = key.dropFirst().reduce(0) { $0 << 8 | UInt32($1) }
      var reader = ByteReader(bytes)
      name = try reader.readString()
      guard let flags = ClassFlags(decoding: try reader.readByte()) else { throw Malformed() }
      self.flags = flags.subtracting(.hasIndexes)
      nextKey = try reader.readLittleEndian()
      nextColumnID = try reader.readUInt32()
      primaryKeyColumn = try reader.readUInt32()
      guard nextKey < 1 << 63, nextColumnID <= SchemaEditor.columnIDLimit else { throw Malformed() }
      rows = try TreeRecord(&reader)
      columns = []
      for _ in 0..<(try reader.readCount(limit: bytes.count)) {
        let columnID = try reader.readUInt32()
        let columnName = try reader.readString()
        guard let value = ValueType(rawValue: try reader.readByte()),
          let collection = CollectionKind(rawValue: try reader.readByte())
        else { throw Malformed() }
        guard let flags = ColumnFlags(decoding: try reader.readByte()),
          let rule = flags.deletionRule, rule == .nullify || value == .link,
          columnID != 0, columnID < nextColumnID,
          !columns.contains(where: { $0.id == columnID })
        else { throw Malformed() }
        let layout = ColumnLayout(
          value, collection, isOptional: flags.contains(.optional),
          linkTable: try reader.readUInt32())
        // A link becomes null when its target is deleted.
        guard value != .link || collection != .none || layout.isOptional,
          !flags.contains(.fullText) || SchemaEditor.isFullTextIndexable(value, collection)
        else { throw Malformed() }
        columns.append(
          ColumnRecord(
            id: columnID, name: columnName, layout: layout,
            index: flags.contains(.indexed) ? try IndexRecord(&reader) : nil,
            backlinks: flags.contains(.backlinks) ? try IndexRecord(&reader) : nil,
            fullText: flags.contains(.fullText) ? try IndexRecord(&reader) : nil,
            deletionRule: rule))
      }
      if flags.contains(.hasIndexes) { indexes = try Self.readIndexes(&reader, columns, flags) }
      // What `SchemaEditor` sees to.
      guard reader.isAtEnd,
        !flags.contains(.synced) || flags.contains(.embedded)
          || columns.contains(where: { $0.id == primaryKeyColumn }),
        !flags.contains(.embedded) || primaryKeyColumn == 0,
        !flags.contains(.asymmetric) || flags.contains(.synced) && !flags.contains(.embedded)
      else { throw Malformed() }
    } catch { throw Malformed() }
  }

  init(
    id: UInt32, name: String, flags: ClassFlags, nextKey: UInt64, nextColumnID: UInt32,
    primaryKeyColumn: UInt32, rows: TreeRecord, columns: [ColumnRecord]
  ) {
    self.id = id
    self.name = name
    self.flags = flags
    self.nextKey = nextKey
    self.nextColumnID = nextColumnID
    self.primaryKeyColumn = primaryKeyColumn
    self.rows = rows
    self.columns = columns
  }
}

extension ClassRecord.TreeRecord {
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  func append(to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(treeID))
    root.append(to: &bytes)
  }

  init(_ reader: inout ByteReader) throws {
    treeID = try reader.readUInt32()
    guard let root = TreeRoot(&reader) else { throw ClassRecord.Malformed() }
    self.root = root
  }
}

extension ClassRecord.IndexRecord {
  func append(to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(treeID))
    root.main.append(to: &bytes)
    bytes.append(root.isDeltaEmpty ? 0 : 1)
    guard !root.isDeltaEmpty else { return }
    root.added.append(to: &bytes)
    root.removed.append(to: &bytes)
    bytes.appendVarint(UInt64(root.position.count))
    bytes += root.position
  }

  init(_ reader: inout ByteReader) throws {
    treeID = try reader.readUInt32()
    guard let main = TreeRoot(&reader) else { throw ClassRecord.Malformed() }
    root = IndexRoots(main: main)
    switch try reader.readByte() {
    case 0: return
    case 1:
      guard let added = TreeRoot(&reader), let removed = TreeRoot(&reader) else {
        throw ClassRecord.Malformed()
      }
      root.added = added
      root.removed = removed
      let count = try reader.readCount(limit: IndexRoots.positionByteLimit)
      root.position = [UInt8](try reader.readBytes(count))
    default: throw ClassRecord.Malformed()
    }
  }
}

extension [UInt8] {
  mutating func appendString(_ string: String) {
    appendVarint(UInt64(string.utf8.count))
    append(contentsOf: string.utf8)
  }
}

extension ByteReader {
  mutating func readString() throws -> String {
    let bytes = try readBytes(readCount(limit: rest.count))
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw ClassRecord.Malformed()
    }
    return string
  }

  mutating func readUInt32() throws -> UInt32 {
    guard let value = UInt32(exactly: try readVarint()) else { throw ClassRecord.Malformed() }
    return value
  }
}

/// The classes and trees of one version, read from the catalogue tree.
struct Catalogue {
  static let treeID: UInt32 = 1
  /// Trees below this number belong to the catalogue itself.
  static let firstTreeID: UInt32 = 16

  var records: [ClassRecord] = []
  var nextTreeID: UInt32 = firstTreeID
  var nextClassID: UInt32 = 1
  /// Links that wait for an object with a primary key that does not exist yet.
  var pendingLinks = ClassRecord.TreeRecord(treeID: 2, root: .empty)
  /// The internal trees by their names; each is one value of the catalogue tree, its id and root,
  /// under the key `t` followed by the name.
  var namedTrees: [String: ClassRecord.TreeRecord] = [:]

  static let metaKey: [UInt8] = Array("m".utf8)
  static let namedTreePrefix: [UInt8] = Array("t".utf8)

  static func namedTreeKey(_ name: String) -> [UInt8] { namedTreePrefix + name.utf8 }

  init() {}

  init(root: TreeRoot, reader: PageReader) throws(ObjectError) {
    do {
      let tree = KeyValueTree(root: root, treeID: Self.treeID, reader: reader)
      try tree.forEach { (key: [UInt8], value: [UInt8]) throws in
        if key == Self.metaKey {
          var reader = ByteReader(value)
          nextTreeID = try reader.readUInt32()
          nextClassID = try reader.readUInt32()
          pendingLinks = try ClassRecord.TreeRecord(&reader)
        } else if key.starts(with: ClassRecord.keyPrefix) {
          records.append(try ClassRecord(decoding: value, key: key))
        } else if key.starts(with: Self.namedTreePrefix) {
          let bytes = key.dropFirst(Self.namedTreePrefix.count)
          guard let name = String(validating: bytes, as: UTF8.self) else {
            throw ClassRecord.Malformed()
          }
          var reader = ByteReader(value)
          namedTrees[name] = try ClassRecord.TreeRecord(&reader)
          guard reader.isAtEnd else { throw ClassRecord.Malformed() }
        } else {
          throw ClassRecord.Malformed()
        }
      }
    } catch let error as StorageError {
      throw .storage(error)
    } catch {
      throw .storage(.corrupted(block: root.reference.block, .structure(.malformedEntries)))
    }
    guard isConsistent else {
      throw .storage(.corrupted(block: root.reference.block, .structure(.malformedEntries)))
    }
  }

  /// Whether numbers and names, by their bytes, are given out once, and links lead to classes that
  /// exist.
  private var isConsistent: Bool {
    let columns = records.flatMap(\.columns)
    let ids = Set(records.map(\.id))
    var trees = records.map(\.rows.treeID) + namedTrees.values.map(\.treeID)
    for column in columns {
      trees += [column.index, column.backlinks, column.fullText].compactMap { $0?.treeID }
    }
    trees += records.flatMap(\.indexes).map(\.tree.treeID)
    // The limits leave room to count on from.
    return Set(records.map { ExactText($0.name) }).count == records.count
      && records.allSatisfy { record in
        Set(record.columns.map { ExactText($0.name) }).count == record.columns.count
      }
      && columns.allSatisfy { $0.layout.value != .link || ids.contains($0.layout.linkTable) }
      && Set(trees).count == trees.count
      && nextTreeID < 1 << 31 && trees.allSatisfy { $0 < nextTreeID }
      && nextClassID < 1 << 31 && ids.allSatisfy { $0 < nextClassID }
  }

  /// A number that no other tree of the file has had.
  mutating func newTreeID() -> UInt32 {
    defer { nextTreeID += 1 }
    return nextTreeID
  }

  func encodedMeta() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(UInt64(nextTreeID))
    bytes.appendVarint(UInt64(nextClassID))
    pendingLinks.append(to: &bytes)
    return bytes
  }

  var schema: Schema { Schema(records.map(\.tableSchema)) }
}
