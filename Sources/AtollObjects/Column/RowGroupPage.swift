package import AtollStorage

/// A leaf of a table: up to a few thousand consecutive objects, column by column, as it lies in its
/// page.
///
/// Normative text: Format.md, "Row group".
///
///     offset  size  field
///          0     4  rowCount
///          4     2  vectorCount
///          6    10  reserved     zero
///         16        directory: one entry of 16 bytes a vector, ascending by (column, role)
///                   the vectors, each at a multiple of 16
///
///     offset  size  field
///          0     4  column       0: the keys of the objects
///          4     1  role         see `VectorRole`
///          5     1  kind         see `VectorKind`
///          6     2  reserved     zero
///          8     4  byteOffset   from the start of the row group
///         12     4  byteCount    a multiple of 16
///
/// Construction costs a pass over the directory and looks at no vector but the keys. Columns are
/// checked when they are asked for, so a damaged column leaves the others readable.
///
/// The memory belongs to `owner`, which the view holds, or else to the maker of the view: it must
/// stay, unchanged, as long as the view and everything that came out of it. A vector alone does not
/// hold the owner: keep the row group, or a `ColumnView`, as long as its pointers are used. The
/// environment is not held: a snapshot or transaction keeps one for all its row groups.
@safe
package struct RowGroupPage {
  static let headerByteCount = 16
  static let entryByteCount = 16
  /// The rows that a row group may have.
  package static let maximumRowCount = 1 << 16

  package let rowCount: Int
  /// The keys, ascending; each as `orderedSigned` makes it.
  package let keys: IntVector
  let vectorCount: Int
  private let start: UnsafeRawPointer
  let owner: AnyObject?
  let environment: Unmanaged<RowGroupEnvironment>
  private let page: PageIdentity

  /// The block of the page that the row group lies in, for errors.
  package var block: UInt64 { page.block }

  /// Checks the row group in `bytes`, which start 16-byte aligned.
  ///
  /// `owner` keeps the bytes alive; `page` is the page that they lie in, for the keys of the cache.
  /// `environment` is not held: it must outlive the view and everything that came out of it.
  package init(
    _ bytes: UnsafeRawBufferPointer, owner: AnyObject?, page: PageIdentity,
    environment: RowGroupEnvironment
  ) throws(ColumnError) {
    let rowGroup = try unsafe VectorBytes(bytes)
    precondition(
      unsafe UInt(bitPattern: rowGroup.start) % 16 == 0, "a row group starts 16-byte aligned")
    try rowGroup.require(Self.headerByteCount)
    try rowGroup.requireZero(6..<16)
    let rowCount = Int(rowGroup.load(0, as: UInt32.self))
    let vectorCount = Int(rowGroup.load(4, as: UInt16.self))
    guard rowCount <= Self.maximumRowCount else {
      throw .corrupted(.count(expected: Self.maximumRowCount, found: rowCount))
    }
    let firstVector = Self.headerByteCount + vectorCount * Self.entryByteCount
    try rowGroup.require(firstVector)

    var previous: UInt64?
    for entry in 0..<vectorCount {
      let offset = Self.headerByteCount + entry * Self.entryByteCount
      let role: UInt8 = rowGroup.load(offset + 4)
      let kind: UInt8 = rowGroup.load(offset + 5)
      guard VectorRole(rawValue: role) != nil, VectorKind(rawValue: kind) != nil else {
        throw .corrupted(.unknownVector(role: role, kind: kind))
      }
      guard rowGroup.load(offset + 6, as: UInt16.self) == 0 else {
        throw .corrupted(.reservedBytesInUse)
      }
      let order = UInt64(rowGroup.load(offset, as: UInt32.self)) << 8 | UInt64(role)
      if let previous, order <= previous { throw .corrupted(.unsortedDirectory) }
      previous = order
      let vectorOffset = Int(rowGroup.load(offset + 8, as: UInt32.self))
      let vectorByteCount = Int(rowGroup.load(offset + 12, as: UInt32.self))
      guard vectorOffset >= firstVector, vectorOffset % 16 == 0 else {
        throw .corrupted(.truncated(byteCount: firstVector, needed: vectorOffset))
      }
      try rowGroup.require(vectorOffset + vectorByteCount)
    }
    self.rowCount = rowCount
    self.vectorCount = vectorCount
    unsafe start = rowGroup.start
    self.owner = owner
    self.page = page
    unsafe self.environment = Unmanaged.passUnretained(environment)

    // The keys are the first vector: column 0, role `values`.
    guard vectorCount > 0,
      rowGroup.load(Self.headerByteCount, as: UInt32.self) == 0,
      rowGroup.load(Self.headerByteCount + 4, as: UInt8.self) == VectorRole.values.rawValue,
      rowGroup.load(Self.headerByteCount + 5, as: UInt8.self) == VectorKind.ints.rawValue
    else { throw .corrupted(.unknownVector(role: 0, kind: 0)) }
    let keysOffset = Int(rowGroup.load(Self.headerByteCount + 8, as: UInt32.self))
    let keysByteCount = Int(rowGroup.load(Self.headerByteCount + 12, as: UInt32.self))
    do throws(ColumnError) {
      // SAFETY: in bounds, as every entry of the directory is (above).
      keys = try unsafe IntVector(
        decoding: UnsafeRawBufferPointer(start: rowGroup.start + keysOffset, count: keysByteCount))
      guard keys.count == rowCount else {
        throw .corrupted(.count(expected: rowCount, found: keys.count))
      }
      if keys.stride != 0 {
        let (span, overflow) = keys.stride.multipliedReportingOverflow(
          by: Int64(max(rowCount - 1, 0)))
        guard keys.stride > 0, !overflow, !keys.base.addingReportingOverflow(span).overflow else {
          throw .corrupted(.unsortedKeys)
        }
      }
    } catch { throw error.at(page.block, .keys) }
  }

  /// The key of row `row`.
  @inlinable
  package func key(_ row: Int) -> UInt64 {
    keys[row].orderedUnsigned
  }

  /// The row of the object `key`, or nil.
  ///
  /// Cost: a division where the keys are evenly spaced, else a binary search.
  package func row(ofKey key: UInt64) -> Int? {
    let row = lowerBound(ofKey: key)
    return row < rowCount && self.key(row) == key ? row : nil
  }

  /// The first row whose key is not below `key`; `rowCount` if there is none.
  package func lowerBound(ofKey key: UInt64) -> Int {
    let wanted = key.orderedSigned
    if keys.stride > 0 {
      guard wanted > keys.base else { return 0 }
      // The distance of two signed integers fits an unsigned one.
      let distance = UInt64(bitPattern: wanted &- keys.base)
      let stride = UInt64(keys.stride)
      let row = distance / stride + (distance % stride == 0 ? 0 : 1)
      return Int(min(row, UInt64(rowCount)))
    }
    return binarySearch(0..<rowCount) { keys[$0] < wanted }
  }

  /// The column `id` (not 0), which its class says has this layout.
  ///
  /// A column that the row group does not have reads as null, zero, empty.
  package func column(_ id: UInt32, _ layout: ColumnLayout) throws(ColumnError) -> ColumnView {
    precondition(id != 0, "column 0 is the keys")
    do throws(ColumnError) {
      return try ColumnView(id: id, layout: layout, entries: entries(of: id), rowGroup: self)
    } catch { throw error.at(page.block, .column(id)) }
  }

  // MARK: Vectors alone

  // The one vector that a kernel or a point read needs, at a fraction of the cost of a
  // `ColumnView`. Plain columns only; nil when the row group does not have the column, so that all
  // is null or zero.

  /// Reads the bits of a column or, as its validity, which rows are not null.
  ///
  /// The validity is nil also when no row is null.
  package func bits(_ id: UInt32, _ role: VectorRole = .values) throws(ColumnError) -> BitVector? {
    guard let entry = entry(id, role) else { return nil }
    do throws(ColumnError) {
      let vector = try unsafe BitVector(decoding: bytes(entry, .bits))
      try require(vector.count)
      return vector
    } catch { throw error.at(page.block, .column(id)) }
  }

  /// Reads the integers of a column, its links' keys, or the seconds or nanoseconds of its dates.
  ///
  /// The nanoseconds are nil also when all of them are 0.
  package func ints(_ id: UInt32, _ role: VectorRole = .values) throws(ColumnError) -> IntVector? {
    guard let entry = entry(id, role) else { return nil }
    do throws(ColumnError) {
      let vector = try unsafe IntVector(decoding: bytes(entry, .ints))
      try require(vector.count)
      return vector
    } catch { throw error.at(page.block, .column(id)) }
  }

  package func fixed(_ id: UInt32, width: Int) throws(ColumnError) -> FixedVector? {
    guard let entry = entry(id, .values) else { return nil }
    do throws(ColumnError) {
      let vector = try unsafe FixedVector(
        decoding: bytes(entry, .fixed), width: width, slot: slot(entry))
      try require(vector.count)
      return vector
    } catch { throw error.at(page.block, .column(id)) }
  }

  /// The bytes of a column; those of rows in the external store are empty here.
  package func bytes(_ id: UInt32) throws(ColumnError) -> BytesVector? {
    guard let entry = entry(id, .values) else { return nil }
    do throws(ColumnError) {
      let vector = try unsafe BytesVector(decoding: bytes(entry, .bytes), slot: slot(entry))
      try require(vector.count)
      return vector
    } catch { throw error.at(page.block, .column(id)) }
  }

  /// Whether values of a column lie in the external store.
  package func hasExternalValues(_ id: UInt32) -> Bool { entry(id, .external) != nil }

  /// Whether values of a column, or its collections, lie outside of the row group.
  func hasValuesOutside(_ id: UInt32) -> Bool {
    entries(of: id).contains { entry in
      switch role(entry) {
      case .external, .elementExternal: true
      default: false
      }
    }
  }

  /// Whether the vectors of a column, 0 for the keys, are the same bytes in another row group.
  ///
  /// Then it has the same values in the same rows, if the rows are as many.
  func hasSameVectors(_ id: UInt32, as other: RowGroupPage) -> Bool {
    let (own, others) = (entries(of: id), other.entries(of: id))
    guard rowCount == other.rowCount, own.count == others.count else { return false }
    return zip(own, others).allSatisfy { entry, otherEntry in
      guard role(entry) == other.role(otherEntry), kind(entry) == other.kind(otherEntry) else {
        return false
      }
      let (bytes, otherBytes) = unsafe (self.bytes(entry), other.bytes(otherEntry))
      guard bytes.count == otherBytes.count else { return false }
      // SAFETY: both are vectors of their row groups, of this length.
      return unsafe bytes.elementsEqual(otherBytes)
    }
  }

  private func require(_ count: Int) throws(ColumnError) {
    guard count == rowCount else { throw .corrupted(.count(expected: rowCount, found: count)) }
  }

  // MARK: The directory

  /// The directory entry of a vector, or nil.
  private func entry(_ id: UInt32, _ role: VectorRole) -> Int? {
    for entry in 0..<vectorCount {
      let column: UInt32 = load(entry, 0)
      if column < id { continue }
      if column > id { return nil }
      if load(entry, 4) == role.rawValue { return entry }
    }
    return nil
  }

  private func load<T: FixedWidthInteger & BitwiseCopyable>(_ entry: Int, _ offset: Int) -> T {
    precondition(entry >= 0 && entry < vectorCount, "an entry of the directory")
    // SAFETY: the directory was checked to lie in the bytes.
    return unsafe start.loadUnaligned(
      fromByteOffset: Self.headerByteCount + entry * Self.entryByteCount + offset, as: T.self)
  }

  /// The directory entries of column `id`; empty when it is not there.
  func entries(of id: UInt32) -> Range<Int> {
    var low = 0
    while low < vectorCount, load(low, 0) < id { low += 1 }
    var high = low
    while high < vectorCount, load(high, 0) == id { high += 1 }
    return low..<high
  }

  func columnID(_ entry: Int) -> UInt32 { load(entry, 0) }

  func role(_ entry: Int) -> VectorRole {
    guard let role = VectorRole(rawValue: load(entry, 4)) else {
      preconditionFailure("roles were checked by the initialiser")
    }
    return role
  }

  func kind(_ entry: Int) -> VectorKind {
    guard let kind = VectorKind(rawValue: load(entry, 5)) else {
      preconditionFailure("kinds were checked by the initialiser")
    }
    return kind
  }

  /// Where a vector begins in the row group.
  func byteOffset(_ entry: Int) -> Int { Int(load(entry, 8) as UInt32) }

  /// The bytes of a vector.
  func bytes(_ entry: Int) -> UnsafeRawBufferPointer {
    let offset = byteOffset(entry)
    let byteCount = Int(load(entry, 12) as UInt32)
    // SAFETY: every vector was checked to lie in the bytes.
    return unsafe UnsafeRawBufferPointer(start: start + offset, count: byteCount)
  }

  /// The bytes of a vector that must be of `kind`.
  func bytes(_ entry: Int, _ kind: VectorKind) throws(ColumnError) -> UnsafeRawBufferPointer {
    guard self.kind(entry) == kind else {
      throw .corrupted(.unknownVector(role: role(entry).rawValue, kind: self.kind(entry).rawValue))
    }
    return unsafe bytes(entry)
  }

  /// Where the decoded form of a vector is kept.
  func slot(_ entry: Int) -> CacheSlot {
    // SAFETY: the environment outlives the view.
    let cache = unsafe environment._withUnsafeGuaranteedRef { $0.cache }
    return CacheSlot(cache: cache, page: page, item: UInt32(entry), column: columnID(entry))
  }
}

// SAFETY: the memory is never written while a view of it exists; `owner` is only held. The store is
// called by readers of external values, and is safe for that from any thread.
extension RowGroupPage: @unchecked Sendable {}
