internal import AtollObjects
internal import AtollQuery

/// Many views of one class, by the values that an object must have to be in them.
///
/// A change finds the views that it may concern by the values of the object, and does not visit the
/// others. Of several terms of an AND a view is filed under the one that the fewest others share: so
/// `status == 'open' AND owner == 'ann'` of thousands of users is found by the owner.
struct InterestIndex {
  /// What a view is filed under.
  private struct Filing {
    var terms: [Term] = []
    /// Whether each object that has what the terms say is in the view.
    var isExact = true
    /// About how many views are found for each object that is found for this one.
    var crowd = 0
  }

  private struct Term: Hashable {
    let column: UInt32
    let place: Place
  }

  private enum Place: Hashable {
    case value([UInt8])
    case range(IntervalTree.Interval)
  }

  /// The views that are filed under one property.
  private struct ColumnFile {
    let column: Column
    var values: [[UInt8]: Numbers] = [:]
    var ranges: IntervalTree

    var isEmpty: Bool { values.isEmpty && ranges.isEmpty }

    func visitAll(_ body: (UInt32) -> Void) {
      for numbers in values.values {
        switch numbers {
        case .one(let number): body(number)
        case .several(let all): for number in all { body(number) }
        }
      }
      ranges.visitAll(body)
    }
  }

  /// The views of one value: mostly one.
  private enum Numbers {
    case one(UInt32)
    case several(Set<UInt32>)

    var count: Int {
      switch self {
      case .one: 1
      case .several(let all): all.count
      }
    }
  }

  private var files: [UInt32: ColumnFile] = [:]
  private var columns: [UInt32: Column] = [:]
  private var filings: [UInt32: Filing] = [:]
  private let seed: UInt64
  /// Views that any object may be in, and whether each object is.
  private(set) var everywhere: [UInt32: Bool] = [:]

  /// - Parameter seed: A number that those who write the queries do not know.
  init(seed: UInt64) { self.seed = seed }

  var isEmpty: Bool { filings.isEmpty && everywhere.isEmpty }

  // MARK: Filing

  mutating func insert(_ number: UInt32, _ interest: QueryInterest) {
    guard interest.termCount <= Self.termLimit, var filing = filing(interest) else {
      everywhere[number] = if case .everything(isExact: true) = interest { true } else { false }
      return
    }
    // Two alternatives may say the same of a property.
    filing.terms = Array(Set(filing.terms))
    for term in filing.terms {
      if files[term.column] == nil, let column = columns[term.column] {
        files[term.column] = ColumnFile(column: column, ranges: IntervalTree(seed: seed))
      }
      switch term.place {
      case .value(let key):
        switch files[term.column]?.values[key] {
        case nil: files[term.column]?.values[key] = .one(number)
        case .one(let other): files[term.column]?.values[key] = .several([other, number])
        case .several(var all):
          files[term.column]?.values[key] = nil
          all.insert(number)
          files[term.column]?.values[key] = .several(all)
        }
      case .range(let interval): files[term.column]?.ranges.insert(interval, number)
      }
    }
    filings[number] = filing
  }

  mutating func remove(_ number: UInt32) {
    everywhere[number] = nil
    for term in filings.removeValue(forKey: number)?.terms ?? [] {
      switch term.place {
      case .value(let key):
        if case .several(var all) = files[term.column]?.values[key] {
          files[term.column]?.values[key] = nil
          all.remove(number)
          files[term.column]?.values[key] = all.isEmpty ? nil : .several(all)
        } else {
          files[term.column]?.values[key] = nil
        }
      case .range(let interval): files[term.column]?.ranges.remove(interval, number)
      }
      if files[term.column]?.isEmpty == true { files[term.column] = nil }
    }
  }

  /// Where a view is to be filed; nil: any object may be in it.
  private mutating func filing(_ interest: QueryInterest) -> Filing? {
    switch interest {
    case .everything: return nil
    case .values(let column, let ranges, let isExact):
      columns[column.id] = column
      var filing = Filing(isExact: isExact)
      for range in ranges {
        let place: Place =
          range.isSingleValue
          ? .value(range.lower)
          : .range(IntervalTree.Interval(low: range.lower, high: range.upper))
        filing.terms.append(Term(column: column.id, place: place))
        filing.crowd += crowd(of: place, column)
      }
      return filing
    case .anyOf(let parts):
      var all = Filing()
      for part in parts {
        guard let next = filing(part) else { return nil }
        all.terms += next.terms
        all.isExact = all.isExact && next.isExact
        all.crowd += next.crowd
      }
      return all
    case .allOf(let parts):
      var best: Filing?
      for part in parts {
        guard let next = filing(part) else { continue }
        if next.crowd < best?.crowd ?? .max { best = next }
      }
      best?.isExact = false
      return best
    }
  }

  /// A range holds more objects than a value does, and a value of which there are two, half of them.
  private static let rangeWeight = 16
  private static let wideRangeWeight = 256
  private static let fewValuesWeight = 1_024
  /// More views than this are not counted.
  private static let crowdLimit = 64
  /// A view with more terms than this is tested with each change: they would take more memory than
  /// the text that they are from, and its user as much time as all others.
  private static let termLimit = 512

  private func crowd(of place: Place, _ column: Column) -> Int {
    guard let file = files[column.id] else { return 0 }
    switch place {
    case .value(let key):
      let isCommon = column.layout.value == .bool || Self.null == key
      return (file.values[key]?.count ?? 0) + (isCommon ? Self.fewValuesWeight : 1)
    case .range(let interval):
      var count = 0
      file.ranges.visit(holding: interval.low) { _ in
        count += 1
        return count < Self.crowdLimit
      }
      // Of a wide range the bounds have nothing in common but the tag of their type.
      let sharedCount = zip(interval.low, interval.high ?? []).prefix { $0 == $1 }.count
      return count + (sharedCount < 2 ? Self.wideRangeWeight : Self.rangeWeight)
    }
  }

  private static let null = Index.bytes(of: .null)

  // MARK: Finding

  /// Whether what was found for an object is in the view.
  func isExact(_ number: UInt32) -> Bool { everywhere[number] ?? filings[number]?.isExact ?? false }

  /// Calls `body` with the views that an object may be in, besides `everywhere`.
  ///
  /// With some of them more than once. `keys`: the index keys of the object's values in a property;
  /// nil when they are too many, and each view of the property may hold the object.
  ///
  /// - Complexity: O(properties · log views + found).
  func visit(
    _ keys: (Column) throws(ServerStoreError) -> [[UInt8]]?, _ body: (UInt32) -> Void
  ) throws(ServerStoreError) {
    for file in files.values {
      guard let keys = try keys(file.column) else {
        file.visitAll(body)
        continue
      }
      for key in keys {
        switch file.values[key] {
        case nil: break
        case .one(let number): body(number)
        case .several(let all): for number in all { body(number) }
        }
        file.ranges.visit(holding: key) { number in
          body(number)
          return true
        }
      }
    }
  }
}

extension QueryInterest {
  /// How many ranges it names.
  fileprivate var termCount: Int {
    switch self {
    case .everything: 0
    case .values(_, let ranges, _): ranges.count
    case .anyOf(let parts), .allOf(let parts): parts.reduce(0) { $0 + $1.termCount }
    }
  }
}
