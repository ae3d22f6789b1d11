internal import AtollStorage

extension ColumnView {
  /// The values of this column that lie outside the leaf as one value: single values, and sets and
  /// maps that are one value.
  var externalReferences: [ExternalReference] {
    let collections = Self.values(external).filter { !$0.isList(layout) }
    return (collections + Self.values(values.external)).map(\.reference)
  }

  private static func values(_ vector: ExternalVector?) -> [ExternalValue] {
    guard let vector else { return [] }
    return (0..<vector.count).map { vector.value($0) }
  }

  /// Whether two rows hold the same collection outside of their leaves; nil when only a look at its
  /// elements can tell.
  func isSameOutside(_ row: Int, as otherRow: Int, of other: ColumnView) -> Bool? {
    guard let value = external?.find(row), let otherValue = other.external?.find(otherRow) else {
      return nil
    }
    if value == otherValue { return true }
    let isOtherLength =
      value.isList(layout) && otherValue.isList(other.layout)
      && value.byteCount != otherValue.byteCount
    return isOtherLength ? false : nil
  }

  /// The collections of this column that lie outside the leaf, element by element.
  var externalLists: [ExternalValue] {
    Self.values(external).filter { $0.isList(layout) }
  }

  /// Bytes of a string or of data outside the leaf, from `offset` on, `limit` of them or up to its
  /// end.
  package func externalBytes(
    _ value: ExternalValue, from offset: Int, limit: Int
  ) throws -> [UInt8] {
    guard let store else { throw placed(ColumnError.corrupted(.externalWithoutStore)) }
    let count = min(limit, Int(clamping: value.byteCount) - offset)
    guard count > 0 else { return [] }
    let bytes = try store.read(value.reference, from: offset, limit: count)
    guard bytes.count == count else { throw placed(ColumnError.corrupted(.value)) }
    return bytes
  }
}
