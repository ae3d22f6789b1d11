internal import AtollStorage

// The indexes of several columns in the record of a class, and the unique ones. Behind the columns,
// if the class has the flag `hasIndexes`:
//
//     count, then for each:
//       flags (1 byte; bit 0 unique), count of columns, their ids, the index as for a column

extension ClassRecord {
  /// An index of several columns, or a unique one.
  struct TableIndexRecord {
    var columns: [UInt32]
    var isUnique: Bool
    var tree: IndexRecord

    /// The index as the schema has it; `known`: the columns of its class.
    func index(of table: UInt32, _ known: [Column]) -> TableIndex {
      TableIndex(
        table: table, treeID: tree.treeID,
        columns: columns.compactMap { id in known.first { $0.id == id } }, isUnique: isUnique)
    }
  }

  private static let uniqueFlag: UInt8 = 1

  func appendIndexes(to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(indexes.count))
    for index in indexes {
      bytes.append(index.isUnique ? Self.uniqueFlag : 0)
      bytes.appendVarint(UInt64(index.columns.count))
      for column in index.columns { bytes.appendVarint(UInt64(column)) }
      index.tree.append(to: &bytes)
    }
  }

  /// Reads the list, and refuses what `SchemaEditor` would not have made.
  static func readIndexes(
    _ reader: inout ByteReader, _ columns: [ColumnRecord], _ flags: ClassFlags
  ) throws -> [TableIndexRecord] {
    var indexes: [TableIndexRecord] = []
    let count = try reader.readCount(limit: IndexSchema.indexLimit)
    guard count > 0, !flags.contains(.embedded), !flags.contains(.asymmetric) else {
      throw Malformed()
    }
    for _ in 0..<count {
      let flag = try reader.readByte()
      let isUnique = flag == uniqueFlag
      guard isUnique || flag == 0, !isUnique || !flags.contains(.synced) else { throw Malformed() }
      var ids: [UInt32] = []
      for _ in 0..<(try reader.readCount(limit: IndexSchema.propertyLimit)) {
        ids.append(try reader.readUInt32())
      }
      guard ids.count > (isUnique ? 0 : 1), Set(ids).count == ids.count,
        ids.allSatisfy({ id in
          columns.contains {
            $0.id == id && SchemaEditor.isIndexable($0.layout.value, $0.layout.collection)
          }
        })
      else { throw Malformed() }
      indexes.append(
        TableIndexRecord(columns: ids, isUnique: isUnique, tree: try IndexRecord(&reader)))
    }
    return indexes
  }
}
