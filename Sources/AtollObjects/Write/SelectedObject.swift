/// The object that a table's writer reads and writes, in its decoded row group.
///
/// An appended row begins without values: a column that has none gets its default when the row is
/// read or the selection ends.
struct SelectedObject {
  let rowGroup: RowGroupBuilder
  let key: UInt64
  /// The object's place in the row group.
  let row: Int
  /// How many columns of an appended row have no value yet; 0 for any other row.
  var missingCount = 0
}

/// The largest key of a class, as far as a table's writer knows it.
///
/// May be larger than any key in use when the last objects were deleted in the transaction: good
/// enough to recognise an append.
enum GreatestKey {
  case unknown
  /// Nil: the class has no objects.
  case known(UInt64?)
}
