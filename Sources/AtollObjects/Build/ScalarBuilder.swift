/// A sequence of single values of one type being collected; see `ScalarView` for what it becomes.
///
/// A null entry has a default value in its place, so that all vectors keep one entry per value.
///
/// Invariant: the vectors of the type's form have `count` entries each, the others none; `validity`
/// has `count` entries when values may be null, else none.
package final class ScalarBuilder {
  package let type: ValueType
  let isNullable: Bool
  let form: PhysicalForm
  // SAFETY: the run-time check of exclusive access is left out, as it is a fifth of the time of
  // filling a row group. One thread uses a builder, and no call on a vector calls back, so that
  // accesses to it never overlap.
  @exclusivity(unchecked) private var vectors: Vectors
  /// External values that no entry refers to any more, to be freed with the next encoding.
  private(set) var released: [ExternalReference] = []

  init(type: ValueType, isNullable: Bool) {
    self.type = type
    self.isNullable = isNullable
    form = PhysicalForm(type)
    unsafe vectors = Vectors(form)
  }

  /// One of the vectors of values for each physical form, and validity for all.
  private struct Vectors: ~Copyable {
    var validity = BitBuilder()
    var bits = BitBuilder()
    var ints = IntBuilder()
    var nanoseconds = IntBuilder()
    var fixed: FixedBuilder
    var bytes = BytesBuilder()

    init(_ form: PhysicalForm) {
      if case .fixed(let width) = form {
        fixed = FixedBuilder(width: width)
      } else {
        fixed = FixedBuilder(width: 0)
      }
    }
  }

  private(set) var validity: BitBuilder {
    _read { yield unsafe vectors.validity }
    _modify { yield unsafe &vectors.validity }
  }

  private(set) var bits: BitBuilder {
    _read { yield unsafe vectors.bits }
    _modify { yield unsafe &vectors.bits }
  }

  private(set) var ints: IntBuilder {
    _read { yield unsafe vectors.ints }
    _modify { yield unsafe &vectors.ints }
  }

  private(set) var nanoseconds: IntBuilder {
    _read { yield unsafe vectors.nanoseconds }
    _modify { yield unsafe &vectors.nanoseconds }
  }

  private(set) var fixed: FixedBuilder {
    _read { yield unsafe vectors.fixed }
    _modify { yield unsafe &vectors.fixed }
  }

  private(set) var bytes: BytesBuilder {
    _read { yield unsafe vectors.bytes }
    _modify { yield unsafe &vectors.bytes }
  }

  package var count: Int {
    switch form {
    case .bits: bits.count
    case .ints, .timestamps: ints.count
    case .fixed: fixed.count
    case .bytes: bytes.count
    }
  }

  func removeAll() {
    validity.removeAll()
    bits.removeAll()
    ints.removeAll()
    nanoseconds.removeAll()
    fixed.removeAll()
    bytes.removeAll()
    released.removeAll()
  }

  func isNull(_ index: Int) -> Bool { isNullable && !validity[index] }

  // MARK: Appending

  /// Adds what a new object has: null, or else false, zero, empty.
  package func appendDefault() {
    switch form {
    case .bits: bits.append(false)
    case .ints: ints.append(0)
    case .timestamps:
      ints.append(0)
      nanoseconds.append(0)
    case .fixed: fixed.appendZero()
    case .bytes: bytes.insertEmpty(at: bytes.count)
    }
    if isNullable { validity.append(false) }
  }

  package func appendBool(_ value: Bool) {
    bits.append(value)
    if isNullable { validity.append(true) }
  }

  /// Adds an integer, or the key of a link as its bit pattern.
  package func appendInt(_ value: Int64) {
    ints.append(value)
    if isNullable { validity.append(true) }
  }

  package func appendDate(seconds: Int64, nanoseconds: Int32) {
    ints.append(seconds)
    self.nanoseconds.append(Int64(nanoseconds))
    if isNullable { validity.append(true) }
  }

  package func appendDouble(_ value: Double) {
    fixed.append(value.bitPattern)
    if isNullable { validity.append(true) }
  }

  /// Adds a string, data, or an encoded mixed value.
  package func appendBytes(_ value: UnsafeRawBufferPointer) throws(ColumnError) {
    try unsafe bytes.append(value)
    if isNullable { validity.append(true) }
  }

  func append(_ other: ScalarBuilder, _ range: Range<Int>) throws(ColumnError) {
    precondition(
      other.type == type && other.isNullable == isNullable, "columns of one layout are joined")
    switch form {
    case .bits: bits.append(other.bits, range)
    case .ints: ints.append(other.ints, range)
    case .timestamps:
      ints.append(other.ints, range)
      nanoseconds.append(other.nanoseconds, range)
    case .fixed: fixed.append(other.fixed, range)
    case .bytes: try bytes.append(other.bytes, range)
    }
    if isNullable { validity.append(other.validity, range) }
  }

  /// Adds all entries of an encoded column.
  ///
  /// On an error the builder is not to be used any more.
  func append(_ view: ScalarView) throws(ColumnError) {
    if let vector = view.bits { bits.append(vector) }
    if let vector = view.ints { ints.append(vector) }
    if let vector = view.nanoseconds { nanoseconds.append(vector) }
    if let vector = view.fixed { fixed.append(vector) }
    if let vector = view.bytes { try bytes.append(vector, external: view.external) }
    if isNullable {
      if let vector = view.validity {
        validity.append(vector)
      } else {
        validity.append(repeating: true, count: view.count)
      }
    }
  }

  // MARK: Changing

  package func setNull(_ index: Int) {
    precondition(isNullable, "only a nullable column takes a null")
    switch form {
    case .bits: bits.set(index, false)
    case .ints: ints.set(index, 0)
    case .timestamps:
      ints.set(index, 0)
      nanoseconds.set(index, 0)
    case .fixed: fixed.setZero(index)
    case .bytes:
      appendExternal(index, to: &released)
      bytes.setEmpty(index)
    }
    validity.set(index, false)
  }

  package func setBool(_ index: Int, _ value: Bool) {
    bits.set(index, value)
    if isNullable { validity.set(index, true) }
  }

  package func setInt(_ index: Int, _ value: Int64) {
    ints.set(index, value)
    if isNullable { validity.set(index, true) }
  }

  package func setDate(_ index: Int, seconds: Int64, nanoseconds: Int32) {
    ints.set(index, seconds)
    self.nanoseconds.set(index, Int64(nanoseconds))
    if isNullable { validity.set(index, true) }
  }

  package func setFixed(_ index: Int, _ value: UnsafeRawBufferPointer) {
    unsafe fixed.set(index, value)
    if isNullable { validity.set(index, true) }
  }

  /// Replaces a string, data, or an encoded mixed value; what was there stays when it throws.
  package func setBytes(_ index: Int, _ value: UnsafeRawBufferPointer) throws(ColumnError) {
    let old = bytes.external(index)
    try unsafe bytes.set(index, value)
    if let old { released.append(old.reference) }
    if isNullable { validity.set(index, true) }
  }

  package func insertDefault(at index: Int) {
    switch form {
    case .bits: bits.insert(false, at: index)
    case .ints: ints.insert(0, at: index)
    case .timestamps:
      ints.insert(0, at: index)
      nanoseconds.insert(0, at: index)
    case .fixed: fixed.insertZero(at: index)
    case .bytes: bytes.insertEmpty(at: index)
    }
    if isNullable { validity.insert(false, at: index) }
  }

  func remove(_ removal: RowRemoval) {
    switch form {
    case .bits: bits.remove(removal)
    case .ints: ints.remove(removal)
    case .timestamps:
      ints.remove(removal)
      nanoseconds.remove(removal)
    case .fixed: fixed.remove(removal)
    case .bytes:
      for index in removal.rows { appendExternal(index, to: &released) }
      bytes.remove(removal)
    }
    if isNullable { validity.remove(removal) }
  }

  /// Drops the entries from `count` on, which another builder has taken over: nothing is released.
  func truncate(to count: Int) {
    switch form {
    case .bits: bits.truncate(to: count)
    case .ints: ints.truncate(to: count)
    case .timestamps:
      ints.truncate(to: count)
      nanoseconds.truncate(to: count)
    case .fixed: fixed.truncate(to: count)
    case .bytes: bytes.truncate(to: count)
    }
    if isNullable { validity.truncate(to: count) }
  }

  /// Adds the external value of an entry, if it has one.
  func appendExternal(_ index: Int, to references: inout [ExternalReference]) {
    if case .bytes = form, let value = bytes.external(index) { references.append(value.reference) }
  }

  /// Hands over the external values that no entry refers to any more.
  func takeReleased() -> [ExternalReference] {
    defer { released.removeAll() }
    return released
  }

  /// Moves every value of more bytes than a leaf takes to the store.
  func moveLargeValues(to store: (any ExternalStore)?) throws {
    guard case .bytes = form, bytes.liveByteCount > ExternalValue.maximumInlineByteCount else {
      return
    }
    for index in 0..<bytes.count where bytes.external(index) == nil {
      let value = unsafe bytes.bytes(index)
      guard value.count > ExternalValue.maximumInlineByteCount else { continue }
      guard let store else { throw ColumnError.valueTooLarge(byteCount: value.count) }
      let prefix = unsafe orderedPrefix(value)
      let reference = try store.write(unsafe Array(value))
      bytes.set(
        index,
        ExternalValue(reference: reference, byteCount: UInt64(value.count), prefix: prefix))
    }
  }

  // MARK: Encoding

  /// About what `encode` will write.
  var estimatedByteCount: Int {
    let values =
      switch form {
      case .bits: bits.estimatedByteCount
      case .ints: ints.estimatedByteCount
      case .timestamps: ints.estimatedByteCount + nanoseconds.estimatedByteCount
      case .fixed: fixed.estimatedByteCount
      case .bytes: bytes.estimatedByteCount
      }
    return values + 16 + (isNullable ? validity.estimatedByteCount + 16 : 0)
  }

  /// Adds the vectors to the sink under the given roles, and returns the bounds of the values.
  ///
  /// What reads the same without a vector is left out: validity when nothing is null, nanoseconds
  /// when all are 0, everything when all is null or there is nothing.
  func encode(
    into sink: inout VectorSink, validity validityRole: VectorRole, values valuesRole: VectorRole,
    nanoseconds nanosecondsRole: VectorRole, external externalRole: VectorRole
  ) -> Zone {
    let nullCount = isNullable ? count - validity.trueCount : 0
    let zone = zone(nullCount: nullCount)
    guard nullCount < count else { return zone }
    if nullCount > 0 { sink.add(validityRole, .bits) { self.validity.encode(into: &$0) } }
    let validity = isNullable ? validity : nil
    switch form {
    case .bits:
      sink.add(valuesRole, .bits) { bits.encode(into: &$0) }
    case .ints:
      sink.add(valuesRole, .ints) { ints.encode(into: &$0, validity: validity) }
    case .timestamps:
      sink.add(valuesRole, .ints) { ints.encode(into: &$0, validity: validity) }
      if nanoseconds.bounds(validity: validity) != 0...0 {
        sink.add(nanosecondsRole, .ints) { nanoseconds.encode(into: &$0, validity: validity) }
      }
    case .fixed:
      sink.add(valuesRole, .fixed) { fixed.encode(into: &$0) }
    case .bytes:
      sink.add(valuesRole, .bytes) { bytes.encode(into: &$0) }
      if !bytes.externals.isEmpty {
        sink.addExternal(
          externalRole,
          (0..<bytes.count).compactMap { index in
            bytes.external(index).map { (index: index, value: $0) }
          })
      }
    }
    return zone
  }

  /// The bounds of the values that are not null.
  private func zone(nullCount: Int) -> Zone {
    guard nullCount < count else { return Zone(nullCount: nullCount, bounds: .empty) }
    let bounds: Zone.Bounds
    switch type {
    case .bool:
      let least: Int64 = bits.trueCount == count - nullCount ? 1 : 0
      bounds = .ints(least: least, greatest: bits.trueCount > 0 ? 1 : 0)
    case .int, .link, .date:
      let range = ints.bounds(validity: isNullable ? validity : nil)
      bounds = range.map { .ints(least: $0.lowerBound, greatest: $0.upperBound) } ?? .empty
    case .float, .double:
      bounds = doubleBounds()
    case .string:
      bounds = prefixBounds()
    case .decimal, .data, .objectID, .uuid, .mixed:
      bounds = .unknown
    }
    return Zone(nullCount: nullCount, bounds: bounds)
  }

  private func doubleBounds() -> Zone.Bounds {
    var least = Double.infinity
    var greatest = -Double.infinity
    var hasNaN = false
    var hasNumber = false
    for index in 0..<count where !isNull(index) {
      let value =
        type == .double
        ? Double(bitPattern: fixed.load(index)) : Double(Float(bitPattern: fixed.load(index)))
      if value.isNaN {
        hasNaN = true
      } else {
        hasNumber = true
        least = min(least, value)
        greatest = max(greatest, value)
      }
    }
    guard hasNumber else { return .doubles(least: .infinity, greatest: -.infinity, hasNaN: hasNaN) }
    return .doubles(least: least, greatest: greatest, hasNaN: hasNaN)
  }

  private func prefixBounds() -> Zone.Bounds {
    var least = UInt64.max
    var greatest = UInt64.min
    for index in 0..<count where !isNull(index) {
      let prefix = unsafe bytes.external(index)?.prefix ?? orderedPrefix(bytes.bytes(index))
      least = min(least, prefix)
      greatest = max(greatest, prefix)
    }
    return .prefixes(least: least, greatest: greatest)
  }
}
