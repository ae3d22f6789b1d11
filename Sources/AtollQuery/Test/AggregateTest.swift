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
    let demand = view.elementCount(of: rows)
    try prepare(for: demand, expected: execution.expected(demand, leaf))
    try view.filter(rows) { elements in
      var accumulator = Aggregation.Accumulator(aggregate.function, aggregate.type)
      try view.forEachLink(in: elements) { accumulator.add(try value(of: $0)) }
      return predicate.matches(accumulator.result)
    }
  }

  /// Reads the whole property where so many links are worth it.
  private func prepare(for count: Int, expected: Int) throws {
    asked += count
    guard numbers == nil, target.isPassWorth(max(asked, expected), each: Self.lookupCost) else {
      return
    }
    numbers = try execution.numbersByKey(property)
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
  private let span: KeySpan
  /// The bits of the number of each key in the span, of floats the low half, and a bit for each that
  /// there is; empty where the keys lie too far apart.
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
    span = try KeySpan(table, keysPerObject: 4, minimumCount: 1 << 12)
    let capacity = Int(span.capacity)
    let byteCount =
      span.isDense ? capacity * 8 + capacity / 8 : table.count * Self.sparseByteCount
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
      let place = span.number(of: key)
      if !span.isDense {
        sparse[key] = number
      } else if place < span.capacity {
        dense[Int(place)] = number
        isPresent[Int(place >> 6)] |= 1 << (place & 63)
      }
    }
  }

  /// The number of an object; null when it has none, or does not exist.
  subscript(_ key: UInt64) -> Value {
    guard span.isDense else { return sparse[key].map { value($0) } ?? .null }
    let place = span.number(of: key)
    guard place < span.capacity, isPresent[Int(place >> 6)] >> (place & 63) & 1 != 0 else {
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
