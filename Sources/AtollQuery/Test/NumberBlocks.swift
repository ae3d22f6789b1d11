internal import AtollObjects

/// Computes a `NumberExpression` for the rows of a leaf, a block of rows at a time.
///
/// Lent by the execution, as a query may have a hundred thousand expressions.
///
/// Every operation is a function of `ValueArithmetic`, which the row evaluator applies too.
///
/// Owns eight bytes for each row of a block and each operand that waits; floats take the first
/// half. What a row with a null operand gets is unspecified: `valid` tells these rows apart.
@safe
final class NumberBlocks {
  /// Rows of a block, a multiple of 64: the blocks of a usual expression stay in the nearest cache.
  static let rowLimit = 256

  private enum Input {
    case ints(IntVector)
    case fixed(FixedVector)
  }

  private(set) var expression = NumberExpression()
  private var inputs: [Input] = []
  private var slots: UnsafeMutableRawPointer
  /// How many operands have room.
  private var slotCount = 1
  /// The rows of the leaf of which no operand is null; unspecified unless `hasNulls`.
  let valid = Selection()
  private(set) var hasNulls = false

  init() {
    unsafe slots = Self.makeSlots(slotCount)
  }

  deinit { unsafe slots.deallocate() }

  private static func makeSlots(_ count: Int) -> UnsafeMutableRawPointer {
    let slots = UnsafeMutableRawPointer.allocate(
      byteCount: count * rowLimit * 8, alignment: 64)
    unsafe slots.initializeMemory(as: UInt64.self, repeating: 0, count: count * rowLimit)
    return unsafe slots
  }

  /// Takes an expression, and its columns of `leaf`, before blocks are computed.
  func open(_ expression: NumberExpression, _ leaf: Leaf) throws {
    self.expression = expression
    if expression.depth > slotCount {
      slotCount = expression.depth
      unsafe slots.deallocate()
      unsafe slots = Self.makeSlots(slotCount)
    }
    inputs.removeAll(keepingCapacity: true)
    hasNulls = false
    for column in expression.columns {
      let validity: BitVector?
      if column.layout.value == .int, let found = try leaf.ints(column.id) {
        inputs.append(.ints(found.values))
        validity = found.validity
      } else if column.layout.value == .double, let found = try leaf.doubles(column.id) {
        inputs.append(.fixed(found.values))
        validity = found.validity
      } else {
        let view = try leaf.column(column)
        if let ints = view.ints {
          inputs.append(.ints(ints))
        } else if let fixed = view.fixed {
          inputs.append(.fixed(fixed))
        } else {
          preconditionFailure("numbers are integers or have a fixed width")
        }
        validity = view.validity
      }
      guard let validity, validity.count == leaf.rowCount, !validity.isAllTrue else { continue }
      if !hasNulls { valid.fill(leaf.rowCount, true) }
      hasNulls = true
      valid.setNulls(validity, false)
    }
  }

  // MARK: Blocks

  /// The results for `rows` of the leaf, valid until the next call; of `expression.kind`.
  ///
  /// - Precondition: there are at most `rowLimit` rows, and `rows` is within the opened leaf.
  func compute(_ rows: Range<Int>) -> UnsafeRawPointer {
    precondition(rows.count <= Self.rowLimit, "the rows of one block")
    var top = -1
    for step in expression.steps {
      switch step {
      case .load(let column):
        top += 1
        load(inputs[column], rows, top, expression.columns[column].layout.value)
      case .constant(let value):
        top += 1
        fill(top, value, rows.count)
      case .widen(let below, let from, let to): widen(top - below, from, to, rows.count)
      case .apply(let function, let kind):
        top -= 1
        switch kind {
        case .int: apply(function, Int64.self, top, rows.count)
        case .float: apply(function, Float.self, top, rows.count)
        case .double: apply(function, Double.self, top, rows.count)
        }
      }
    }
    return unsafe UnsafeRawPointer(slots)
  }

  /// The place of an operand, as numbers of one type.
  @inline(__always)
  private func slot<T>(_ index: Int, as type: T.Type) -> UnsafeMutablePointer<T> {
    // Every slot is bound again by the step that writes it.
    unsafe (slots + index &* Self.rowLimit &* 8).bindMemory(to: type, capacity: Self.rowLimit)
  }

  private func load(_ input: Input, _ rows: Range<Int>, _ target: Int, _ type: ValueType) {
    switch input {
    case .ints(let vector):
      // SAFETY: a slot has room for a block; the vector checks the rows.
      unsafe vector.copy(rows, into: slot(target, as: Int64.self))
    case .fixed(let vector):
      if type == .float {
        unsafe load(vector, rows, slot(target, as: Float.self))
      } else {
        unsafe load(vector, rows, slot(target, as: Double.self))
      }
    }
  }

  @inline(__always)
  private func load<T: BitwiseCopyable>(
    _ vector: FixedVector, _ rows: Range<Int>, _ target: UnsafeMutablePointer<T>
  ) {
    guard let first = rows.first else { return }
    if vector.stride == 0 {
      unsafe target.update(repeating: vector.load(first, as: T.self), count: rows.count)
      return
    }
    precondition(rows.upperBound <= vector.count, "rows of the vector")
    precondition(vector.stride == MemoryLayout<T>.size, "numbers of this type")
    // SAFETY: the rows are in bounds (above), and a slot has room for a block.
    unsafe UnsafeMutableRawPointer(target).copyMemory(
      from: vector.bytes + first * vector.stride, byteCount: rows.count * vector.stride)
  }

  private func fill(_ target: Int, _ value: Value, _ count: Int) {
    switch value {
    case .int(let number):
      unsafe slot(target, as: Int64.self).update(repeating: number, count: count)
    case .float(let number):
      unsafe slot(target, as: Float.self).update(repeating: number, count: count)
    case .double(let number):
      unsafe slot(target, as: Double.self).update(repeating: number, count: count)
    default: preconditionFailure("an expression of numbers has numbers for constants")
    }
  }

  private func widen(
    _ index: Int, _ from: NumberExpression.Kind, _ to: NumberExpression.Kind, _ count: Int
  ) {
    let place = unsafe slots + index * Self.rowLimit * 8
    // SAFETY: in the slot. A number is read before its place is written: forwards where it does not
    // grow, backwards where it does.
    switch (from, to) {
    case (.int, .float):
      for row in 0..<count {
        let number = Float(unsafe place.load(fromByteOffset: row &* 8, as: Int64.self))
        unsafe place.storeBytes(of: number, toByteOffset: row &* 4, as: Float.self)
      }
    case (.int, .double):
      for row in 0..<count {
        let number = Double(unsafe place.load(fromByteOffset: row &* 8, as: Int64.self))
        unsafe place.storeBytes(of: number, toByteOffset: row &* 8, as: Double.self)
      }
    case (.float, .double):
      for row in (0..<count).reversed() {
        let number = Double(unsafe place.load(fromByteOffset: row &* 4, as: Float.self))
        unsafe place.storeBytes(of: number, toByteOffset: row &* 8, as: Double.self)
      }
    default: preconditionFailure("numbers are widened only")
    }
  }

  // MARK: Operations

  @inline(__always)
  private func apply<T: ArithmeticNumber>(
    _ function: QuerySyntax.ArithmeticFunction, _ type: T.Type, _ index: Int, _ count: Int
  ) {
    let a = unsafe slot(index, as: type)
    let b = unsafe slot(index + 1, as: type)
    // A loop for each function, so that the compiler can unroll it.
    switch function {
    case .plus: unsafe combine(a, b, count) { T.apply(.plus, $0, $1) }
    case .minus: unsafe combine(a, b, count) { T.apply(.minus, $0, $1) }
    case .times: unsafe combine(a, b, count) { T.apply(.times, $0, $1) }
    case .dividedBy: unsafe combine(a, b, count) { T.apply(.dividedBy, $0, $1) }
    }
  }

  @inline(__always)
  private func combine<T>(
    _ a: UnsafeMutablePointer<T>, _ b: UnsafeMutablePointer<T>, _ count: Int,
    _ body: (T, T) -> T
  ) {
    // SAFETY: a slot has room for a block.
    for row in 0..<count { unsafe a[row] = body(a[row], b[row]) }
  }
}
