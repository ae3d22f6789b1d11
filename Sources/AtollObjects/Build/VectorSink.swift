/// The vectors of a row group that is being encoded, and the directory that will name them.
///
/// Columns arrive in ascending order; the roles of a column in any.
struct VectorSink: ~Copyable {
  struct Entry {
    var column: UInt32
    var role: VectorRole
    var kind: VectorKind
    var byteOffset: Int
    var byteCount: Int
  }

  /// The column that vectors are added to.
  var column: UInt32 = 0
  private(set) var entries: [Entry] = []
  private(set) var body = GrowableBytes()

  mutating func removeAll() {
    column = 0
    entries.removeAll(keepingCapacity: true)
    body.removeAll()
  }

  /// Adds the vector that `write` appends to the bytes.
  @inline(__always)
  mutating func add(
    _ role: VectorRole, _ kind: VectorKind, _ write: (inout GrowableBytes) throws -> Void
  ) rethrows {
    let start = body.count
    try write(&body)
    body.align()
    entries.append(
      Entry(
        column: column, role: role, kind: kind, byteOffset: start, byteCount: body.count - start))
  }

  /// Adds the encoded vector of another row group as it is.
  mutating func add(_ role: VectorRole, _ kind: VectorKind, copying bytes: UnsafeRawBufferPointer) {
    // SAFETY: the caller's bytes are valid during the call; they are not in the sink's memory.
    add(role, kind) { unsafe $0.append(bytes) }
  }

  /// Adds the external vector of entries that have one: index and value, ascending.
  mutating func addExternal(_ role: VectorRole, _ values: [(index: Int, value: ExternalValue)]) {
    guard !values.isEmpty else { return }
    add(role, .external) { out in
      out.append(UInt32(values.count))
      out.appendZeros(12)
      for (index, value) in values {
        out.append(UInt32(index))
        out.append(UInt32(0))
        out.append(value.reference.first)
        out.append(value.reference.second)
        out.append(value.byteCount)
        out.append(value.prefix)
      }
    }
  }
}
