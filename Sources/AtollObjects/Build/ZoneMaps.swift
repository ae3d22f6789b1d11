/// What is known of a column of one row group without a look at it.
package struct Zone: Hashable, Sendable {
  package var nullCount: Int
  package var bounds: Bounds

  /// Bounds of the values that are not null.
  ///
  /// They hold for every value, and need not be reached by any.
  package enum Bounds: Hashable, Sendable {
    /// Anything may be there.
    case unknown
    /// There is no value.
    case empty
    /// Integers; keys of links as bit patterns; false as 0, true as 1; whole seconds of dates.
    case ints(least: Int64, greatest: Int64)
    /// Floats and doubles that are numbers; besides them there may be NaNs.
    case doubles(least: Double, greatest: Double, hasNaN: Bool)
    /// Strings: their first eight UTF-8 bytes as big-endian numbers, zeros where there are no
    /// bytes. So s < t implies prefix(s) <= prefix(t), and both bounds are closed.
    case prefixes(least: UInt64, greatest: UInt64)
  }

  package init(nullCount: Int, bounds: Bounds) {
    self.nullCount = nullCount
    self.bounds = bounds
  }

  /// Whether a value that is not null may lie in the zone.
  func allows(_ value: Value) -> Bool {
    switch (bounds, value) {
    case (.unknown, _): true
    case (.ints(let least, let greatest), .int(let number)):
      number >= least && number <= greatest
    case (.ints(let least, let greatest), .bool(let flag)):
      (flag ? 1 : 0) >= least && (flag ? 1 : 0) <= greatest
    case (.ints(let least, let greatest), .date(let date)):
      date.seconds >= least && date.seconds <= greatest
    case (.ints(let least, let greatest), .link(let link)):
      Int64(bitPattern: link.key) >= least && Int64(bitPattern: link.key) <= greatest
    case (.doubles(let least, let greatest, let hasNaN), .double(let number)):
      number.isNaN ? hasNaN : number >= least && number <= greatest
    case (.doubles(let least, let greatest, let hasNaN), .float(let number)):
      number.isNaN ? hasNaN : Double(number) >= least && Double(number) <= greatest
    case (.prefixes(let least, let greatest), .string(let text)):
      Self.prefix(text.utf8) >= least && Self.prefix(text.utf8) <= greatest
    case (.prefixes(let least, let greatest), .data(let bytes)):
      Self.prefix(bytes) >= least && Self.prefix(bytes) <= greatest
    case (.empty, _), (.ints, _), (.doubles, _), (.prefixes, _): false
    }
  }

  /// The first eight bytes as a big-endian number, zeros where there are none.
  private static func prefix(_ bytes: some Collection<UInt8>) -> UInt64 {
    let first = bytes.prefix(8)
    let number = first.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return first.isEmpty ? 0 : number << UInt64(8 * (8 - first.count))
  }
}

/// The zones of a row group's columns, as compact bytes that its parent keeps: a scan leaves out
/// the row groups that cannot hold a match.
///
/// Normative text: Format.md, "Zone maps". One record a column, ascending by column:
///
///     varint   column, less the one before
///     1 byte   byteCount of the rest of the record
///     1 byte   form: 0 unknown, 1 empty, 2 ints, 3 doubles, 4 doubles and NaN, 5 prefixes
///     varint   nullCount
///     ints: zigzag varint least, varint greatest - least
///     doubles, prefixes: the two bounds as 8 big-endian bytes that order like them, cut short
///       where they no longer tell the bounds apart: 1 byte (shared count << 4 | own count), the
///       shared bytes, the own bytes of least, the own bytes of greatest. Cut bytes read as 0x00 in
///       least and as 0xFF in greatest, so bounds can only widen.
///
/// A column without a record may hold anything. Damaged bytes read as unknown zones, or as other
/// ones: the page's checksum stands in for their truth.
package struct ZoneMaps: Hashable, Sendable {
  package private(set) var bytes: [UInt8]
  private var lastColumn: UInt32 = 0

  /// No column is known.
  package init() {
    bytes = []
  }

  /// The zones that `bytes` of another value hold.
  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// The zone of a column; nil when anything may be there.
  package func zone(_ column: UInt32) -> Zone? {
    unsafe bytes.withUnsafeBytes { unsafe Self.zone(column, in: $0) }
  }

  /// The zone of a column in the bytes of a value of this type, as they lie in the parent's page.
  ///
  /// Cost: about 2 ns for each column before it, 10 ns for itself.
  package static func zone(_ column: UInt32, in bytes: UnsafeRawBufferPointer) -> Zone? {
    var reader = unsafe ZoneReader(bytes)
    var current: UInt64 = 0
    while let delta = reader.varint(), let byteCount = reader.byte() {
      (current, _) = current.addingReportingOverflow(delta)
      if current > UInt64(column) { return nil }
      if current == UInt64(column) { return reader.zone() }
      guard reader.skip(Int(byteCount)) else { return nil }
    }
    return nil
  }

  /// Adds the zone of a column, above all columns added before.
  mutating func append(_ column: UInt32, _ zone: Zone) {
    precondition(column > lastColumn, "zones are added in the order of their columns")
    var record: [UInt8] = []
    switch zone.bounds {
    case .unknown: record.append(0)
    case .empty: record.append(1)
    case .ints: record.append(2)
    case .doubles(_, _, let hasNaN): record.append(hasNaN ? 4 : 3)
    case .prefixes: record.append(5)
    }
    Self.append(UInt64(zone.nullCount), to: &record)
    switch zone.bounds {
    case .unknown, .empty: break
    case .ints(let least, let greatest):
      Self.append(UInt64(bitPattern: least &<< 1 ^ least &>> 63), to: &record)
      Self.append(UInt64(bitPattern: greatest &- least), to: &record)
    case .doubles(let least, let greatest, _):
      Self.append(Self.ordered(least), Self.ordered(greatest), keeping: 2, to: &record)
    case .prefixes(let least, let greatest):
      Self.append(least, greatest, keeping: 3, to: &record)
    }
    Self.append(UInt64(column - lastColumn), to: &bytes)
    bytes.append(UInt8(record.count))
    bytes += record
    lastColumn = column
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Adds the bytes that two bounds share, and at most `keeping` bytes more of each.
  private static func append(
    _ least: UInt64, _ greatest: UInt64, keeping: Int, to bytes: inout [UInt8]
  ) {
    let shared = (least ^ greatest).leadingZeroBitCount / 8
    let own = min(keeping, 8 - shared)
    bytes.append(UInt8(shared << 4 | own))
    for index in 0..<shared { bytes.append(byte(least, index)) }
    for index in shared..<(shared + own) { bytes.append(byte(least, index)) }
    for index in shared..<(shared + own) { bytes.append(byte(greatest, index)) }
  }

  private static func byte(_ value: UInt64, _ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: value >> UInt64(56 - index * 8))
  }

  /// A number that orders like the double; the other way is `double`.
  private static func ordered(_ value: Double) -> UInt64 {
    let pattern = value.bitPattern
    return pattern >> 63 == 0 ? pattern ^ (1 << 63) : ~pattern
  }

  fileprivate static func double(_ ordered: UInt64) -> Double {
    Double(bitPattern: ordered >> 63 == 1 ? ordered ^ (1 << 63) : ~ordered)
  }
}

/// Reads the records of zone maps; nil wherever bytes are missing.
@safe
private struct ZoneReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
  }

  mutating func byte() -> UInt8? {
    guard unsafe offset < bytes.count else { return nil }
    defer { offset += 1 }
    // SAFETY: in bounds (above).
    return unsafe bytes[offset]
  }

  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = byte() {
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }

  mutating func skip(_ byteCount: Int) -> Bool {
    guard unsafe byteCount <= bytes.count - offset else { return false }
    offset += byteCount
    return true
  }

  /// The rest of a record, from its form on.
  mutating func zone() -> Zone? {
    guard let form = byte(), let nullCount = varint() else { return nil }
    let bounds: Zone.Bounds
    switch form {
    case 1: bounds = .empty
    case 2:
      guard let first = varint(), let span = varint() else { return nil }
      let least = Int64(bitPattern: first >> 1) ^ -Int64(bitPattern: first & 1)
      bounds = .ints(least: least, greatest: least &+ Int64(bitPattern: span))
    case 3, 4:
      guard let (low, high) = pair() else { return nil }
      let least = ZoneMaps.double(low)
      let greatest = ZoneMaps.double(high)
      // What was cut reads as ones, beyond infinity for the greatest exponent.
      bounds = .doubles(
        least: least.isNaN ? -.infinity : least, greatest: greatest.isNaN ? .infinity : greatest,
        hasNaN: form == 4)
    case 5:
      guard let (low, high) = pair() else { return nil }
      bounds = .prefixes(least: low, greatest: high)
    default: bounds = .unknown
    }
    return Zone(nullCount: Int(clamping: nullCount), bounds: bounds)
  }

  private mutating func pair() -> (UInt64, UInt64)? {
    guard let counts = byte() else { return nil }
    let shared = UInt64(counts >> 4)
    let own = UInt64(counts & 15)
    guard shared + own <= 8, let prefix = number(shared), let low = number(own),
      let high = number(own)
    else { return nil }
    let cut = 64 - 8 * (shared + own)
    let top = own == 8 ? 0 : prefix << (8 * own)
    // A shift by 64 gives 0 in Swift, as it should here.
    let ones: UInt64 = cut == 64 ? .max : (1 << cut) - 1
    return ((top | low) << cut, (top | high) << cut | ones)
  }

  /// A big-endian number of `byteCount` bytes, at most 8.
  private mutating func number(_ byteCount: UInt64) -> UInt64? {
    var value: UInt64 = 0
    for _ in 0..<byteCount {
      guard let byte = byte() else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return value
  }
}
