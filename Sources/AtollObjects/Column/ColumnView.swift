internal import AtollStorage

/// One column of a row group, as it lies there.
///
/// A plain column has one entry per row in `values`. A collection has in `values` the elements of
/// all rows, one row after the other, `counts` of them for each; a map has as many `keys`.
///
/// Holds the owner of the row group's memory.
@safe
package struct ColumnView {
  package let layout: ColumnLayout
  /// The column's id and the block of its row group's page, for errors.
  private let id: UInt32
  let block: UInt64
  /// Rows.
  package let count: Int
  package let values: ScalarView
  /// What a collection has besides its elements; nil for a plain column.
  private let collection: CollectionVectors?
  /// Keeps the memory of the row group alive.
  private let owner: AnyObject?
  private let environment: Unmanaged<RowGroupEnvironment>

  /// Collections: the elements of each row; nil for a plain column.
  package var counts: IntVector? { collection?.counts }
  /// Maps: the key of each element.
  package var keys: BytesVector? { collection?.keys }
  /// Collections: the rows whose collection lies in the external store; they have no elements here.
  package var external: ExternalVector? { collection?.external }

  var store: (any ExternalStore)? {
    // SAFETY: the environment outlives the views of its row groups.
    unsafe environment._withUnsafeGuaranteedRef { $0.store }
  }

  // The vectors of a plain column.
  package var validity: BitVector? { values.validity }
  package var bits: BitVector? { values.bits }
  package var ints: IntVector? { values.ints }
  package var nanoseconds: IntVector? { values.nanoseconds }
  package var fixed: FixedVector? { values.fixed }
  package var bytes: BytesVector? { values.bytes }

  /// The column that directory entries `entries` describe; none of them: a column of default
  /// values.
  init(
    id: UInt32, layout: ColumnLayout, entries: Range<Int>, rowGroup: RowGroupPage
  ) throws(ColumnError) {
    self.id = id
    block = rowGroup.block
    self.layout = layout
    count = rowGroup.rowCount
    owner = rowGroup.owner
    unsafe environment = rowGroup.environment
    var scalar = ScalarVectors()
    var other = CollectionVectors.Entries()
    let isCollection = layout.collection != .none
    for entry in entries {
      switch (rowGroup.role(entry), isCollection) {
      case (.validity, false), (.elementValidity, true): scalar.validity = entry
      case (.values, false), (.elementValues, true): scalar.values = entry
      case (.nanoseconds, false), (.elementNanoseconds, true): scalar.nanoseconds = entry
      case (.external, false), (.elementExternal, true): scalar.external = entry
      case (.counts, true): other.counts = entry
      case (.mapKeys, true): other.keys = entry
      case (.external, true): other.external = entry
      case (let role, _): throw .corrupted(.unknownVector(role: role.rawValue, kind: 0))
      }
    }
    collection = isCollection ? try CollectionVectors(layout.collection, other, rowGroup) : nil
    values = try ScalarView(
      type: layout.value, isNullable: layout.allowsNull, count: collection?.elementCount ?? count,
      vectors: scalar, rowGroup: rowGroup)
  }

  /// An error of a value of this column with its place.
  func placed(_ error: any Error) -> any Error {
    ColumnError.placed(error, at: block, .column(id))
  }

  /// The elements of row `row` in `values`: adds up the counts before it.
  package func elements(_ row: Int) -> Range<Int> {
    guard let counts else { return row..<(row + 1) }
    // The counts were checked to be small and not negative.
    let start = Int(counts.sum(0..<row))
    return start..<(start + Int(counts[row]))
  }

  /// The number of elements of row `row`; nil when it is a set or map that lies in the external
  /// store as one value.
  package func elementCount(_ row: Int) -> Int? {
    if let value = external?.find(row) {
      return value.isList(layout) ? Int(clamping: value.byteCount) : nil
    }
    return Int(counts?[row] ?? 1)
  }
}

/// What a collection has besides the values of its elements.
///
/// In an object of its own, so that plain columns, which are the most, stay small.
private final class CollectionVectors: Sendable {
  /// The vectors' places in the directory; nil for a vector that is not there.
  struct Entries {
    var counts: Int?
    var keys: Int?
    var external: Int?
  }

  let counts: IntVector
  /// The elements of all rows.
  let elementCount: Int
  let keys: BytesVector?
  let external: ExternalVector?

  init(
    _ kind: CollectionKind, _ entries: Entries, _ rowGroup: RowGroupPage
  ) throws(ColumnError) {
    counts =
      if let entry = entries.counts {
        try unsafe IntVector(decoding: rowGroup.bytes(entry, .ints))
      } else { IntVector(repeating: 0, count: rowGroup.rowCount) }
    guard counts.count == rowGroup.rowCount else {
      throw .corrupted(.count(expected: rowGroup.rowCount, found: counts.count))
    }
    var elementCount = 0
    for row in 0..<counts.count {
      let rowCount = counts[row]
      guard rowCount >= 0, rowCount <= Self.maximumRowElementCount,
        rowCount <= Self.maximumElementCount - Int64(elementCount)
      else { throw .corrupted(.lengthsDoNotAddUp) }
      elementCount += Int(rowCount)
    }
    self.elementCount = elementCount
    if kind != .map {
      keys = nil
    } else if let entry = entries.keys {
      let vector = try unsafe BytesVector(
        decoding: rowGroup.bytes(entry, .bytes), slot: rowGroup.slot(entry))
      guard vector.count == elementCount else {
        throw .corrupted(.count(expected: elementCount, found: vector.count))
      }
      keys = vector
    } else {
      keys = BytesVector(empty: elementCount)
    }
    external =
      if let entry = entries.external {
        try unsafe ExternalVector(
          decoding: rowGroup.bytes(entry, .external), limit: rowGroup.rowCount)
      } else { nil }
  }

  /// The elements that a row may have in its leaf: bits in `maximumInlineCollectionByteCount`
  /// bytes.
  static let maximumRowElementCount = Int64(ExternalValue.maximumInlineCollectionByteCount) * 8 + 7

  /// The elements that all rows of a row group may have together.
  static let maximumElementCount: Int64 = 1 << 28
}

// SAFETY: the memory is never written while a view of it exists; `owner` is only held; the
// environment holds a cache, which is safe from any thread, and a store, which readers may share.
extension ColumnView: @unchecked Sendable {}
