/// One column of a table that is being written, with all that setting a value needs, found once.
@safe
final class ColumnSlot {
  let column: Column
  /// The type of a plain column; nil for a collection.
  let type: ValueType?
  let index: MutableIndex?
  private(set) var backlinks: MutableIndex?
  let fullText: MutableIndex?
  /// The indexes of several columns, this one among them.
  let tableIndexes: [TableIndexSlot]
  /// Whether there are any.
  let isIndexedJointly: Bool
  // For the loop that sets one value after the other: what the slot holds anyway, without a count
  // of references for each value.
  let uncountedIndex: Unmanaged<MutableIndex>?
  // SAFETY: the run-time checks of exclusive access are left out: one thread uses a table's writer,
  // and no access to these calls back.
  /// The column of the selected row group; nil until it is asked for.
  @exclusivity(unchecked) private(set) var builder: ColumnBuilder?
  /// The values of `builder`, which holds them, for a plain column.
  @exclusivity(unchecked) private(set) var values: Unmanaged<ScalarBuilder>?
  /// Whether the selected object, which is new, has no entry in the index yet.
  ///
  /// It gets one when it is set, or for its default when the selection ends.
  @exclusivity(unchecked) var isUnlisted = false
  /// Whether the selected object is listed under its value, so that it must be known to replace it.
  var hasEntries: Bool { unsafe keepsLinksOrWords || uncountedIndex != nil && !isUnlisted }
  /// Whether backlinks or a full-text index are kept, or may come to be.
  let keepsLinksOrWords: Bool
  /// Targets of links set by the typed path: the commit checks that they exist.
  @exclusivity(unchecked) var uncheckedTargets: [UInt64] = []

  init(
    _ column: Column, index: MutableIndex?, backlinks: MutableIndex?,
    fullText: MutableIndex?, tableIndexes: [TableIndexSlot]
  ) {
    self.column = column
    self.index = index
    self.backlinks = backlinks
    self.fullText = fullText
    self.tableIndexes = tableIndexes
    isIndexedJointly = !tableIndexes.isEmpty
    keepsLinksOrWords =
      backlinks != nil || fullText != nil || column.layout.value == .mixed
    unsafe uncountedIndex = index.map { unsafe Unmanaged.passUnretained($0) }
    type = column.layout.collection == .none ? column.layout.value : nil
  }

  /// Keeps the backlinks of a mixed column from its first link on.
  func beginBacklinks(_ backlinks: MutableIndex) { self.backlinks = backlinks }

  /// Takes up the column of the selected row group.
  func open(_ builder: ColumnBuilder) {
    unsafe self.builder = builder
    unsafe values = type == nil ? nil : Unmanaged.passUnretained(builder.values)
  }

  /// Another row group is selected.
  func close() {
    unsafe builder = nil
    unsafe values = nil
  }
}
