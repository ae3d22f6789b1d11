internal import AtollStorage

/// A row group as a leaf of its table's tree, in mutable form.
final class MutableRowGroup: TreeLeaf {
  /// What a row group's page should take: what four blocks hold less a margin for the
  /// guess that `estimatedByteCount` is.
  static let targetByteCount = Page.byteCount(inBlocks: 4) - 228
  /// Rows of small objects: more would make a point read slower and save nothing.
  static let rowLimit = 4096

  let builder: RowGroupBuilder
  /// Bytes of the encoded row group for each byte that the builder guessed, when this leaf's memory
  /// was last encoded: leaves that are filled one after the other come close to whole blocks.
  private var bytesPerGuess = 1.0
  private let environment: RowGroupEnvironment

  private init(_ builder: RowGroupBuilder, _ environment: RowGroupEnvironment) {
    self.builder = builder
    self.environment = environment
  }

  /// An empty leaf.
  convenience init(_ layout: RowGroupLayout, _ environment: RowGroupEnvironment) {
    self.init(RowGroupBuilder(layout, store: environment.store), environment)
  }

  /// Opens the row group in a page; its columns are decoded when they are written to.
  convenience init(_ page: Page, layout: RowGroupLayout, _ environment: RowGroupEnvironment)
    throws(StorageError)
  {
    let view = try RowGroupPage(page, environment: environment)
    do throws(ColumnError) {
      self.init(
        try RowGroupBuilder(opening: view, layout, store: environment.store), environment)
    } catch { throw Self.storageError(error) }
  }

  static func form(_ treeID: UInt32) -> TreeForm {
    TreeForm(treeID: treeID, leafKind: .rowGroup, hasByteKeys: false, compressesLeaves: false)
  }

  var entryCount: Int { builder.rowCount }
  var lowestKey: TreeKey { TreeKey(builder.key(0)) }
  var highestKey: TreeKey { TreeKey(builder.key(builder.rowCount - 1)) }
  /// Whether the next row of a load belongs in a new leaf; looked at every fourth row.
  var isFull: Bool {
    let rowCount = builder.rowCount
    guard rowCount > 0 else { return false }
    return rowCount >= Self.rowLimit
      || rowCount % 4 == 0 && estimatedByteCount >= Self.targetByteCount
  }

  /// Rows beyond the limit count as bytes, so that such a row group is split.
  var estimatedByteCount: Int {
    let guess = Int(Double(builder.estimatedByteCount) * bytesPerGuess)
    return builder.rowCount > Self.rowLimit ? max(guess, 2 * Self.targetByteCount) : guess
  }

  func splitOff() throws(StorageError) -> any TreeLeaf {
    do {
      return MutableRowGroup(try builder.split(at: builder.rowCount / 2), environment)
    } catch { throw Self.storageError(error) }
  }

  func absorb(_ next: any TreeLeaf) throws(StorageError) {
    guard let next = next as? MutableRowGroup else {
      preconditionFailure("a tree has leaves of one form")
    }
    do { try builder.append(contentsOf: next.builder) } catch { throw Self.storageError(error) }
  }

  func encode() throws(StorageError) -> (payload: [UInt8], summary: [UInt8]) {
    var payload: [UInt8] = []
    let guess = builder.estimatedByteCount
    do {
      let zones = try builder.encode(into: &payload)
      bytesPerGuess = Double(payload.count) / Double(max(1, guess))
      return (payload, zones.bytes)
    } catch { throw Self.storageError(error) }
  }

  func recycled() -> any TreeLeaf {
    builder.removeAll()
    let leaf = MutableRowGroup(builder, environment)
    leaf.bytesPerGuess = bytesPerGuess
    return leaf
  }

  /// Gives up the pages of the values that lie outside the leaf.
  func freeExternalValues() throws(StorageError) {
    do {
      for value in try builder.outsideValues() { try environment.store?.free(value) }
    } catch { throw Self.storageError(error) }
  }

  private static func storageError(_ error: any Error) -> StorageError {
    if case .valueTooLarge(let byteCount)? = error as? ColumnError {
      return .valueTooLarge(byteCount: byteCount, limit: BlobStore.byteCountLimit)
    }
    return StorageError(reading: error)
  }
}
