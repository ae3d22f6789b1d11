internal import AtollStorage

// The entries of indexes.

extension TableWriter {
  /// The objects that link to `target` through `column`, one that does so twice twice.
  package func sources(of target: UInt64, _ column: Column) throws(ObjectError) -> [UInt64] {
    guard let bytes = Index.bytes(of: Index.target(target)) else { return [] }
    do throws(StorageError) { return try slot(column)?.backlinks?.keys(of: bytes) ?? [] } catch {
      throw .storage(error)
    }
  }

  /// The objects whose mixed values in `column` link to `target`.
  func sources(ofMixed target: ObjectLink, _ column: Column) throws(ObjectError) -> [UInt64] {
    do throws(StorageError) {
      return try slot(column)?.backlinks?.keys(of: Index.bytes(ofMixedTarget: target)) ?? []
    } catch { throw .storage(error) }
  }

  func addEntry(_ column: Column, _ value: Value, _ key: UInt64) throws(ObjectError) {
    guard let index = slot(column)?.index, let bytes = Index.bytes(of: value) else {
      return
    }
    do throws(StorageError) { try index.insert(bytes, key: key) } catch {
      throw .storage(error)
    }
  }

  /// Refuses what is too long for an index, before anything is changed.
  func checkIndexable(_ value: Value, _ column: Column) throws(ObjectError) {
    guard let byteCount = Index.excessByteCount(of: value) else { return }
    throw tooLarge(column, byteCount, limit: Index.textByteLimit)
  }

  /// Whether a single value is known to need no conversion and to be small enough.
  func fitsAsGiven(_ value: Value, _ column: Column) -> Bool {
    guard column.layout.collection == .none, tableIndexes.isEmpty else { return false }
    switch (column.layout.value, value) {
    case (.int, .int), (.bool, .bool), (.double, .double), (.date, .date), (.float, .float),
      (.objectID, .objectID), (.uuid, .uuid):
      return true
    case (.string, .string(let string)):
      return !column.isIndexed && string.utf8.count <= ExternalValue.maximumInlineByteCount
    default: return false
    }
  }

  /// Refuses what is too large for the file, before anything is changed.
  package func checkSize(_ value: Value, _ column: Column) throws(ObjectError) {
    let byteCount = Self.byteCount(value, column)
    guard byteCount <= BlobStore.byteCountLimit else {
      throw tooLarge(column, byteCount, limit: BlobStore.byteCountLimit)
    }
  }

  /// The bytes of a value that may be large, as the store would hold it; 0 for any other.
  static func byteCount(_ value: Value, _ column: Column) -> Int {
    let isMixed = column.layout.value == .mixed
    return switch value {
    case .list, .set, .map: MixedCoding.byteCount(of: value)
    case .string(let string): isMixed ? MixedCoding.byteCount(of: value) : string.utf8.count
    case .data(let data): isMixed ? MixedCoding.byteCount(of: value) : data.count
    default: 0
    }
  }

  func tooLarge(_ column: Column, _ byteCount: Int, limit: Int) -> ObjectError {
    .valueTooLarge(
      className: schema.name, property: column.name, byteCount: byteCount, limit: limit)
  }
}
