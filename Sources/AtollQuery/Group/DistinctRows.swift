internal import AtollObjects

/// Keeps the first row of each combination of values while leaves go by.
struct DistinctRows {
  private let paths: [BoundPath]
  private let execution: Execution
  private var seen = Set<[Value]>()
  private(set) var list = RowList()
  /// The only path, when it is a plain column of strings or data: then bytes are compared.
  private let bytesColumn: Column?
  private var seenBytes = BytesTable()
  private var isNullSeen = false

  init(_ paths: [BoundPath], _ execution: Execution) {
    self.paths = paths
    self.execution = execution
    if paths.count == 1, let column = paths[0].directColumn, column.layout.collection == .none,
      column.layout.value == .string || column.layout.value == .data
    {
      bytesColumn = column
    } else {
      bytesColumn = nil
    }
  }

  mutating func add(_ leaf: Leaf, _ rows: Selection) throws {
    if let bytesColumn, try keepNew(bytesColumn, leaf, rows) {
      if rows.isEmpty { return }
      try leaf.open()
      list.append(leaf, rows)
      return
    }
    try leaf.open()
    let evaluator = KeyEvaluator(execution: execution)
    try rows.filter { row in
      guard let key = try evaluator.distinctKey(paths, RowPlace(leaf: leaf, row: row)) else {
        return false
      }
      return seen.insert(key).inserted
    }
    if !rows.isEmpty { list.append(leaf, rows) }
  }

  /// Keeps the rows with new bytes; false when the leaf has values outside it.
  private mutating func keepNew(
    _ column: Column, _ leaf: Leaf, _ rows: Selection
  ) throws -> Bool {
    if let found = try leaf.bytes(column.id), found.validity == nil, found.values.codes != nil {
      let open = try found.values.open()
      defer { withExtendedLifetime(open.decoded) {} }
      var isNew = false
      for entry in 0..<open.entryCount where unsafe !seenBytes.contains(open.entry(entry)) {
        isNew = true
        break
      }
      // Every value of the leaf is known.
      if !isNew {
        rows.fill(leaf.rowCount, false)
        return true
      }
    }
    let view = try leaf.column(column)
    // One table must know all values: a leaf with values outside goes through the same bytes.
    guard let bytes = view.bytes else { return false }
    let open = try bytes.open()
    defer { withExtendedLifetime(open.decoded) {} }
    let external = view.values.external
    try rows.filter { row in
      if view.values.isNull(row) {
        defer { isNullSeen = true }
        return !isNullSeen
      }
      if external?.find(row) != nil {
        let value: [UInt8] =
          switch try view.value(row) {
          case .string(let text): Array(text.utf8)
          case .data(let data): data
          default: []
          }
        return unsafe value.withUnsafeBytes { unsafe seenBytes.insert($0) }
      }
      return try unsafe seenBytes.insert(open.bytes(row))
    }
    return true
  }
}

/// A set of byte strings that owns its bytes: open addressing, one hash and mostly one comparison.
///
/// Each process hashes in its own way, as it does for sets of the standard library, so that a
/// file cannot be filled with values that all meet in one slot.
struct BytesTable {
  private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())
  private var slots: [UInt32] = Array(repeating: 0, count: 1024)
  private var starts: [Int] = [0]
  private var arena: [UInt8] = []
  private var hashes: [UInt64] = []

  /// Adds the bytes; false when they were there.
  mutating func insert(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let hash = unsafe Self.hash(bytes, seed: seed)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      if unsafe equals(Int(slots[slot]) - 1, hash, bytes) { return false }
      slot = (slot + 1) & (slots.count - 1)
    }
    hashes.append(hash)
    unsafe arena.append(contentsOf: bytes)
    starts.append(arena.count)
    slots[slot] = UInt32(hashes.count)
    if hashes.count * 2 > slots.count { grow() }
    return true
  }

  func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let hash = unsafe Self.hash(bytes, seed: seed)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      if unsafe equals(Int(slots[slot]) - 1, hash, bytes) { return true }
      slot = (slot + 1) & (slots.count - 1)
    }
    return false
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    for (index, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(index + 1)
    }
  }

  @inline(__always)
  private func equals(_ index: Int, _ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard hashes[index] == hash, starts[index + 1] - starts[index] == bytes.count else {
      return false
    }
    guard unsafe !bytes.isEmpty, let other = bytes.baseAddress else { return true }
    return unsafe arena.withUnsafeBytes { arena in
      // SAFETY: as many bytes lie there, so the arena is not empty.
      guard let start = arena.baseAddress else { return false }
      return unsafe BytesPredicate.areEqual(start + starts[index], other, bytes.count)
    }
  }

  /// A product with the seed for every eight bytes, both halves of which go on.
  ///
  /// How two values differ tells nothing of how their products do: by shifts and products with a
  /// constant alone, values that share a hash could be made for all seeds at once.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let factor = seed | 1
    var state = seed ^ UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
    var index = 0
    // SAFETY: each load ends at or before the count.
    while index + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      state = folded(state ^ word, factor)
      index &+= 8
    }
    var tail: UInt64 = 0
    if index < bytes.count, let start = bytes.baseAddress {
      tail = unsafe BytesPredicate.shortWord(start + index, bytes.count &- index)
    }
    return folded(folded(state ^ tail, factor), 0xD6E8_FEB8_6659_FD93)
  }

  @inline(__always)
  private static func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
