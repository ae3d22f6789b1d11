internal import AtollStorage

/// An index of several columns, or a unique one, of a table that is being written.
@safe
final class TableIndexSlot {
  let description: TableIndex
  let index: MutableIndex
  // SAFETY: as in `ColumnSlot`: one thread uses a table's writer, and no access calls back.
  /// Whether the selected object is not listed: it is new, or one of its values has changed.
  ///
  /// It gets its entry when the selection ends.
  @exclusivity(unchecked) var isUnlisted = false
  /// The values of a unique index under which objects were listed, for the commit to check.
  private(set) var unchecked = UncheckedValues()

  /// `previous`: that of the writer which the transaction had before.
  init(_ description: TableIndex, _ index: MutableIndex, continuing previous: TableIndexSlot?) {
    self.description = description
    self.index = index
    if let previous { unchecked = previous.unchecked }
  }

  /// Lists an object under its values.
  func insert(_ bytes: [UInt8], key: UInt64) throws(StorageError) {
    if description.isUnique {
      unchecked.add(bytes, entryCount: Int(clamping: index.main.entryCount))
    }
    try index.insert(bytes, key: key)
  }

  /// The values were found to be distinct.
  func forgetUnchecked() { unchecked = UncheckedValues() }
}
