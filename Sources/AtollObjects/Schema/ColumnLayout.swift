/// What a column holds: the type of a value, the kind of collection around it, and whether a value
/// (in a collection: an element) may be null.
package struct ColumnLayout: Hashable, Sendable {
  package var value: ValueType
  package var collection: CollectionKind
  package var isOptional: Bool
  /// Links: the table that they lead to, which the row group does not repeat.
  package var linkTable: UInt32

  package init(
    _ value: ValueType, _ collection: CollectionKind = .none, isOptional: Bool = false,
    linkTable: UInt32 = 0
  ) {
    self.value = value
    self.collection = collection
    self.isOptional = isOptional
    self.linkTable = linkTable
  }

  /// Whether a value may be null.
  ///
  /// A mixed value always may.
  @inlinable
  package var allowsNull: Bool {
    isOptional || value == .mixed
  }

  /// Whether values may hold links, of a mixed one to objects of any class.
  package var mayHoldLinks: Bool { value == .link || value == .mixed }

  /// Whether it is a set or a map, whose members or entries are changed one by one.
  package var hasParts: Bool { collection == .set || collection == .map }

  /// Whether it is a set of which two values that are recorded as different members may be equal, as
  /// 1.0 and 1 are.
  package var mayHoldEqualMembers: Bool {
    guard collection == .set else { return false }
    return switch value {
    case .float, .double, .decimal, .mixed: true
    default: false
    }
  }
}

/// The vectors that the values of a type are kept in.
package enum PhysicalForm: Hashable, Sendable {
  /// One bit each: bool.
  case bits
  /// One integer each: int, and the key of a link.
  case ints
  /// Two integers each, seconds and nanoseconds: date.
  case timestamps
  /// A fixed number of bytes each: float, double, decimal, object id, uuid.
  case fixed(width: Int)
  /// Any number of bytes each: string, data, mixed.
  case bytes

  package init(_ type: ValueType) {
    self =
      switch type {
      case .bool: .bits
      case .int, .link: .ints
      case .date: .timestamps
      case .float: .fixed(width: 4)
      case .double: .fixed(width: 8)
      case .objectID: .fixed(width: 12)
      case .decimal, .uuid: .fixed(width: 16)
      case .string, .data, .mixed: .bytes
      }
  }
}

/// What a vector is for in its column; the raw value is on disk (Format.md, "Row group").
///
/// A column that is not a collection has the first three, of one entry per row. A collection has
/// counts per row, and the same three again for all its elements, one row after the other.
package enum VectorRole: UInt8, CaseIterable, Sendable {
  case validity = 0
  case values = 1
  case nanoseconds = 2
  case counts = 3
  case mapKeys = 4
  case elementValidity = 5
  case elementValues = 6
  case elementNanoseconds = 7
  case external = 8
  case elementExternal = 9
}

/// How the bytes of a vector are to be read; the raw value is on disk.
package enum VectorKind: UInt8, Sendable {
  case ints = 1
  case bits = 2
  case fixed = 3
  case bytes = 4
  case external = 5
}
