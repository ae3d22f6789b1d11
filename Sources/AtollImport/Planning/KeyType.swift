import AtollObjects

/// The types of primary key.
package enum KeyType: Equatable {
  case int, string, objectID, uuid

  var type: ValueType {
    switch self {
    case .int: .int
    case .string: .string
    case .objectID: .objectID
    case .uuid: .uuid
    }
  }

  /// The kinds of data that are such a key.
  ///
  /// `isTried`: whether each value was tried, so that text can be an identifier.
  func kinds(isTried: Bool) -> DataKindSet {
    switch self {
    case .int: .ints
    case .string: .strings
    case .objectID: DataKindSet(.objectID).union(isTried ? .strings : [])
    case .uuid: DataKindSet(.uuid).union(isTried ? .strings : [])
    }
  }

  init?(_ type: ValueType) {
    switch type {
    case .int: self = .int
    case .string: self = .string
    case .objectID: self = .objectID
    case .uuid: self = .uuid
    default: return nil
    }
  }

  /// The type of the primary key of a class; nil when it has none.
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
    case .objectID: self = .objectID
    case .uuid: self = .uuid
    case .textBool, .textInt, .textWideInt, .textDouble, .textExponent, .textDate, .text:
      self = keys.kinds.isSubset(of: .ints) ? .int : .string
    case .bool, .longInt, .wideLongInt, .double, .longDouble, .list, .object, .decimal, .float,
      .data, .date, .link, nil:
      return nil
    }
  }
}
