internal import AtollObjects

extension ByteIntervals {
  /// The index keys of the values of `type` that pass `predicate`; nil where keys do not tell.
  ///
  /// For types that no vector scan tests: decimals, UUIDs and object ids. Their keys are in the
  /// order of the values, NaN before all other decimals. Null is not among them.
  static func keys(of type: ValueType, passing predicate: ValuePredicate) -> ByteIntervals? {
    let sample: Value
    switch type {
    case .decimal: sample = .decimal(.zero)
    case .uuid: sample = .uuid(UniqueID(high: 0, low: 0))
    case .objectID: sample = .objectID(ObjectID(seconds: 0, random: 0, counter: 0))
    default: return nil
    }
    guard let tag = Index.bytes(of: sample)?.first, let passing = passing(predicate, type)
    else { return nil }
    return .intersection([ByteIntervals(beginningWith: [tag]), passing])
  }

  /// What tells the keys of the values that pass from those of the others of `type`.
  private static func passing(_ predicate: ValuePredicate, _ type: ValueType) -> ByteIntervals? {
    switch predicate {
    case .compare(let comparator, let constant, _): return passing(comparator, constant, type)
    case .compareReversed(let comparator, let constant, _):
      return passing(comparator.reversed, constant, type)
    case .between(let low, let high):
      return complete([passing(.greaterOrEqual, low, type), passing(.lessOrEqual, high, type)])
        .map(intersection)
    case .isIn(let list):
      return complete(list.values.map { passing(.equal, $0, type) }).map(union)
    case .all(let terms): return complete(terms.map { passing($0, type) }).map(intersection)
    case .any(let terms): return complete(terms.map { passing($0, type) }).map(union)
    case .not(let inner): return passing(inner, type)?.complement
    }
  }

  private static func passing(
    _ comparator: QuerySyntax.Comparator, _ constant: Value, _ type: ValueType
  ) -> ByteIntervals? {
    // Numbers of another type compare by more than their keys.
    if type.isNumeric, let other = constant.type, other.isNumeric, other != type { return nil }
    guard constant.type == type, ValueComparison.ordered(constant, constant) != nil,
      let key = Index.bytes(of: constant), let behind = IndexRange.successor(of: key)
    else {
      // NaN, null and what is of another type equal no value and have no order with any.
      return comparator == .notEqual ? .all : .empty
    }
    // NaN has no order with a number either.
    guard let least = type == .decimal ? Index.bytes(of: .decimal(-.infinity)) : [] else {
      return nil
    }
    // Up to the next byte string that does not begin with the key, as no key is the beginning of
    // another: so the keys of ids that follow each other join to few intervals.
    let equal = Interval(low: key, high: behind)
    switch comparator {
    case .equal, .in: return ByteIntervals([equal])
    case .notEqual: return ByteIntervals([equal]).complement
    case .less: return ByteIntervals([Interval(low: least, high: key)])
    case .lessOrEqual: return ByteIntervals([Interval(low: least, high: behind)])
    case .greater: return ByteIntervals([Interval(low: behind, high: nil)])
    case .greaterOrEqual: return ByteIntervals([Interval(low: key, high: nil)])
    case .beginsWith, .endsWith, .contains, .like: return .empty
    }
  }

  /// The sets, if all are known.
  private static func complete(_ sets: [ByteIntervals?]) -> [ByteIntervals]? {
    let known = sets.compactMap(\.self)
    return known.count == sets.count ? known : nil
  }
}
