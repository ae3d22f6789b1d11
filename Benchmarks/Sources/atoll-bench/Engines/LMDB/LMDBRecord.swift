internal import CLMDB
internal import Workloads

/// A packed object as it lies in the map.
///
/// Native byte order, no alignment:
///
///     offset  size  field
///          0     8  age
///          8     8  score
///         16     8  createdAt, seconds since 1970
///         24     8  friend, -1 for none
///         32     2  byte count of name
///         34     2  byte count of email
///         36     2  byte count of city
///         38     1  isActive
///         39        name, email, city in UTF-8
///
/// Owns nothing: valid as long as the bytes it was made from. The file is our own and was written
/// in this run, so the counts are not checked.
@safe struct LMDBRecord {
  private let bytes: UnsafeRawBufferPointer
  private static let headerByteCount = 39

  /// Looks at `value`, which must be a packed object.
  @unsafe init(_ value: MDB_val) {
    unsafe bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
  }

  var age: Int { unsafe bytes.loadUnaligned(as: Int.self) }

  var score: Double { unsafe bytes.loadUnaligned(fromByteOffset: 8, as: Double.self) }

  var nameByteCount: Int {
    Int(unsafe bytes.loadUnaligned(fromByteOffset: 32, as: UInt16.self))
  }

  /// The UTF-8 bytes of the name, copied.
  var name: [UInt8] {
    unsafe Array(bytes[Self.headerByteCount..<Self.headerByteCount + nameByteCount])
  }

  /// Copies the record with another age into `copy`, whose memory is used again.
  func copy(into copy: inout [UInt8], settingAge age: Int) {
    copy.removeAll(keepingCapacity: true)
    unsafe copy.append(contentsOf: bytes)
    unsafe copy.withUnsafeMutableBytes { unsafe $0.storeBytes(of: age, as: Int.self) }
  }

  /// Packs `person` into `packed`, whose memory is used again.
  static func pack(_ person: Person, into packed: inout [UInt8]) {
    packed.removeAll(keepingCapacity: true)
    append(person.age, to: &packed)
    append(person.score, to: &packed)
    append(person.createdAt, to: &packed)
    append(person.friend ?? -1, to: &packed)
    append(UInt16(person.name.utf8.count), to: &packed)
    append(UInt16(person.email.utf8.count), to: &packed)
    append(UInt16(person.city.utf8.count), to: &packed)
    packed.append(person.isActive ? 1 : 0)
    packed.append(contentsOf: person.name.utf8)
    packed.append(contentsOf: person.email.utf8)
    packed.append(contentsOf: person.city.utf8)
  }

  private static func append<Number: BitwiseCopyable>(_ number: Number, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
  }
}
