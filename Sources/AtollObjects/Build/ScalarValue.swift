internal import AtollStorage

// Single values to and from the vectors that hold them.

extension ScalarView {
  /// Entry `index` as a value; `linkTable` is the table that links lead to.
  func value(
    _ index: Int, linkTable: UInt32, store: (any ExternalStore)?
  ) throws -> Value {
    precondition(index >= 0 && index < count, "an entry of the values")
    if isNull(index) { return .null }
    if let bits { return .bool(bits[index]) }
    if let ints {
      let seconds = nanoseconds == nil ? 0 : ints[index]
      switch type {
      case .int: return .int(ints[index])
      case .link: return .link(ObjectLink(table: linkTable, key: UInt64(bitPattern: ints[index])))
      default: return try ScalarCoding.date(seconds: seconds, nanoseconds: nanoseconds?[index] ?? 0)
      }
    }
    if let fixed { return unsafe ScalarCoding.fixed(fixed.bytes(index), type) }
    if let external, let value = external.find(index) {
      return try ScalarCoding.external(value, type, store: store)
    }
    guard let bytes else { preconditionFailure("values lie in one of four vectors") }
    return try unsafe bytes.withBytes(index) { try unsafe ScalarCoding.bytes($0, type) }
  }
}

extension ScalarBuilder {
  /// Entry `index` as a value.
  func value(_ index: Int, linkTable: UInt32, store: (any ExternalStore)?) throws -> Value {
    if isNull(index) { return .null }
    switch form {
    case .bits: return .bool(bits[index])
    case .ints:
      return type == .int
        ? .int(ints[index])
        : .link(ObjectLink(table: linkTable, key: UInt64(bitPattern: ints[index])))
    case .timestamps:
      return try ScalarCoding.date(seconds: ints[index], nanoseconds: nanoseconds[index])
    case .fixed: return unsafe ScalarCoding.fixed(fixed.value(index), type)
    case .bytes:
      if let value = bytes.external(index) {
        return try ScalarCoding.external(value, type, store: store)
      }
      return try unsafe ScalarCoding.bytes(bytes.bytes(index), type)
    }
  }

  /// Replaces entry `index`.
  ///
  /// On an error nothing has changed.
  ///
  /// - Throws: `ColumnError.nullInRequiredColumn`, `typeMismatch`, `valueTooLarge`.
  func set(_ index: Int, _ value: Value, layout: ColumnLayout) throws {
    switch (type, value) {
    case (_, .null):
      guard isNullable else { throw ColumnError.nullInRequiredColumn }
      setNull(index)
    case (.mixed, _):
      var bytes: [UInt8] = []
      try MixedCoding.append(value, to: &bytes)
      try unsafe bytes.withUnsafeBytes { try unsafe setBytes(index, $0) }
    case (.bool, .bool(let value)): setBool(index, value)
    case (.int, .int(let value)): setInt(index, value)
    case (.link, .link(let value)):
      guard value.table == layout.linkTable else { throw ColumnError.typeMismatch(layout) }
      setInt(index, Int64(bitPattern: value.key))
    case (.date, .date(let value)):
      setDate(index, seconds: value.seconds, nanoseconds: value.nanoseconds)
    case (.float, .float(let value)): set(index, value.bitPattern)
    case (.double, .double(let value)): set(index, value.bitPattern)
    case (.decimal, .decimal(let value)):
      set(index, ScalarCoding.Pair(first: value.bitPattern.low, second: value.bitPattern.high))
    case (.uuid, .uuid(let value)):
      set(index, ScalarCoding.Pair(first: value.high.bigEndian, second: value.low.bigEndian))
    case (.objectID, .objectID(let value)):
      set(
        index,
        ScalarCoding.Triple(
          first: UInt32(truncatingIfNeeded: value.high >> 32).bigEndian,
          second: UInt32(truncatingIfNeeded: value.high).bigEndian, third: value.low.bigEndian))
    case (.string, .string(var value)):
      try value.withUTF8 { try unsafe setBytes(index, UnsafeRawBufferPointer($0)) }
    case (.data, .data(let value)):
      try unsafe value.withUnsafeBytes { try unsafe setBytes(index, $0) }
    default:
      throw ColumnError.typeMismatch(layout)
    }
  }

  private func set<T: BitwiseCopyable>(_ index: Int, _ value: T) {
    unsafe withUnsafeBytes(of: value) { unsafe setFixed(index, $0) }
  }
}

/// The bytes of single values.
enum ScalarCoding {
  /// 16 bytes: a decimal, low half first; or a uuid, whose halves are big-endian, so that bytes
  /// order like values.
  struct Pair: BitwiseCopyable {
    var first: UInt64
    var second: UInt64
  }

  /// 12 bytes: an object id, big-endian.
  struct Triple: BitwiseCopyable {
    var first: UInt32
    var second: UInt32
    var third: UInt32
  }

  static func date(seconds: Int64, nanoseconds: Int64) throws(ColumnError) -> Value {
    guard let nanoseconds = Int32(exactly: nanoseconds),
      let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    else { throw .corrupted(.value) }
    return .date(date)
  }

  /// A value of a fixed width, from exactly as many bytes; every pattern is a value.
  static func fixed(_ bytes: UnsafeRawBufferPointer, _ type: ValueType) -> Value {
    func load<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> T {
      precondition(offset + MemoryLayout<T>.size <= bytes.count, "a value has its type's width")
      // SAFETY: in bounds (above).
      return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: T.self)
    }
    switch type {
    case .float: return .float(Float(bitPattern: load(0)))
    case .double: return .double(Double(bitPattern: load(0)))
    case .decimal: return .decimal(Decimal128(low: load(0), high: load(8)))
    case .uuid:
      return .uuid(
        UniqueID(high: UInt64(bigEndian: load(0)), low: UInt64(bigEndian: load(8))))
    case .objectID:
      return .objectID(
        ObjectID(high: UInt64(bigEndian: load(0)), low: UInt32(bigEndian: load(8))))
    default: preconditionFailure("a type of fixed width")
    }
  }

  static func bytes(_ bytes: UnsafeRawBufferPointer, _ type: ValueType) throws -> Value {
    switch type {
    case .string:
      return .string(try unsafe string(bytes))
    case .data: return unsafe .data(Array(bytes))
    case .mixed: return try unsafe MixedCoding.decode(bytes.bytes)
    default: preconditionFailure("a type of any number of bytes")
    }
  }

  /// A string of UTF-8.
  ///
  /// `String(validating:as:)` does the same through generic calls, which cost more than a short
  /// string.
  static func string(_ bytes: UnsafeRawBufferPointer) throws(ColumnError) -> String {
    // SAFETY: bytes are bytes of whatever type; the caller keeps them during the call.
    let span = unsafe bytes.assumingMemoryBound(to: UInt8.self).span
    guard let utf8 = try? UTF8Span(validating: span) else { throw .corrupted(.notUTF8) }
    return String(copying: utf8)
  }

  static func external(
    _ value: ExternalValue, _ type: ValueType, store: (any ExternalStore)?
  ) throws -> Value {
    try unsafe read(value, store: store).withUnsafeBytes { try unsafe bytes($0, type) }
  }

  /// The bytes of an external value.
  ///
  /// Without a store none can have been written, so the record of one is damage.
  static func read(_ value: ExternalValue, store: (any ExternalStore)?) throws -> [UInt8] {
    guard let store else { throw ColumnError.corrupted(.externalWithoutStore) }
    let bytes = try store.read(value.reference)
    guard UInt64(bytes.count) == value.byteCount else { throw ColumnError.corrupted(.value) }
    return bytes
  }
}
