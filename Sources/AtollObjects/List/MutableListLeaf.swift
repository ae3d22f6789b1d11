internal import AtollStorage

/// A leaf of a list in mutable form.
///
/// The keys of its rows are labels that keep the order. They are spaced evenly whenever the leaf is
/// stored: so they take no room there.
final class MutableListLeaf: TreeLeaf {
  let builder: RowGroupBuilder

  init(_ builder: RowGroupBuilder) { self.builder = builder }

  var entryCount: Int { builder.rowCount }
  var lowestKey: TreeKey { TreeKey(builder.key(0)) }
  var highestKey: TreeKey { TreeKey(builder.key(builder.rowCount - 1)) }

  var estimatedByteCount: Int {
    let guess = builder.estimatedByteCountWithoutKeys
    let isTooLong = builder.rowCount > ListTree.leafElementCount
    return isTooLong ? max(guess, 2 * ListTree.leafByteLimit) : guess
  }

  /// Whether the next element that is appended belongs in a new leaf.
  var isFull: Bool {
    builder.rowCount > 0
      && (builder.rowCount >= ListTree.leafElementCount
        || estimatedByteCount >= ListTree.leafByteLimit)
  }

  /// The elements' column.
  func column() throws(ColumnError) -> ColumnBuilder { try builder.column(ListTree.columnID) }

  func splitOff() throws(StorageError) -> any TreeLeaf {
    do throws(ColumnError) {
      return MutableListLeaf(try builder.split(at: builder.rowCount / 2))
    } catch {
      throw StorageError(reading: error)
    }
  }

  func absorb(_ next: any TreeLeaf) throws(StorageError) {
    guard let next = next as? MutableListLeaf else {
      preconditionFailure("a tree has leaves of one form")
    }
    do throws(ColumnError) { try builder.append(contentsOf: next.builder) } catch {
      throw StorageError(reading: error)
    }
  }

  func encode() throws(StorageError) -> (payload: [UInt8], summary: [UInt8]) {
    var payload: [UInt8] = []
    builder.spaceKeysEvenly()
    do {
      _ = try builder.encode(into: &payload)
      return (payload, [])
    } catch { throw StorageError(reading: error) }
  }

  func recycled() -> any TreeLeaf {
    builder.removeAll()
    return MutableListLeaf(builder)
  }
}
