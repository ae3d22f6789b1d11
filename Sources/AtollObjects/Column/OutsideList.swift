/// The elements of a collection outside of its leaf.
///
/// A set is the list of its members, a map the list of its entries, both in the order of
/// `Value.sortOrder`: of members, or of keys. So a member, or a key, is found by its value.
package protocol OutsideElements {
  /// Of the column that holds the collection.
  var layout: ColumnLayout { get }
  /// The number of elements.
  var count: Int { get }
  /// The elements of a range, which is inside; of a map its values.
  func elements(_ range: Range<Int>) throws -> [Value]
  /// The keys of a range of a map's entries.
  func keys(_ range: Range<Int>) throws -> [String]
  /// How many bytes the elements, and the keys of a map, have: each at least 20, and of strings,
  /// data and mixed values those too.
  func byteCount() throws -> Int
  /// The element at `index`, with those that lie beside it.
  func run(at index: Int) throws -> PartRun
}

/// A collection outside of its leaf that is being changed, element by element.
///
/// Lives in the column of its row until the leaf is encoded, which stores it.
package protocol OutsideList: OutsideElements, AnyObject {
  /// Inserts an element before the one at `index`, or at the end; `key`: of a map's entry.
  func insert(_ element: Value, key: String?, at index: Int) throws
  /// Changes an element; an entry of a map keeps its key.
  func set(_ index: Int, _ element: Value) throws
  func remove(at index: Int) throws
  /// Writes what was changed; the list may be changed further.
  func store() throws -> ExternalValue
  /// Gives up everything that the list has in the store.
  func removeAll() throws
}

/// Members of a set, or keys of a map, that lie together.
package struct PartRun {
  /// Their places among all, at least one.
  package var range: Range<Int>
  /// The one at a place in `range`.
  package var part: (Int) throws -> Value

  package init(range: Range<Int>, part: @escaping (Int) throws -> Value) {
    self.range = range
    self.part = part
  }
}

/// Where a member of a set, or a key of a map, is, or else where it would go.
package struct PartPlace: Hashable, Sendable {
  package var index: Int
  package var isThere: Bool

  package init(index: Int, isThere: Bool) {
    self.index = index
    self.isThere = isThere
  }

  /// Looks for a part among those of `range`, which ascend.
  init(of wanted: Value, in range: Range<Int>, _ part: (Int) throws -> Value) rethrows {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = low + (high - low) / 2
      switch Value.sortOrder(try part(middle), wanted) {
      case .less: low = middle + 1
      case .greater: high = middle
      case .equal:
        self.init(index: middle, isThere: true)
        return
      }
    }
    self.init(index: low, isThere: false)
  }
}

extension OutsideElements {
  /// Where a member of a set, or a key of a map, is.
  ///
  /// `near`: where it may be; of parts that are looked for in their order, each lies near the one
  /// before it. Cost: a look at one or two leaves if it is there, else at as many as a binary search
  /// among all of them takes.
  package func place(of wanted: Value, near: Int? = nil) throws -> PartPlace {
    var low = 0
    var high = count
    var guess = near
    var guessCount = 0
    while low < high {
      let index = guess.map { min(max($0, low), high - 1) } ?? low + (high - low) / 2
      guessCount += 1
      let run = try run(at: index)
      // The index is in the run, so what is left gets less, whatever a damaged file says.
      let range = run.range.clamped(to: low..<high)
      switch Value.sortOrder(wanted, try run.part(range.lowerBound)) {
      case .equal: return PartPlace(index: range.lowerBound, isThere: true)
      case .less:
        high = range.lowerBound
        guess = guess != nil && guessCount == 1 ? high - 1 : nil
        continue
      case .greater: break
      }
      switch Value.sortOrder(wanted, try run.part(range.upperBound - 1)) {
      case .equal: return PartPlace(index: range.upperBound - 1, isThere: true)
      case .greater:
        low = range.upperBound
        guess = guess != nil && guessCount == 1 ? low : nil
      case .less: return try PartPlace(of: wanted, in: range, run.part)
      }
    }
    return PartPlace(index: low, isThere: false)
  }

  /// The whole collection.
  package func value() throws -> Value {
    let elements = try elements(0..<count)
    switch layout.collection {
    case .list: return .list(elements)
    case .set: return .set(elements)
    case .map:
      return .map(
        ValueMap(zip(try keys(0..<count), elements).map { (key: $0, value: $1) }))
    case .none: preconditionFailure("a kind of collection")
    }
  }
}

/// What a row no longer holds, and what has to be freed with it.
package enum ReleasedValue {
  /// A value, or a collection that is one value.
  case value(ExternalReference)
  case list(ExternalValue, ColumnLayout)
  /// A list that was being changed.
  case openList(any OutsideList)
}

extension ExternalStore {
  /// Gives back what a row held.
  package func free(_ released: ReleasedValue) throws {
    switch released {
    case .value(let reference): try free(reference)
    case .list(let value, let layout): try openList(value, layout).removeAll()
    case .openList(let list): try list.removeAll()
    }
  }
}
