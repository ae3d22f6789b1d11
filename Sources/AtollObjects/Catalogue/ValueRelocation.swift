internal import AtollStorage

/// Moves values that lie outside of their leaves, when a compaction wants their place.
///
/// Nothing leads from such a value to the leaf that refers to it. So the leaves are looked through,
/// and one whose value has moved is written again with the value's new reference; nothing else of
/// it is decoded.
struct ValueRelocation {
  let relocation: Relocation
  let environment: RowGroupEnvironment
  /// The rows of a class, or the elements of a collection.
  let tree: Tree
  /// The columns whose values are collections, which lie outside as trees of their own.
  let collections: [UInt32: ColumnLayout]

  /// The leaf that takes the place of the one at `reference`, or that one.
  func moved(_ reference: PageReference) throws(StorageError) -> PageReference {
    let page = try tree.leafPage(reference)
    var payload: PageBuffer?
    for (byteOffset, value, list) in try externalValues(page) {
      let place: PageReference?
      if let list { place = try moved(value, list) } else { place = try moved(value) }
      guard let moved = place else { continue }
      let changed = payload ?? Self.copy(of: page)
      changed.store(moved.location, at: byteOffset)
      changed.store(moved.checksum, at: byteOffset + 8)
      payload = changed
    }
    guard let payload else { return try relocation.moveIfBehindCut(reference) }
    return try relocation.replace(page, with: payload)
  }

  private static func copy(of page: Page) -> PageBuffer {
    let copy = PageBuffer(byteCount: page.bytes.count, zeroed: false)
    copy.copy(page.bytes, to: 0)
    return copy
  }

  /// The values of a leaf that lie outside of it, each with the place of its reference in the leaf,
  /// and of a list with its layout.
  private func externalValues(_ page: Page) throws(StorageError)
    -> [(Int, ExternalValue, list: ColumnLayout?)]
  {
    let rowGroup = try RowGroupPage(page, environment: environment)
    var found: [(Int, ExternalValue, list: ColumnLayout?)] = []
    do throws(ColumnError) {
      for entry in 0..<rowGroup.vectorCount where rowGroup.kind(entry) == .external {
        // SAFETY: the row group, which holds the page's owner, was checked to hold the bytes of
        // each entry; the vector, used in this turn only, checks that its records lie there.
        let vector = try unsafe ExternalVector(decoding: rowGroup.bytes(entry), limit: .max)
        let isRow = rowGroup.role(entry) == .external
        let layout = isRow ? collections[rowGroup.columnID(entry)] : nil
        for record in 0..<vector.count {
          let byteOffset = rowGroup.byteOffset(entry) + ExternalVector.referenceOffset(record)
          let value = vector.value(record)
          found.append((byteOffset, value, layout.flatMap { value.isList($0) ? $0 : nil }))
        }
      }
    } catch {
      throw StorageError(reading: error.at(page.reference.block, .directory))
    }
    return found
  }

  /// The root of a list whose pages were moved; nil when it stays where it is.
  private func moved(_ value: ExternalValue, _ layout: ColumnLayout) throws(StorageError)
    -> PageReference?
  {
    let root = try value.listRoot(layout)
    let leaves = ValueRelocation(
      relocation: relocation, environment: environment,
      tree: Tree(root: root, form: ListTree.form, reader: tree.reader), collections: [:])
    let moved = try relocation.relocateWhole(
      root, ListTree.form,
      moveLeaf: layout.listColumns.all.contains { $0.layout.mayBeOutsideLeaf } ? leaves.moved : nil)
    return moved.reference == root.reference ? nil : moved.reference
  }

  /// The first page of a value that was moved; nil when it stays where it is.
  ///
  /// A page knows the next one, so the pages before one that moves are written again as well: all
  /// of them, or none when there is no room for all.
  private func moved(_ value: ExternalValue) throws(StorageError) -> PageReference? {
    var chain = [
      PageReference(location: value.reference.first, checksum: value.reference.second)
    ]
    // Only a value of several pages has to be read to know where they lie.
    if value.byteCount > UInt64(BlobStore.pieceByteCount) {
      do {
        chain = []
        try BlobStore(reader: tree.reader).forEachPage(value.reference) {
          chain.append($0.reference)
        }
      } catch let error as StorageError {
        throw error
      } catch {
        preconditionFailure("reading a value throws errors of the storage only")
      }
    }
    guard let last = chain.lastIndex(where: { relocation.isBehindCut($0) }),
      last == 0 || relocation.hasRoom(for: chain[...last]),
      var next = try relocation.move(chain[last])
    else { return nil }
    for reference in chain[..<last].reversed() {
      let page = try tree.reader.page(reference, kind: .blob)
      let payload = Self.copy(of: page)
      payload.store(next.location, at: 0)
      payload.store(next.checksum, at: 8)
      next = try relocation.replace(page, with: payload, compress: true)
    }
    return next
  }
}
