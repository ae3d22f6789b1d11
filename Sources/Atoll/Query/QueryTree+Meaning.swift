internal import AtollObjects
internal import AtollQuery

// Comparisons of enums and other types with few values. A file may hold a value that is none of
// them, and that reads as another: the comparison is one with what is read.

extension QueryTree {
  /// The comparison with a value; of a collection or of objects in one, that of any element.
  func compared<Value: _Storable>(
    _ comparator: QuerySyntax.Comparator, with value: Value, isCollection: Bool = false
  ) -> QueryTree {
    guard let known = Value._knownValues, case .path = form,
      let passes = Self.test(comparator, value._store(nil))
    else { return compared(comparator, QueryOperand(value, comparator)) }
    // Equal is one value only, and where no other reads as it, the plain comparison is the same.
    let other = other(Value.self, known)
    if comparator == .equal, !passes(other) { return compared(comparator, QueryOperand(value)) }
    if comparator == .notEqual, passes(other) { return compared(comparator, QueryOperand(value)) }
    var wanted = known.filter(passes)
    // Null, where a link on the way leads nowhere, differs from every value.
    if comparator == .notEqual, !Value._storedType.isOptional, isBehindLink { wanted.append(.null) }
    return reading(as: wanted, of: Value.self, known, isCollection: isCollection)
  }

  /// Whether the value is among others; of a collection or of objects in one, whether any element
  /// is.
  func contained<Value: _Storable>(
    in values: [Value], isCollection: Bool = false
  ) -> QueryTree {
    guard let known = Value._knownValues, case .path = form else {
      return contained(in: values.map { QueryOperand($0) }, any: isCollection)
    }
    let stored = values.map { $0._store(nil) }
    guard stored.contains(other(Value.self, known)) else {
      return contained(in: stored.map { .value($0) }, any: isCollection)
    }
    return reading(as: stored, of: Value.self, known, isCollection: isCollection)
  }

  /// Whether the value is in a range; of several, whether one of them is.
  ///
  /// `isOptional`: whether the property is optional, and reads as null what is no value of the type.
  func between<Value: _Storable>(
    _ low: Value, _ high: Value, excludesHigh: Bool = false, isOptional: Bool = false
  ) -> QueryTree {
    guard let known = Value._knownValues, case .path = form,
      let isInRange = Self.isInRange(low, high, excludesHigh)
    else { return between(QueryOperand(low), QueryOperand(high), excludesHigh: excludesHigh) }
    let wanted = known.filter(isInRange)
    // Null is in no range.
    guard !isOptional else { return contained(in: wanted.map { .value($0) }) }
    return reading(as: wanted, of: Value.self, known, isCollection: false)
  }

  /// Whether a collection has elements and all are in a range; behind a collection of objects,
  /// whether that is so for one of them.
  func eachElement<Value: _Storable>(
    from low: Value, to high: Value, excludesHigh: Bool = false
  ) -> QueryTree {
    guard let known = Value._knownValues, case .path = form,
      let isInRange = Self.isInRange(low, high, excludesHigh)
    else {
      return eachElement([
        (.greaterOrEqual, QueryOperand(low)),
        (excludesHigh ? .less : .lessOrEqual, QueryOperand(high)),
      ])
    }
    let unwanted = known.filter { !isInRange($0) }
    return eachElement(
      butFor: reading(as: unwanted, of: Value.self, known, isCollection: true))
  }

  private static func isInRange<Value: _Storable>(
    _ low: Value, _ high: Value, _ excludesHigh: Bool
  ) -> ((_StoredValue) -> Bool)? {
    guard let isFromLow = test(.greaterOrEqual, low._store(nil)),
      let isToHigh = test(excludesHigh ? .less : .lessOrEqual, high._store(nil))
    else { return nil }
    return { isFromLow($0) && isToHigh($0) }
  }

  /// Whether a collection has a value.
  func containing<Value: _Storable>(_ value: Value) -> QueryTree {
    Value._knownValues == nil
      ? containing(QueryOperand(value)) : compared(.equal, with: value, isCollection: true)
  }

  /// What a stored value reads as that is none of the type's.
  private func other<Value: _Storable>(
    _ type: Value.Type, _ known: [_StoredValue]
  ) -> _StoredValue {
    Value._storedType.isOptional ? .null : unset ?? known.first ?? .null
  }

  /// Whether the value reads as one of some of the type's own.
  private func reading<Value: _Storable>(
    as wanted: [_StoredValue], of type: Value.Type, _ known: [_StoredValue], isCollection: Bool
  ) -> QueryTree {
    guard wanted.contains(other(type, known)) else {
      return contained(in: wanted.map { .value($0) }, any: isCollection)
    }
    // What passes is all but the others of the type, which are few; null where a link on the way
    // leads nowhere is no value of it.
    var unwanted = known.filter { !wanted.contains($0) }
    if !Value._storedType.isOptional, isBehindLink { unwanted.append(.null) }
    return excluded(from: unwanted.map { .value($0) })
  }

  private static func test(
    _ comparator: QuerySyntax.Comparator, _ value: _StoredValue
  ) -> ((_StoredValue) -> Bool)? {
    switch comparator {
    case .equal: { $0 == value }
    case .notEqual: { $0 != value }
    case .less: { isLess($0, value) == true }
    case .lessOrEqual: { $0 == value || isLess($0, value) == true }
    case .greater: { isLess(value, $0) == true }
    case .greaterOrEqual: { $0 == value || isLess(value, $0) == true }
    default: nil
    }
  }

  /// Whether one raw value is less than another; nil for others, and null.
  private static func isLess(_ a: _StoredValue, _ b: _StoredValue) -> Bool? {
    switch (a, b) {
    case (.int(let a), .int(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    case (.float(let a), .float(let b)): a < b
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    default: nil
    }
  }
}
