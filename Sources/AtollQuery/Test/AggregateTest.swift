internal import AtollObjects

/// Passes rows by an aggregate of a property of the objects that a collection of theirs links to.
final class AggregateTest: RowTest {
  private let links: Column
  private let property: Column
  private let aggregate: BoundAggregate
  private let predicate: ValuePredicate
  private let target: TableAccess
  private let execution: Execution
  private var numbers: NumbersByKey?
  private var asked = 0
  private var isDecided = false

  init(
    _ aggregate: BoundAggregate, of property: Column, over links: Column,
    _ predicate: ValuePredicate, _ execution: Execution
  ) throws {
    self.links = links
    self.property = property
    self.aggregate = aggregate
    self.predicate = predicate
    target = try execution.table(links.layout.linkTable)
    self.execution = execution
  }

  /// One look-up of an object costs about as much as so many in a pass.
  private static let lookupCost = 20

  override func narrow(_ rows: Selection, in leaf: Leaf) throws {
    let view = try leaf.column(links)
    guard let counts = view.counts, let keys = view.ints else {
      preconditionFailure("a collection of links has counts and keys")
    }
    let demand = view.elementCount(of: rows)
    try prepare(for: demand, expected: execution.expected(demand, leaf))
    var element = 0
    for row in 0..<leaf.rowCount {
      let range = element..<(element + Int(counts[row]))
      element = range.upperBound
      guard rows[row] else { continue }
      var accumulator = Aggregation.Accumulator(aggregate.function, aggregate.type)
      if let external = view.external, external.find(row) != nil {
        for value in RowEvaluator.elements(try view.value(row)) {
          if case .link(let link) = value { accumulator.add(try self.value(of: link.key)) }
        }
      } else {
        for index in range where !view.values.isNull(index) {
          accumulator.add(try value(of: UInt64(bitPattern: keys[index])))
        }
      }
      rows[row] = predicate.matches(accumulator.result)
    }
  }

  /// Reads the whole property where so many links are worth it.
  private func prepare(for count: Int, expected: Int) throws {
    asked += count
    guard !isDecided, max(asked, expected) >= target.count.dividedUp(by: Self.lookupCost) else {
      return
    }
    numbers = try execution.numbersByKey(property)
    isDecided = true
  }

  private func value(of key: UInt64) throws -> Value {
    if let numbers { return numbers[key] }
    return try target.locate(key)?.value(property) ?? .null
  }

  override var cost: Double { 300 }
  override var summary: String {
    "\(aggregate.function.rawValue) of '\(property.name)' over '\(links.name)' \(predicate.summary)"
  }
}

/// The numbers in one column of a table, by the keys of their objects.
///
/// Made by one pass over the column; a number then costs a load, where the look-up of an object
/// costs a descent. For links that lead to a good part of the table.
final class NumbersByKey {
  private let kind: NumberExpression.Kind
  private let least: UInt64
  /// The bits of the numbers from the key `least` on, of floats the low half, and a bit for each
  /// that there is; empty where the keys lie too far apart.
  private var dense: [UInt64]
  private var isPresent: [UInt64]
  private var sparse: [UInt64: UInt64] = [:]

  /// The bytes of a number in `sparse`: a dictionary has up to 8/3 places for each entry.
  private static let sparseByteCount = 43

  /// Reads the column.
  ///
  /// - Returns: nil when it does not hold integers, floats or doubles, or when they need more memory
  ///   than the run has left for what it keeps of whole tables.
  init?(_ column: Column, _ table: TableAccess, _ execution: Execution) throws {
    guard column.layout.collection == .none,
      let kind = NumberExpression.Kind(column.layout.value)
    else { return nil }
    self.kind = kind
    let bounds = try table.keyBounds()
    least = bounds?.least ?? 0
    var capacity = 0
    if let bounds {
      let span = bounds.greatest &- bounds.least
      if span < UInt64(max(table.count, 1 << 12)) &* 4 { capacity = Int(span) + 1 }
    }
    let byteCount = capacity > 0 ? capacity * 8 + capacity / 8 : table.count * Self.sparseByteCount
    guard byteCount <= execution.setBytesLeft else { return nil }
    execution.setBytesLeft -= byteCount
    dense = [UInt64](repeating: 0, count: capacity)
    isPresent = [UInt64](repeating: 0, count: (capacity + 63) / 64)
    try execution.scan(table, ConstantTest(true)) { leaf, _ in
      try add(leaf.column(column), keys: leaf.keys())
      return true
    }
  }

  private func add(_ view: ColumnView, keys: IntVector) {
    for row in 0..<view.count where !view.values.isNull(row) {
      let number: UInt64
      if let ints = view.ints {
        number = UInt64(bitPattern: ints[row])
      } else if let fixed = view.fixed {
        number =
          kind == .float
          ? UInt64(fixed.load(row, as: UInt32.self)) : fixed.load(row, as: UInt64.self)
      } else {
        preconditionFailure("numbers are integers or have a fixed width")
      }
      let key = keys.key(row)
      let place = key &- least
      if dense.isEmpty {
        sparse[key] = number
      } else if place < UInt64(dense.count) {
        dense[Int(place)] = number
        isPresent[Int(place >> 6)] |= 1 << (place & 63)
      }
    }
  }

  /// The number of an object; null when it has none, or does not exist.
  subscript(_ key: UInt64) -> Value {
    if dense.isEmpty { return sparse[key].map { value($0) } ?? .null }
    let place = key &- least
    guard place < UInt64(dense.count), isPresent[Int(place >> 6)] >> (place & 63) & 1 != 0 else {
      return .null
    }
    return value(dense[Int(place)])
  }

  private func value(_ bits: UInt64) -> Value {
    switch kind {
    case .int: .int(Int64(bitPattern: bits))
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case .double: .double(Double(bitPattern: bits))
    }
  }
}
