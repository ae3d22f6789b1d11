internal import AtollStorage

/// Where a value lies that is too large for a leaf: 16 bytes that mean something to the store only.
package struct ExternalReference: Hashable, Sendable {
  package var first: UInt64
  package var second: UInt64

  package init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }
}

/// Keeps values that are too large for a leaf: a string, data or mixed value of more than
/// `ExternalValue.maximumInlineByteCount` bytes, or a collection of more than
/// `maximumInlineElementCount` elements or `maximumInlineCollectionByteCount` bytes.
///
/// `free` gives back what `write` made, when the row that held it no longer does. A collection is
/// more than one value: it is made and changed element by element, see `OutsideList`. Sets and maps
/// that earlier builds wrote are one value until they are changed.
package protocol ExternalStore: AnyObject {
  func read(_ reference: ExternalReference) throws -> [UInt8]
  /// The bytes of a value from `offset` on, `limit` of them or up to the end.
  func read(_ reference: ExternalReference, from offset: Int, limit: Int) throws -> [UInt8]
  func write(_ bytes: [UInt8]) throws -> ExternalReference
  func free(_ reference: ExternalReference) throws
  /// Makes an empty list for a row of a column.
  func makeList(_ layout: ColumnLayout) throws -> any OutsideList
  /// A list that `store` has written, to be changed.
  func openList(_ value: ExternalValue, _ layout: ColumnLayout) throws -> any OutsideList
  /// A list that `store` has written, to be read.
  func readList(_ value: ExternalValue, _ layout: ColumnLayout) throws -> any OutsideElements
}

/// A value in the external store, as a column knows it.
package struct ExternalValue: Hashable, Sendable {
  package static let maximumInlineByteCount = 8 * 1024
  package static let maximumInlineCollectionByteCount = 16 * 1024
  /// A collection of more elements lies outside: they are too much to write for each change.
  package static let maximumInlineElementCount = 512
  /// A collection outside goes back to its leaf when it has no more elements than this, and a
  /// quarter of the bytes: much less, so that it does not go to and fro.
  static let returningElementCount = 128

  package var reference: ExternalReference
  /// Bytes of the value, in the store; of a collection the number of its elements.
  package var byteCount: UInt64
  /// The value's first eight bytes, as `orderedPrefix` gives them, so that zone maps stay bounds;
  /// of a list the height of its tree; of a set or map one more than that, or 0 for one that is one
  /// value.
  package var prefix: UInt64

  package init(reference: ExternalReference, byteCount: UInt64, prefix: UInt64) {
    self.reference = reference
    self.byteCount = byteCount
    self.prefix = prefix
  }

  /// Whether a row's collection is a list of elements, and not one value.
  package func isList(_ layout: ColumnLayout) -> Bool {
    layout.collection == .list || layout.hasParts && prefix > 0
  }
}

/// Which entries of a column lie in the external store.
///
/// Normative text: Format.md, "External values".
///
///     offset  size  field
///          0     4  count
///          4    12  reserved   zero
///         16        records, ascending by index:
///
///     offset  size  field
///          0     4  index      row (role external) or element (role elementExternal)
///          4     4  reserved   zero
///          8    16  reference  as the store gave it
///         24     8  byteCount  of the value; a collection: elements
///         32     8  prefix     the value's first eight bytes, as a big-endian number;
///                            a list: height; a set or map: height + 1, or 0 for one value
///
/// The memory belongs to the row group.
@safe
package struct ExternalVector {
  static let recordByteCount = 40

  package let count: Int
  private let bytes: VectorBytes

  /// Checks the vector in `bytes`, whose indices must be below `limit`.
  init(decoding bytes: UnsafeRawBufferPointer, limit: Int) throws(ColumnError) {
    let bytes = try unsafe VectorBytes(bytes)
    try bytes.require(16)
    try bytes.requireZero(4..<16)
    count = Int(bytes.load(0, as: UInt32.self))
    try bytes.require(16 + count * Self.recordByteCount)
    self.bytes = bytes
    var least = 0
    for record in 0..<count {
      let index = self.index(record)
      guard index >= least else { throw .corrupted(.unsortedDirectory) }
      guard index < limit else {
        throw .corrupted(.entryOutOfBounds(entry: index, entryCount: limit))
      }
      guard bytes.load(20 + record * Self.recordByteCount, as: UInt32.self) == 0 else {
        throw .corrupted(.reservedBytesInUse)
      }
      least = index + 1
    }
  }

  /// The row or element that record `record` is for.
  package func index(_ record: Int) -> Int {
    Int(bytes.load(16 + record * Self.recordByteCount, as: UInt32.self))
  }

  /// The value of record `record`.
  package func value(_ record: Int) -> ExternalValue {
    let offset = 16 + record * Self.recordByteCount
    return ExternalValue(
      reference: ExternalReference(first: bytes.load(offset + 8), second: bytes.load(offset + 16)),
      byteCount: bytes.load(offset + 24), prefix: bytes.load(offset + 32))
  }

  /// Where the reference of record `record` lies in the vector.
  static func referenceOffset(_ record: Int) -> Int { 16 + record * recordByteCount + 8 }

  /// The external value of a row or element; nil when it lies in the leaf.
  ///
  /// Cost: a binary search.
  package func find(_ index: Int) -> ExternalValue? {
    let low = binarySearch(0..<count) { self.index($0) < index }
    return low < count && self.index(low) == index ? value(low) : nil
  }
}

// SAFETY: the memory is never written while a view of it exists.
extension ExternalVector: @unchecked Sendable {}
