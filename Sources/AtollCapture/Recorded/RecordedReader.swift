package import AtollObjects
import AtollStorage

/// Reads what `RecordedWriter` wrote, from front to back.
///
/// Total: any bytes give a value or an error. Memory is a small multiple of the bytes.
package struct RecordedReader {
  /// How deep lists, maps and embedded objects lie in each other.
  package static let nestingLimit = 100
  /// The bytes that a name of a class or property has at most.
  package static let nameByteLimit = max(
    ClassSchema.nameByteLimit, PropertySchema.nameByteLimit)

  private let bytes: [UInt8]
  private let limitsNames: Bool
  package private(set) var byteOffset = 0
  private var names: [String] = []
  private var addresses: [ObjectAddress] = []
  private var lastAddress: ObjectAddress?
  private var entryNames: [EntryName] = []

  /// Reads `bytes`.
  ///
  /// `limitsNames`: whether names that no class or property can have are refused. In what a peer
  /// sends, a name is there once and may be meant very often: what is said of each must stay short.
  package init(_ bytes: [UInt8], limitsNames: Bool = false) {
    self.bytes = bytes
    self.limitsNames = limitsNames
  }

  package var remainingByteCount: Int { bytes.count - byteOffset }
  package var isAtEnd: Bool { byteOffset == bytes.count }

  /// Throws `.trailingBytes` unless all was read.
  package func finish() throws(ValueCodingError) {
    guard isAtEnd else { throw .trailingBytes(byteOffset: byteOffset) }
  }

  // MARK: Numbers and bytes

  package mutating func readByte() throws(ValueCodingError) -> UInt8 {
    guard byteOffset < bytes.count else { throw .truncated(byteOffset: bytes.count) }
    defer { byteOffset += 1 }
    return bytes[byteOffset]
  }

  package mutating func readVarint() throws(ValueCodingError) -> UInt64 {
    let start = byteOffset
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readByte()
      guard shift < 63 || byte <= 1 else { throw .invalidContents(byteOffset: start) }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw .invalidContents(byteOffset: start) }
        return value
      }
      shift += 7
    }
  }

  package mutating func readSigned() throws(ValueCodingError) -> Int64 {
    let value = try readVarint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  package mutating func readFixed() throws(ValueCodingError) -> UInt64 {
    try readLittleEndian(8)
  }

  package mutating func readUInt32() throws(ValueCodingError) -> UInt32 {
    let start = byteOffset
    guard let value = UInt32(exactly: try readVarint()) else {
      throw .invalidContents(byteOffset: start)
    }
    return value
  }

  /// A number of things that take at least a byte each.
  package mutating func readCount() throws(ValueCodingError) -> Int {
    let value = try readVarint()
    guard value <= UInt64(remainingByteCount) else { throw .truncated(byteOffset: bytes.count) }
    return Int(value)
  }

  package mutating func readBytes() throws(ValueCodingError) -> [UInt8] {
    let count = try readCount()
    defer { byteOffset += count }
    return Array(bytes[byteOffset..<byteOffset + count])
  }

  package mutating func readString() throws(ValueCodingError) -> String {
    let count = try readCount()
    guard let string = String(validating: bytes[byteOffset..<byteOffset + count], as: UTF8.self)
    else { throw .invalidUTF8(byteOffset: byteOffset) }
    byteOffset += count
    return string
  }

  private mutating func readLittleEndian(_ byteCount: Int) throws(ValueCodingError) -> UInt64 {
    guard byteCount <= remainingByteCount else { throw .truncated(byteOffset: bytes.count) }
    var value: UInt64 = 0
    for index in 0..<byteCount { value |= UInt64(bytes[byteOffset + index]) << UInt64(8 * index) }
    byteOffset += byteCount
    return value
  }

  private mutating func readBigEndian(_ byteCount: Int) throws(ValueCodingError) -> UInt64 {
    try readLittleEndian(byteCount).byteSwapped >> UInt64(64 - 8 * byteCount)
  }

  // MARK: What is known by a number

  package mutating func readName() throws(ValueCodingError) -> String {
    if let index = try readKnown(names.count) { return names[index] }
    let start = byteOffset
    let name = try readString()
    guard !limitsNames || name.utf8.count <= Self.nameByteLimit else {
      throw .invalidContents(byteOffset: start)
    }
    names.append(name)
    return name
  }

  package mutating func readAddress() throws(ValueCodingError) -> ObjectAddress {
    let start = byteOffset
    if let number = try readKnown(addresses.count + 1) {
      guard number > 0 else {
        guard let lastAddress else { throw .invalidContents(byteOffset: start) }
        return lastAddress
      }
      lastAddress = addresses[number - 1]
      return addresses[number - 1]
    }
    let className = try readName()
    guard let key = try readScalar().primaryKey else { throw .invalidContents(byteOffset: start) }
    let address = ObjectAddress(className: className, primaryKey: key)
    if addresses.count < RecordedWriter.addressLimit { addresses.append(address) }
    lastAddress = address
    return address
  }

  package mutating func readEntryName() throws(ValueCodingError) -> EntryName {
    if let index = try readKnown(entryNames.count) { return entryNames[index] }
    let name = EntryName(client: try readFixed(), number: try readVarint())
    entryNames.append(name)
    return name
  }

  /// Where it is known; nil when it follows in full.
  private mutating func readKnown(_ count: Int) throws(ValueCodingError) -> Int? {
    let start = byteOffset
    let number = try readVarint()
    guard number <= UInt64(count) else { throw .invalidContents(byteOffset: start) }
    return number == 0 ? nil : Int(number) - 1
  }

  // MARK: Parts

  package mutating func readCursor() throws(ValueCodingError) -> Cursor {
    Cursor(incarnation: try readFixed(), version: try readVarint())
  }

  package mutating func readOptionalCursor() throws(ValueCodingError) -> Cursor? {
    try readFlag() ? try readCursor() : nil
  }

  package mutating func readFlag() throws(ValueCodingError) -> Bool {
    let byte = try readByte()
    guard byte <= 1 else { throw .invalidContents(byteOffset: byteOffset - 1) }
    return byte == 1
  }

  package mutating func readElementID() throws(ValueCodingError) -> ElementID {
    ElementID(try readEntryName(), index: try readUInt32())
  }

  package mutating func readPosition() throws(ValueCodingError) -> ListPosition {
    let start = byteOffset
    guard let position = ListPosition(decoding: try readBytes()) else {
      throw .invalidContents(byteOffset: start)
    }
    return position
  }

  package mutating func readGeneration() throws(ValueCodingError) -> Generation? {
    switch try readByte() {
    case 0: return nil
    case 1: return .confirmed(try readCursor())
    case 2: return .pending(number: try readVarint(), index: try readUInt32())
    case let tag: throw .unknownTag(tag, byteOffset: byteOffset - 1)
    }
  }

  package mutating func readPath() throws(ValueCodingError) -> UnitPath {
    switch try readByte() {
    case 0: return .existence
    case 1: return .property(try readName())
    case 2: return .element(property: try readName(), try readElementID())
    case 3: return .entry(property: try readName(), try readValue())
    case let tag: throw .unknownTag(tag, byteOffset: byteOffset - 1)
    }
  }

  package mutating func readUnitValue() throws(ValueCodingError) -> UnitValue? {
    switch try readByte() {
    case 0: return nil
    case 1: return .value(try readValue())
    case 2: return .element(try readPosition(), try readValue())
    case 3: return .exists
    case let tag: throw .unknownTag(tag, byteOffset: byteOffset - 1)
    }
  }

  // MARK: Values

  package mutating func readValue() throws(ValueCodingError) -> RecordedValue {
    try readValue(depth: 0)
  }

  /// Reads a value in which there is no other one, and no address: the key of an address would
  /// otherwise be an address with a key, as deep as a peer likes.
  private mutating func readScalar() throws(ValueCodingError) -> RecordedValue {
    switch RecordedValue.Tag(rawValue: byteOffset < bytes.count ? bytes[byteOffset] : .max) {
    case .link, .embedded, .embeddedObject, .list, .set, .map:
      throw .invalidContents(byteOffset: byteOffset)
    default: return try readValue(depth: 0)
    }
  }

  private mutating func readValue(depth: Int) throws(ValueCodingError) -> RecordedValue {
    let start = byteOffset
    let byte = try readByte()
    guard let tag = RecordedValue.Tag(rawValue: byte) else {
      throw .unknownTag(byte, byteOffset: start)
    }
    switch tag {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return .int(try readSigned())
    case .float: return .float(Float(bitPattern: UInt32(try readLittleEndian(4))))
    case .double: return .double(Double(bitPattern: try readLittleEndian(8)))
    case .decimal:
      let low = try readLittleEndian(8)
      return .decimal(Decimal128(low: low, high: try readLittleEndian(8)))
    case .string: return .string(try readString())
    case .data: return .data(try readBytes())
    case .date:
      let seconds = try readSigned()
      guard let nanoseconds = Int32(exactly: try readSigned()),
        let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      else { throw .invalidContents(byteOffset: start) }
      return .date(date)
    case .objectID:
      let high = try readBigEndian(8)
      return .objectID(ObjectID(high: high, low: UInt32(try readBigEndian(4))))
    case .uuid:
      let high = try readBigEndian(8)
      return .uuid(UniqueID(high: high, low: try readBigEndian(8)))
    case .link: return .link(try readAddress())
    case .embedded: return .embedded(EmbeddedValue(try readFields(depth: depth)))
    case .embeddedObject:
      let incarnation = try readElementID()
      return .embedded(
        EmbeddedValue(incarnation: incarnation, try readFields(depth: depth)))
    case .list: return .list(try readElements(depth: depth))
    case .set: return .set(try readElements(depth: depth))
    case .map: return .map(try readEntries(depth: depth))
    }
  }

  private mutating func readFields(depth: Int) throws(ValueCodingError) -> [RecordedField] {
    guard depth < Self.nestingLimit else { throw .nestingTooDeep(limit: Self.nestingLimit) }
    var fields: [RecordedField] = []
    for _ in 0..<(try readCount()) {
      let property = try readName()
      fields.append(RecordedField(property: property, value: try readValue(depth: depth + 1)))
    }
    return fields
  }

  private mutating func readElements(depth: Int) throws(ValueCodingError) -> [RecordedValue] {
    guard depth < Self.nestingLimit else { throw .nestingTooDeep(limit: Self.nestingLimit) }
    var elements: [RecordedValue] = []
    for _ in 0..<(try readCount()) { elements.append(try readValue(depth: depth + 1)) }
    return elements
  }

  private mutating func readEntries(depth: Int) throws(ValueCodingError) -> [RecordedEntry] {
    guard depth < Self.nestingLimit else { throw .nestingTooDeep(limit: Self.nestingLimit) }
    var entries: [RecordedEntry] = []
    for _ in 0..<(try readCount()) {
      let start = byteOffset
      let key = try readString()
      if let last = entries.last, Ordering(utf8: last.key, key) != .less {
        throw .invalidContents(byteOffset: start)
      }
      entries.append(RecordedEntry(key: key, value: try readValue(depth: depth + 1)))
    }
    return entries
  }

  // MARK: Operations

  package mutating func readOperation() throws(ValueCodingError) -> Operation {
    let start = byteOffset
    let tag = try readByte()
    guard tag <= 11 else { throw .unknownTag(tag, byteOffset: start) }
    let object = try readAddress()
    let generation = try readGeneration()
    let action: Operation.Action
    switch tag {
    case 0: action = .create
    case 1: action = .delete
    case 2: action = .set(property: try readName(), try readValue())
    case 3:
      action = .insert(
        property: try readName(), try readElementID(), try readPosition(), try readValue())
    case 4: action = .setElement(property: try readName(), try readElementID(), try readValue())
    case 5: action = .removeElement(property: try readName(), try readElementID())
    case 6:
      action = .setEntry(property: try readName(), key: try readMapKey(), try readValue())
    case 7: action = .addMember(property: try readName(), try readValue())
    case 8: action = .removeEntry(property: try readName(), key: try readValue())
    case 9: action = .increment(property: try readName(), by: try readSigned())
    case 10:
      action = .moveElement(property: try readName(), try readElementID(), try readPosition())
    default: action = .edit(try readPath(), try readInnerPlace(), try readInnerChange())
    }
    guard (tag == 0) == (generation == nil) else { throw .invalidContents(byteOffset: start) }
    return Operation(object: object, generation: generation, action: action)
  }

  /// A place inside a value: one name at least, and no more than values lie in each other.
  package mutating func readInnerPlace() throws(ValueCodingError) -> InnerPlace {
    let start = byteOffset
    let incarnation = try readFlag() ? try readElementID() : nil
    var names: [String] = []
    let count = try readCount()
    guard 1...Self.nestingLimit ~= count else { throw .invalidContents(byteOffset: start) }
    for _ in 0..<count { names.append(try readString()) }
    return InnerPlace(incarnation: incarnation, names: names)
  }

  package mutating func readInnerChange() throws(ValueCodingError) -> InnerChange {
    switch try readByte() {
    case 0: return .remove
    case 1: return .set(try readValue())
    case 2: return .increment(by: try readSigned(), startsAtZero: try readFlag())
    case let tag: throw .unknownTag(tag, byteOffset: byteOffset - 1)
    }
  }

  /// The key of a map's entry.
  package mutating func readMapKey() throws(ValueCodingError) -> RecordedValue {
    let start = byteOffset
    let key = try readValue()
    guard case .string = key else { throw .invalidContents(byteOffset: start) }
    return key
  }

  package mutating func readTransaction() throws(ValueCodingError) -> RecordedTransaction {
    try readTransaction(upTo: .max).transaction
  }

  /// An operation names a class, a key and what is done.
  private static let leastOperationByteCount = 4

  /// Reads a transaction that is the rest of the bytes, without its operations when there are more
  /// than `limit`; also how many there are.
  package mutating func readTransaction(
    upTo limit: Int
  ) throws(ValueCodingError) -> (transaction: RecordedTransaction, operationCount: Int) {
    let clock = HybridClock(rawValue: try readFixed())
    let seen = try readOptionalCursor()
    var operations: [Operation] = []
    let count = try readCount()
    if count > limit {
      guard count <= remainingByteCount / Self.leastOperationByteCount else {
        throw .truncated(byteOffset: bytes.count)
      }
      byteOffset = bytes.count
    } else {
      for _ in 0..<count { operations.append(try readOperation()) }
    }
    return (RecordedTransaction(clock: clock, seen: seen, operations: operations), count)
  }

  package mutating func readContent() throws(ValueCodingError) -> OutboxEntry.Content {
    switch try readByte() {
    case 0: return .push(try readTransaction())
    case 1: return .sets(version: try readSigned())
    case 2: return .schema
    case let tag: throw .unknownTag(tag, byteOffset: byteOffset - 1)
    }
  }

  package mutating func readEntry() throws(ValueCodingError) -> OutboxEntry {
    let number = try readVarint()
    let name = EntryName(client: try readFixed(), number: try readVarint())
    let digest = try readFixed()
    return OutboxEntry(
      number: number, firstName: name, digest: digest, content: try readContent())
  }
}
