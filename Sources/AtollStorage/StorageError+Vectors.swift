// Damage inside of a leaf's page, by the vector that it is in.

extension StorageError {
  /// The part of a leaf that is damaged.
  public enum VectorPart: Equatable, Sendable {
    /// The header and the directory of the leaf.
    case directory
    /// The keys of the objects.
    case keys
    /// The column with this id.
    case column(UInt32)
    /// The values of a leaf of an index.
    case indexValues
    /// How many objects each value of a leaf of an index has.
    case indexCounts
  }

  /// The rule of the format that the bytes of a vector break.
  public enum VectorProblem: Error, Equatable, Sendable {
    case truncated(byteCount: Int, needed: Int)
    case reservedBytesInUse
    case unknownEncoding(UInt8)
    case unknownWidth(UInt8)
    case unknownVector(role: UInt8, kind: UInt8)
    case unsortedDirectory
    case unsortedKeys
    case count(expected: Int, found: Int)
    case entryOutOfBounds(entry: Int, entryCount: Int)
    case lengthsDoNotAddUp
    case decompression
    case notUTF8
    case externalWithoutStore
    case value
  }
}

extension StorageError.VectorPart: CustomStringConvertible {
  public var description: String {
    switch self {
    case .directory: "its directory of vectors"
    case .keys: "the vector of its keys"
    case .column(let id): "the vectors of column \(id)"
    case .indexValues: "the vector of its values"
    case .indexCounts: "the vector of its counts"
    }
  }
}

extension StorageError.VectorProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .truncated(let byteCount, let needed):
      "\(needed) bytes are needed and \(byteCount) are there"
    case .reservedBytesInUse: "bytes that this format keeps zero are in use"
    case .unknownEncoding(let encoding): "unknown encoding \(encoding)"
    case .unknownWidth(let width): "unknown width \(width)"
    case .unknownVector(let role, let kind):
      "a vector of role \(role) and kind \(kind) has no place"
    case .unsortedDirectory: "entries are not in ascending order"
    case .unsortedKeys: "keys are not in ascending order"
    case .count(let expected, let found): "\(found) where \(expected) are expected"
    case .entryOutOfBounds(let entry, let entryCount):
      "entry \(entry) is out of the bounds of \(entryCount) entries"
    case .lengthsDoNotAddUp: "lengths or counts do not add up"
    case .decompression: "the bytes cannot be decompressed"
    case .notUTF8: "a string is not UTF-8"
    case .externalWithoutStore: "a value outside of the leaf cannot be reached"
    case .value: "the bytes of a value are of no value"
    }
  }
}
