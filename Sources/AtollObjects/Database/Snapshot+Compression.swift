internal import AtollStorage

extension Snapshot {
  /// About how many bytes more the version would take without LZ4.
  ///
  /// Exact for classes whose objects lie in at most `sampleLimit` leaves; of larger ones so many
  /// leaves are looked at, evenly spread, and the sum is scaled by objects.
  ///
  /// - Returns: bytes that compression saves, before rounding to blocks.
  /// - Throws: `.storage` when a page cannot be read.
  public func compressionSavings(sampleLimit: Int = 64) throws(ObjectError) -> UInt64 {
    precondition(sampleLimit > 0, "a sample has at least one leaf")
    var savings: UInt64 = 0
    for schema in schema.tables {
      savings += try compressionSavings(of: table(schema.name), sampleLimit)
    }
    return savings
  }

  private func compressionSavings(of table: Table, _ sampleLimit: Int) throws(ObjectError) -> UInt64
  {
    let objectCount = table.tree.root.entryCount
    var savings: UInt64 = 0
    var seen: UInt64 = 0
    var ordinal: UInt64 = 0
    do {
      while let (page, first) = try table.tree.leafPage(atOrdinal: ordinal) {
        let rowGroup = try table.rowGroup(page)
        for column in table.schema.columns {
          savings += try compressionSavings(
            of: rowGroup.column(column.id, column.layout), table.environment)
        }
        let rowCount = UInt64(max(1, rowGroup.rowCount))
        seen += rowCount
        ordinal = max(first + rowCount, ordinal + objectCount / UInt64(sampleLimit))
      }
    } catch { throw ObjectError(any: error) }
    return seen == 0 ? 0 : UInt64(Double(savings) * Double(objectCount) / Double(seen))
  }

  private func compressionSavings(of column: ColumnView, _ environment: RowGroupEnvironment) throws
    -> UInt64
  {
    var savings =
      (column.values.bytes?.compressionSavings ?? 0) + (column.keys?.compressionSavings ?? 0)
    for value in column.externalLists {
      let list = try ListTree(
        value, column.layout, reader: storage.reader, environment: environment)
      var cursor = list.tree.cursor()
      while let entry = try cursor.next() {
        let rowGroup = try RowGroupPage(
          list.tree.leafPage(entry.reference), environment: environment)
        for part in column.layout.listColumns.all {
          savings += Int(
            clamping: try compressionSavings(
              of: rowGroup.column(part.id, part.layout), environment))
        }
      }
    }
    for reference in column.externalReferences {
      try BlobStore(reader: storage.reader).forEachPage(reference) { page in
        let header = try storage.reader.header(page.reference)
        savings += Int(header.logicalByteCount) - Int(header.storedByteCount)
      }
    }
    return UInt64(max(0, savings))
  }
}

extension BytesVector {
  /// Bytes that LZ4 saves in this vector.
  fileprivate var compressionSavings: Int { isCompressed ? byteCount - storedByteCount : 0 }
}
