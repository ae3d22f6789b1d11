extension ColumnView {
  /// The values of this column that lie outside the leaf, whole collections and single values alike.
  var externalReferences: [ExternalReference] {
    [external, values.external].compactMap { $0 }.flatMap { vector in
      (0..<vector.count).map { vector.value($0).reference }
    }
  }

  /// Bytes of a string or of data outside the leaf, from `offset` on, `limit` of them or up to its
  /// end.
  package func externalBytes(
    _ value: ExternalValue, from offset: Int, limit: Int
  ) throws -> [UInt8] {
    guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
    let count = min(limit, Int(clamping: value.byteCount) - offset)
    guard count > 0 else { return [] }
    let bytes = try store.read(value.reference, from: offset, limit: count)
    guard bytes.count == count else { throw ColumnError.corrupted(.value) }
    return bytes
  }
}
