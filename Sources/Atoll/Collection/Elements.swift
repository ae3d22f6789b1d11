internal import AtollObjects
internal import AtollQuery

/// What a collection holds at one time: the keys of objects, or values.
enum Elements {
  /// The objects of the class in the table with this id.
  case objects(table: UInt32, KeyList)
  case values([_StoredValue])

  var count: Int {
    switch self {
    case .objects(_, let keys): keys.count
    case .values(let values): values.count
    }
  }

  var isEmpty: Bool { count == 0 }

  /// The element as the file holds it: a link for an object.
  subscript(index: Int) -> _StoredValue {
    switch self {
    case .objects(let table, let keys): .link(ObjectLink(table: table, key: keys[index].rawValue))
    case .values(let values): values[index]
    }
  }

  var first: _StoredValue? { isEmpty ? nil : self[0] }

  /// The place of an element; nil when it is not among them.
  ///
  /// `meaning`: what a stored value reads as, where that can differ.
  func index(
    of value: _StoredValue, meaning: ((_StoredValue) -> _StoredValue)? = nil
  ) -> Int? {
    if let meaning, case .values(let values) = self {
      return values.firstIndex { meaning($0) == value }
    }
    switch self {
    case .objects(let table, let keys):
      guard case .link(let link) = value, link.table == table else { return nil }
      return keys.array.firstIndex(of: ObjectKey(rawValue: link.key))
    case .values(let values): return values.firstIndex(of: value)
    }
  }

  /// The keys of objects; none for values.
  var keys: [ObjectKey] {
    if case .objects(_, let keys) = self { keys.array } else { [] }
  }
}
