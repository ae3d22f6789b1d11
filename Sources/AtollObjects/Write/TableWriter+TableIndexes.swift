internal import AtollStorage

// The entries of indexes of several columns. An object leaves such an index with the first change of
// one of its values, and enters it again when its selection ends: then all values are known.

extension TableWriter {
  /// Takes the selected object, of which a column is about to change, out of the column's indexes.
  func unlistSelected(_ slot: ColumnSlot) throws(ObjectError) {
    for index in slot.tableIndexes where unsafe !index.isUnlisted {
      var values: [Value] = []
      for column in index.description.columns { values.append(try selectedValue(column)) }
      if let bytes = Index.bytes(ofAll: values) {
        do throws(StorageError) { try index.index.remove(bytes, key: selectedKey) } catch {
          throw .storage(error)
        }
      }
      unsafe index.isUnlisted = true
    }
  }

  /// Lists the selected object where it is not listed; all its columns have values.
  func listSelected() throws(ObjectError) {
    for index in tableIndexes where unsafe index.isUnlisted {
      unsafe index.isUnlisted = false
      var values: [Value] = []
      for column in index.description.columns { values.append(try selectedValue(column)) }
      guard let bytes = Index.bytes(ofAll: values) else { continue }
      do throws(StorageError) { try index.insert(bytes, key: selectedKey) } catch {
        throw .storage(error)
      }
    }
  }

  /// Takes rows that are to be removed out of the indexes.
  func unlist(_ found: [Int], in rowGroup: RowGroupBuilder) throws {
    for index in tableIndexes {
      for row in found {
        let values = try index.description.columns.map { try rowGroup.value($0.id, row) }
        guard let bytes = Index.bytes(ofAll: values) else { continue }
        try index.index.remove(bytes, key: rowGroup.key(row))
      }
    }
  }

  func tableIndex(_ index: TableIndex) -> TableIndexSlot? {
    tableIndexes.first { $0.description.treeID == index.treeID }
  }

  /// Refuses what is too long for an index of the column with others, before anything is changed.
  func checkJointly(_ value: Value, _ column: Column) throws(ObjectError) {
    guard let indexes = slot(column)?.tableIndexes, !indexes.isEmpty,
      let limit = indexes.map(\.description.textByteLimit).min(),
      let byteCount = Index.excessByteCount(of: value, limit: limit)
    else { return }
    throw tooLarge(column, byteCount, limit: limit)
  }
}
