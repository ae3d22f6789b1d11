// Three comparisons, because the query language has three, and one for what a file holds:
//
//   equal        `==` in predicates       NaN equals nothing
//   ordered      `<` … in predicates      partial
//   sortOrder    SORT, @min, @max, sets   total: every value has its place
//   isIdentical  what was changed         to the bit
//
// The first three compare numbers by exact value, so they agree with each other and with
// `Hashable` wherever each is defined, and all are transitive.

extension Value {
  /// Whether two values are equal in a predicate.
  ///
  /// Numbers of any types by exact value; NaN equals nothing. Null equals null
  /// only. Strings byte by byte. Values of types that do not compare are not
  /// equal. Lists element by element, sets in any order, maps by keys and values.
  package static func equal(_ a: Value, _ b: Value) -> Bool {
    isEqual(a, b, nanEqualsNaN: false)
  }

  /// The order of two values in a predicate with `<`, `<=`, `>` or `>=`.
  ///
  /// Nil when they have none and every such test is false: types that do not
  /// compare, NaN, links, collections, and null against a value. Two nulls are
  /// `.equal`, so that `<=` and `>=` hold between them.
  package static func ordered(_ a: Value, _ b: Value) -> Ordering? {
    switch (a, b) {
    case (.int(let x), .int(let y)): return Ordering(x, y)
    case (.string(let x), .string(let y)): return Ordering(utf8: x, y)
    case (.null, .null): return .equal
    case (.bool(let x), .bool(let y)): return Ordering(x ? 1 : 0, y ? 1 : 0)
    case (.data(let x), .data(let y)): return Ordering(bytes: x, y)
    case (.date(let x), .date(let y)): return Ordering(x, y)
    case (.objectID(let x), .objectID(let y)): return Ordering(x, y)
    case (.uuid(let x), .uuid(let y)): return Ordering(x, y)
    default:
      guard let x = a.number, let y = b.number else { return nil }
      return Number.order(x, y)
    }
  }

  /// The total order of sorting.
  ///
  /// Null, then booleans, numbers by value (NaN first), strings, data, dates,
  /// object ids, UUIDs, links, lists, sets, maps. Lists compare element by
  /// element; sets as their sorted elements; maps by key, then value, entry by
  /// entry. `.equal` exactly when `==` holds.
  package static func sortOrder(_ a: Value, _ b: Value) -> Ordering {
    if let order = ordered(a, b) { return order }
    switch (a, b) {
    case (.link(let x), .link(let y)):
      return Ordering(x, y)
    case (.list(let x), .list(let y)):
      return Ordering(x, y, by: sortOrder)
    case (.set(let x), .set(let y)):
      return Ordering(sorted(x), sorted(y), by: sortOrder)
    case (.map(let x), .map(let y)):
      return Ordering(x.entries, y.entries) { first, second in
        let keys = Ordering(utf8: first.key, second.key)
        return keys == .equal ? sortOrder(first.value, second.value) : keys
      }
    default:
      // Different kinds, or numbers one of which is NaN.
      if let x = a.number, let y = b.number { return Ordering(x.isNaN ? 0 : 1, y.isNaN ? 0 : 1) }
      return Ordering(a.sortRank, b.sortRank)
    }
  }

  /// Whether a file holds the same of both: of one type, to the bit.
  ///
  /// `==` is true of an int 1 and a double 1.0 too, which a mixed property may hold, of 0.0 and -0.0,
  /// and of the decimals 1.0 and 1.00; queries, sums and texts tell these apart, so that who was
  /// changed from one to the other was changed.
  package static func isIdentical(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
    case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
    case (.decimal(let x), .decimal(let y)): x.bitPattern == y.bitPattern
    case (.list(let x), .list(let y)): x.elementsEqual(y, by: isIdentical)
    case (.set(let x), .set(let y)):
      x.count == y.count
        && (x.elementsEqual(y, by: isIdentical)
          || sorted(x).elementsEqual(sorted(y), by: isIdentical))
    case (.map(let x), .map(let y)):
      x.entries.elementsEqual(y.entries) {
        $0.key.hasSameBytes(as: $1.key) && isIdentical($0.value, $1.value)
      }
    default: a.type == b.type && a == b
    }
  }

  private static func sorted(_ elements: [Value]) -> [Value] {
    elements.sorted { sortOrder($0, $1) == .less }
  }

  /// The place of the value's kind among all kinds.
  private var sortRank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectID: 6
    case .uuid: 7
    case .link: 8
    case .list: 9
    case .set: 10
    case .map: 11
    }
  }

  private static func isEqual(_ a: Value, _ b: Value, nanEqualsNaN: Bool) -> Bool {
    switch (a, b) {
    case (.link(let x), .link(let y)):
      return x == y
    case (.data(let x), .data(let y)):
      return x == y
    case (.string(let x), .string(let y)):
      return x.utf8.count == y.utf8.count && Ordering(utf8: x, y) == .equal
    case (.list(let x), .list(let y)):
      return isEqual(x, y, nanEqualsNaN: nanEqualsNaN)
    case (.set(let x), .set(let y)):
      guard x.count == y.count else { return false }
      return isEqual(x, y, nanEqualsNaN: nanEqualsNaN)
        || isEqual(sorted(x), sorted(y), nanEqualsNaN: nanEqualsNaN)
    case (.map(let x), .map(let y)):
      return x.entries.elementsEqual(y.entries) {
        Ordering(utf8: $0.key, $1.key) == .equal
          && isEqual($0.value, $1.value, nanEqualsNaN: nanEqualsNaN)
      }
    default:
      if let x = a.number, let y = b.number, nanEqualsNaN { return x == y }
      return ordered(a, b) == .equal
    }
  }

  private static func isEqual(_ a: [Value], _ b: [Value], nanEqualsNaN: Bool) -> Bool {
    a.elementsEqual(b) { isEqual($0, $1, nanEqualsNaN: nanEqualsNaN) }
  }
}

extension Value: Hashable {
  /// Equality as `equal(_:_:)` has it, except that NaN equals NaN, in any numeric type.
  public static func == (a: Value, b: Value) -> Bool {
    isEqual(a, b, nanEqualsNaN: true)
  }

  /// Feeds equal bytes for equal values: 1, 1.0 and decimal 1.00 hash alike.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(sortRank)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    // By its bytes, as equality has it: Swift's own hash is one for all spellings of a text.
    case .string(var value):
      value.withUTF8 { bytes in
        // SAFETY: the bytes are read during the call.
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        hasher.combine(bytes.count)
      }
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .objectID(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .list(let elements): hasher.combine(elements)
    case .set(let elements):
      // A sum does not depend on the order of the elements.
      hasher.combine(elements.reduce(0) { $0 &+ $1.hashValue })
    case .map(let map):
      for entry in map.entries {
        hasher.combine(entry.key)
        hasher.combine(entry.value)
      }
      hasher.combine(map.count)
    case .int, .float, .double, .decimal:
      number.hash(into: &hasher)
    }
  }
}
