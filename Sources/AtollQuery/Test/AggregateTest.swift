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
  private var readsNumbers = true

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
    try prepare(for: keys.count, execution.expected(keys.count, leaf))
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
  private func prepare(for count: Int, _ expected: Int) throws {
    asked += count
    guard readsNumbers, max(asked, expected) * Self.lookupCost >= target.count else { return }
    numbers = try NumbersByKey(property, target, execution)
    readsNumbers = false
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
@safe
final class NumbersByKey {
  private let kind: NumberExpression.Kind
  private let least: UInt64
  /// The keys from `least` on that have a place in `bits`; 0 where the keys lie too far apart.
  private let capacity: Int
  /// The bits of the numbers; of floats the low half.
  private let bits: UnsafeMutablePointer<UInt64>
  /// The objects that exist and have a number.
  private let present: KeySet
  private var sparse: [UInt64: UInt64] = [:]

  /// The bytes of a number in `sparse`: a dictionary has up to 8/3 places for each entry.
  private static let sparseByteCount = 43

  /// Reads the column.
  ///
  /// - Returns: nil when it holds no numbers of 8 bytes or less, or when they need more memory than
  ///   the run has left for sets of objects.
  init?(_ column: Column, _ table: TableAccess, _ execution: Execution) throws {
    guard column.layout.collection == .none,
      let kind = NumberExpression.Kind(column.layout.value)
    else { return nil }
    let bounds = try table.keyBounds()
    var capacity = 0
    if let bounds {
      let span = bounds.greatest &- bounds.least
      if span < UInt64(max(table.count, 1 << 12)) &* 4 { capacity = Int(span) + 1 }
    }
    let byteCount = capacity > 0 ? capacity * 8 : table.count * Self.sparseByteCount
    let present = KeySet(bounds: bounds, count: table.count)
    guard byteCount + present.byteCount <= execution.setBytesLeft else { return nil }
    execution.setBytesLeft -= byteCount + present.byteCount
    self.kind = kind
    least = bounds?.least ?? 0
    self.capacity = capacity
    self.present = present
    unsafe bits = .allocate(capacity: max(1, capacity))
    unsafe bits.initialize(repeating: 0, count: max(1, capacity))
    try execution.scan(table, ConstantTest(true)) { leaf, _ in
      try add(leaf.column(column), keys: leaf.keys())
      return true
    }
  }

  deinit { unsafe bits.deallocate() }

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
      present.insert(key)
      if key &- least < UInt64(capacity) {
        // SAFETY: in bounds (above).
        unsafe bits[Int(key &- least)] = number
      } else {
        sparse[key] = number
      }
    }
  }

  /// The number of an object; null when it has none, or does not exist.
  subscript(_ key: UInt64) -> Value {
    guard present.contains(key) else { return .null }
    let number: UInt64
    if key &- least < UInt64(capacity) {
      // SAFETY: in bounds (above).
      number = unsafe bits[Int(key &- least)]
    } else {
      number = sparse[key] ?? 0
    }
    return switch kind {
    case .int: .int(Int64(bitPattern: number))
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: number)))
    case .double: .double(Double(bitPattern: number))
    }
  }
}
