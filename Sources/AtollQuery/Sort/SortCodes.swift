internal import AtollObjects

/// Numbers that order like the values of one sort key, for rows of a table.
///
/// Codes tell all of a value that one number can, nulls and the direction included: rows with
/// different codes are in the order of these; rows with equal codes are equal in the key, unless
/// `isExact` is false: then more of their values decides. A full sort takes the numbers apart
/// instead.
struct SortCodes {
  /// What the key's values are to a sort.
  enum Form {
    /// One number or two, and nulls.
    case numbers
    /// Strings or data.
    case bytes
    /// Anything else.
    case values
  }

  let key: SortPath
  let form: Form
  /// The plain column that the key is, when its type has codes; else values are compared.
  private let column: Column?
  private let execution: Execution

  init(_ key: SortPath, _ execution: Execution) {
    self.key = key
    self.execution = execution
    guard let direct = key.path.directColumn, direct.layout.collection == .none else {
      column = nil
      form = .values
      return
    }
    switch direct.layout.value {
    case .bool, .int, .date, .float, .double: (column, form) = (direct, .numbers)
    case .string, .data: (column, form) = (direct, .bytes)
    case .decimal, .objectID, .uuid, .mixed, .link: (column, form) = (nil, .values)
    }
  }

  /// Whether the key has codes.
  var hasCodes: Bool { form != .values }

  /// Whether equal codes mean equal values.
  var isExact: Bool {
    switch column?.layout.value {
    case .bool, .float, .double: true
    // The lowest integer shares a code with its neighbour where nulls need one.
    case .int: column?.layout.allowsNull == false
    default: false
    }
  }

  /// How many numbers tell all of a value: a date has seconds and nanoseconds.
  var partCount: Int { column?.layout.value == .date ? 2 : 1 }

  /// The key's column in a leaf.
  ///
  /// - Precondition: the key has codes.
  func view(_ leaf: Leaf) throws -> ColumnView {
    guard let column else { preconditionFailure("a key with codes is a column") }
    return try leaf.column(column)
  }

  /// Writes the codes of all rows of `leaf`, as they order ascending or descending, to `codes`.
  func append(_ leaf: Leaf, to codes: inout [UInt64]) throws {
    let start = codes.count
    let count = leaf.rowCount
    switch form {
    case .values: return
    case .numbers:
      finish(try appendNumbers(leaf, part: 0, to: &codes), &codes, from: start, count)
    case .bytes:
      let view = try view(leaf)
      guard let bytes = view.bytes else { return }
      let open = try bytes.open()
      codes.reserveCapacity(start + count)
      for row in 0..<count { codes.append(try unsafe Self.prefix(open.bytes(row))) }
      if let external = view.values.external {
        for record in 0..<external.count {
          codes[start + external.index(record)] = external.value(record).prefix
        }
      }
      withExtendedLifetime(open.decoded) {}
      finish(view.validity, &codes, from: start, count)
    }
  }

  /// Writes numbers that ascend with the values of all rows of `leaf` to `numbers`; those of nulls
  /// are unspecified.
  ///
  /// `part`: which number of each value, below `partCount`.
  ///
  /// - Returns: which rows are not null; nil when none is.
  func appendNumbers(
    _ leaf: Leaf, part: Int, to numbers: inout [UInt64]
  ) throws -> BitVector? {
    guard let column else { return nil }
    let start = numbers.count
    let count = leaf.rowCount
    if column.layout.value == .double, let doubles = try leaf.doubles(column.id) {
      let fixed = doubles.values
      // The vector alone: a pass over all doubles of a table is worth it.
      unsafe numbers.withAppendSpace(count) { space in
        for row in 0..<count {
          // SAFETY: the row is in bounds of both.
          let value = unsafe fixed.bytes.loadUnaligned(
            fromByteOffset: row &* fixed.stride, as: Double.self)
          unsafe space[row] = Self.code(value)
        }
      }
      return doubles.validity
    }
    let view = try leaf.column(column)
    if let ints = part == 0 ? view.ints : view.nanoseconds {
      unsafe numbers.withAppendSpace(count) { space in
        let target = unsafe UnsafeMutableRawPointer(space).assumingMemoryBound(to: Int64.self)
        unsafe ints.copy(0..<count, into: target)
        for row in 0..<count { unsafe space[row] ^= Self.top }
      }
    } else {
      numbers.reserveCapacity(start + count)
      for row in 0..<count { numbers.append(number(view, row, part: part)) }
    }
    return view.validity
  }

  private static let top: UInt64 = 1 << 63

  /// The number of one row, as `appendNumbers` gives it.
  @inline(__always)
  func number(_ view: ColumnView, _ row: Int, part: Int) -> UInt64 {
    if let ints = part == 0 ? view.ints : view.nanoseconds {
      return UInt64(bitPattern: ints[row]) ^ Self.top
    }
    if let fixed = view.fixed {
      return column?.layout.value == .float
        ? Self.code(Double(fixed.load(row, as: Float.self)))
        : Self.code(fixed.load(row, as: Double.self))
    }
    // One more than the bit: 0 is for null.
    return view.bits.map { $0[row] ? 2 : 1 } ?? 0
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

  // MARK: A bound

  /// The bytes of a row, when they lie in its leaf; nil also for null and other types.
  func bytes(_ row: RowPlace) throws -> [UInt8]? {
    guard form == .bytes else { return nil }
    let view = try view(row.leaf)
    guard let bytes = view.bytes, !view.values.isNull(row.row),
      view.values.external?.find(row.row) == nil
    else { return nil }
    return try unsafe bytes.withBytes(row.row) { unsafe Array($0) }
  }

  /// Drops rows that are behind a value, and those equal to it unless they are `kept`.
  ///
  /// `codes`: those of the leaf; only of rows with the code of the value the bytes are compared.
  func narrow(
    _ rows: Selection, _ leaf: Leaf, _ codes: [UInt64], code: UInt64, bytes: [UInt8],
    areEqualKept: Bool
  ) throws {
    let view = try view(leaf)
    guard let vector = view.bytes else { return }
    let open = try vector.open()
    defer { withExtendedLifetime(open.decoded) {} }
    try rows.filter { row in
      guard codes[row] == code, view.values.external?.find(row) == nil else { return true }
      let order = try unsafe BytesPredicate.compare(open.bytes(row), bytes)
      return order == 0 ? areEqualKept : (order < 0) == key.isAscending
    }
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
