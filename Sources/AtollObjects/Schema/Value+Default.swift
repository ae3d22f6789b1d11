extension Value {
  /// What a new object has in a column: null where that is allowed, else zero or nothing.
  package init(defaultOf layout: ColumnLayout) {
    switch layout.collection {
    case .list: self = .list([])
    case .set: self = .set([])
    case .map: self = .map(ValueMap())
    case .none:
      self =
        layout.allowsNull || layout.value == .link ? .null : Value(zeroOf: layout.value)
    }
  }

  /// Zero, false, or nothing; null for a link and a mixed value, which have no other.
  package init(zeroOf type: ValueType) {
    self =
      switch type {
      case .bool: .bool(false)
      case .int: .int(0)
      case .float: .float(0)
      case .double: .double(0)
      case .decimal: .decimal(Decimal128(low: 0, high: 0))
      case .string: .string("")
      case .data: .data([])
      case .date: Timestamp(seconds: 0, nanoseconds: 0).map { .date($0) } ?? .null
      case .objectID: .objectID(ObjectID(high: 0, low: 0))
      case .uuid: .uuid(UniqueID(high: 0, low: 0))
      case .mixed, .link: .null
      }
  }
}
