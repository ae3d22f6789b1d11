import AtollObjects

/// The types of primary key that data can give.
package enum KeyType: Equatable {
  case int, string

  var type: ValueType { self == .int ? .int : .string }

  /// The kinds of data that are such a key.
  var kinds: DataKindSet { self == .int ? .ints : .strings }

  init?(_ type: ValueType) {
    switch type {
    case .int: self = .int
    case .string: self = .string
    default: return nil
    }
  }

  /// The type of the primary key of a class; nil when it has none, or one that data cannot give.
  init?(of description: ClassSchema) {
    guard let name = description.primaryKey, let property = description[name] else { return nil }
    self.init(property.type)
  }

  /// The type of keys that the data shows, which is that of the first one; nil when there is none
  /// or it is of another type.
  ///
  /// Fields without type are int keys when all are integers, else string keys.
  init?(_ keys: KindObservation) {
    switch keys.earliest?.kind {
    case .int, .wideInt: self = .int
    case .string, .dateString: self = .string
    case .textBool, .textInt, .textWideInt, .textDouble, .textDate, .text:
      self = keys.kinds.isSubset(of: .ints) ? .int : .string
    case .bool, .longInt, .double, .list, .object, nil: return nil
    }
  }
}
