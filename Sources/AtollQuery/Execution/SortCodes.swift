internal import AtollObjects

/// Numbers that order like the values of one sort key, for rows of a table.
///
/// Rows with different codes are in the order of these; rows with equal codes are equal in the key,
/// unless `isExact` is false: then their values decide.
struct SortCodes {
  let key: SortKey
  /// The plain column that the key is, when its type has codes; else values are compared.
  private let column: Column?
  private let execution: Execution

  init(_ key: SortKey, _ execution: Execution) {
    self.key = key
    self.execution = execution
    guard let direct = key.path.directColumn, direct.layout.collection == .none else {
      column = nil
      return
    }
    switch direct.layout.value {
    case .bool, .int, .date, .float, .double, .string, .data: column = direct
    case .decimal, .objectID, .uuid, .mixed, .link: column = nil
    }
  }

  /// Whether the key has codes.
  var hasCodes: Bool { column != nil }

  /// Whether equal codes mean equal values.
  var isExact: Bool {
    switch column?.layout.value {
    case .bool, .float, .double: true
    // The lowest and the highest integer share codes with their neighbours where nulls need one.
    case .int: column?.layout.allowsNull == false
    default: false
    }
  }

  /// Writes the codes of all rows of `leaf`, as they order ascending or descending, to `codes`.
  func append(_ leaf: Leaf, to codes: inout [UInt64]) throws {
    guard let column else { return }
    let start = codes.count
    let count = leaf.rowCount
    let flip: UInt64 = key.isAscending ? 0 : .max
    if column.layout.value == .double, let doubles = try leaf.doubles(column.id) {
      let fixed = doubles.values
      // The vector alone: a pass over all doubles of a table is worth it.
      codes.append(contentsOf: repeatElement(0, count: count))
      unsafe codes.withUnsafeMutableBufferPointer { codes in
        for row in 0..<count {
          // SAFETY: the row is in bounds of both.
          let value = unsafe fixed.bytes.loadUnaligned(
            fromByteOffset: row &* fixed.stride, as: Double.self)
          unsafe codes[start &+ row] = Self.code(value) ^ flip
        }
      }
      if let validity = doubles.validity {
        for row in 0..<count where !validity[row] { codes[start + row] = flip }
      }
      return
    }
    let view = try leaf.column(column)
    let top: UInt64 = 1 << 63
    codes.reserveCapacity(start + count)
    if let bits = view.bits {
      for row in 0..<count { codes.append(bits[row] ? 2 : 1) }
    } else if let ints = view.ints {
      unsafe codes.withAppendSpace(count) { space in
        let target = unsafe UnsafeMutableRawPointer(space).assumingMemoryBound(to: Int64.self)
        unsafe ints.copy(0..<count, into: target)
        for row in 0..<count { unsafe space[row] ^= top }
      }
    } else if let fixed = view.fixed {
      // Of doubles only leaves that are older than the column come here: their values are zero.
      guard column.layout.value == .float else {
        codes.append(contentsOf: repeatElement(Self.code(0.0), count: count))
        return finish(view.validity, &codes, from: start, count)
      }
      for row in 0..<count { codes.append(Self.code(Double(fixed.load(row, as: Float.self)))) }
    } else if let bytes = view.bytes {
      let open = try bytes.open()
      for row in 0..<count { codes.append(try unsafe Self.prefix(open.bytes(row))) }
      if let external = view.values.external {
        for record in 0..<external.count {
          codes[start + external.index(record)] = external.value(record).prefix
        }
      }
      withExtendedLifetime(open.decoded) {}
    }
    finish(view.validity, &codes, from: start, count)
  }

  /// Gives nulls their code, and turns the order round where it descends.
  private func finish(
    _ validity: BitVector?, _ codes: inout [UInt64], from start: Int, _ count: Int
  ) {
    if column?.layout.allowsNull == true {
      // Null comes first: it takes the code 0, and what had it moves up, also in a leaf without
      // nulls: a value has one code in all leaves.
      for row in 0..<count {
        codes[start + row] = validity?[row] ?? true ? max(1, codes[start + row]) : 0
      }
    }
    if !key.isAscending { for row in 0..<count { codes[start + row] = ~codes[start + row] } }
  }

  /// NaN is below all numbers, and -0 is 0.
  @inline(__always)
  private static func code(_ value: Double) -> UInt64 {
    if value.isNaN { return 1 }
    return UInt64(bitPattern: FloatCode.code(value == 0 ? 0 : value)) ^ 1 << 63
  }

  /// The first eight bytes, the first one most significant.
  @inline(__always)
  private static func prefix(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 {
      // SAFETY: eight bytes exist.
      return unsafe bytes.loadUnaligned(as: UInt64.self).byteSwapped
    }
    var prefix: UInt64 = 0
    for index in 0..<bytes.count { prefix |= unsafe UInt64(bytes[index]) << UInt64(56 - index * 8) }
    return prefix
  }

  /// The order of two rows by their values; below, equal to or above 0.
  func compare(_ a: RowPlace, _ b: RowPlace) throws -> Int {
    if let column, let x = try a.leaf.column(column).plainBytes(a.row),
      let y = try b.leaf.column(column).plainBytes(b.row)
    {
      let order = try unsafe x.withBytes(a.row) { left in
        try unsafe y.withBytes(b.row) { unsafe BytesPredicate.compare(left, $0) }
      }
      return key.isAscending ? order : -order
    }
    let evaluator = KeyEvaluator(execution: execution)
    let order = SortValue.order(
      try evaluator.value(key.path, a), try evaluator.value(key.path, b))
    return key.isAscending ? Int(order.rawValue) : -Int(order.rawValue)
  }
}

extension ColumnView {
  /// The bytes vector of a plain column when row `row` is not null and lies in it.
  fileprivate func plainBytes(_ row: Int) -> BytesVector? {
    guard let bytes, !values.isNull(row), values.external?.find(row) == nil else { return nil }
    return bytes
  }
}

extension Array where Element == UInt64 {
  /// Lends room for `count` elements at the end, which `body` must write all.
  fileprivate mutating func withAppendSpace(
    _ count: Int, _ body: (UnsafeMutablePointer<UInt64>) -> Void
  ) {
    let start = self.count
    append(contentsOf: repeatElement(0, count: count))
    unsafe withUnsafeMutableBufferPointer { buffer in
      guard count > 0, let base = buffer.baseAddress else { return }
      // SAFETY: `count` elements were added from `start` on.
      unsafe body(base + start)
    }
  }
}
