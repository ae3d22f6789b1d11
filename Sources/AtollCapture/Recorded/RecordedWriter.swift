import AtollObjects
import AtollStorage

/// Writes recorded values and operations as bytes: Format.md, "Recorded values".
///
/// A name, an address and an entry's name are written in full where they come first, and as a
/// number from then on. So the bytes of one writer belong together.
package struct RecordedWriter {
  /// Addresses that get a number; of more, those that come again are written in full again.
  static let addressLimit = 1 << 16

  package private(set) var bytes: [UInt8] = []
  private var names: [ExactText: UInt64] = [:]
  private var addresses: [ObjectAddress: UInt64] = [:]
  private var lastAddress: ObjectAddress?
  private var entryNames: [EntryName: UInt64] = [:]

  package init() {}

  // MARK: Numbers and bytes

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append(flag: Bool) { bytes.append(flag ? 1 : 0) }

  package mutating func append(varint value: UInt64) { bytes.appendVarint(value) }

  /// A number with a sign: small magnitudes take few bytes.
  package mutating func append(signed value: Int64) {
    bytes.appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Eight bytes, for numbers that are random.
  package mutating func append(fixed value: UInt64) { bytes.appendLittleEndian(value) }

  package mutating func append(bytes value: some Collection<UInt8>) {
    bytes.appendVarint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  package mutating func append(string value: String) { append(bytes: value.utf8) }

  /// Bytes as they are, which another writer made and this one does not go on from.
  mutating func append(raw value: [UInt8]) { bytes += value }

  // MARK: What is known by a number

  /// A name of a class or a property.
  package mutating func append(name: String) {
    if let number = names[ExactText(name)] { return bytes.appendVarint(number) }
    bytes.append(0)
    append(string: name)
    names[ExactText(name)] = UInt64(names.count + 1)
  }

  package mutating func append(_ address: ObjectAddress) {
    if address == lastAddress { return bytes.append(1) }
    lastAddress = address
    if let number = addresses[address] { return bytes.appendVarint(number) }
    bytes.append(0)
    append(name: address.className)
    append(RecordedValue(single: address.primaryKey))
    if addresses.count < Self.addressLimit { addresses[address] = UInt64(addresses.count + 2) }
  }

  package mutating func append(_ name: EntryName) {
    if let number = entryNames[name] { return bytes.appendVarint(number) }
    bytes.append(0)
    append(fixed: name.client)
    append(varint: name.number)
    entryNames[name] = UInt64(entryNames.count + 1)
  }

  // MARK: Parts

  package mutating func append(_ cursor: Cursor) {
    append(fixed: cursor.incarnation)
    append(varint: cursor.version)
  }

  /// One byte more than the cursor.
  package mutating func append(_ cursor: Cursor?) {
    bytes.append(cursor == nil ? 0 : 1)
    if let cursor { append(cursor) }
  }

  package mutating func append(_ id: ElementID) {
    append(EntryName(client: id.client, number: id.number))
    append(varint: UInt64(id.index))
  }

  package mutating func append(_ position: ListPosition) { append(bytes: position.bytes) }

  package mutating func append(_ generation: Generation?) {
    switch generation {
    case nil: bytes.append(0)
    case .confirmed(let cursor):
      bytes.append(1)
      append(cursor)
    case .pending(let number, let index):
      bytes.append(2)
      append(varint: number)
      append(varint: UInt64(index))
    }
  }

  package mutating func append(_ path: UnitPath) {
    switch path {
    case .existence: bytes.append(0)
    case .property(let name):
      bytes.append(1)
      append(name: name)
    case .element(let name, let id):
      bytes.append(2)
      append(name: name)
      append(id)
    case .entry(let name, let key):
      bytes.append(3)
      append(name: name)
      append(key)
    }
  }

  package mutating func append(_ unit: Unit) {
    append(unit.object)
    append(unit.path)
  }

  /// Nil: the unit is absent.
  package mutating func append(_ value: UnitValue?) {
    switch value {
    case nil: bytes.append(0)
    case .value(let value):
      bytes.append(1)
      append(value)
    case .element(let position, let value):
      bytes.append(2)
      append(position)
      append(value)
    case .exists: bytes.append(3)
    }
  }

  // MARK: Values

  package mutating func append(_ value: RecordedValue) {
    bytes.append(value.tag.rawValue)
    switch value {
    case .null, .bool: break
    case .int(let value): append(signed: value)
    case .float(let value): bytes.appendLittleEndian(value.bitPattern)
    case .double(let value): bytes.appendLittleEndian(value.bitPattern)
    case .decimal(let value):
      bytes.appendLittleEndian(value.bitPattern.low)
      bytes.appendLittleEndian(value.bitPattern.high)
    case .string(let value): append(string: value)
    case .data(let value): append(bytes: value)
    case .date(let value):
      append(signed: value.seconds)
      append(signed: Int64(value.nanoseconds))
    case .objectID(let value):
      bytes.appendBigEndian(value.high)
      bytes.appendBigEndian(value.low)
    case .uuid(let value):
      bytes.appendBigEndian(value.high)
      bytes.appendBigEndian(value.low)
    case .link(let address): append(address)
    case .embedded(let object):
      if let incarnation = object.incarnation { append(incarnation) }
      append(varint: UInt64(object.fields.count))
      for field in object.fields {
        append(name: field.property)
        append(field.value)
      }
    case .list(let elements), .set(let elements):
      append(varint: UInt64(elements.count))
      for element in elements { append(element) }
    case .map(let entries):
      append(varint: UInt64(entries.count))
      for entry in entries {
        append(string: entry.key)
        append(entry.value)
      }
    }
  }

  // MARK: Operations

  package mutating func append(_ operation: Operation) {
    switch operation.action {
    case .create: bytes.append(0)
    case .delete: bytes.append(1)
    case .set: bytes.append(2)
    case .insert: bytes.append(3)
    case .setElement: bytes.append(4)
    case .removeElement: bytes.append(5)
    case .setEntry: bytes.append(6)
    case .addMember: bytes.append(7)
    case .removeEntry: bytes.append(8)
    case .increment: bytes.append(9)
    case .moveElement: bytes.append(10)
    case .edit: bytes.append(11)
    }
    append(operation.object)
    append(operation.generation)
    switch operation.action {
    case .create, .delete: break
    case .set(let property, let value):
      append(name: property)
      append(value)
    case .insert(let property, let id, let position, let value):
      append(name: property)
      append(id)
      append(position)
      append(value)
    case .setElement(let property, let id, let value):
      append(name: property)
      append(id)
      append(value)
    case .removeElement(let property, let id):
      append(name: property)
      append(id)
    case .setEntry(let property, let key, let value):
      append(name: property)
      append(key)
      append(value)
    case .addMember(let property, let key), .removeEntry(let property, let key):
      append(name: property)
      append(key)
    case .increment(let property, let delta):
      append(name: property)
      append(signed: delta)
    case .moveElement(let property, let id, let position):
      append(name: property)
      append(id)
      append(position)
    case .edit(let owner, let place, let change):
      append(owner)
      append(place)
      append(change)
    }
  }

  package mutating func append(_ place: InnerPlace) {
    append(flag: place.incarnation != nil)
    if let incarnation = place.incarnation { append(incarnation) }
    append(varint: UInt64(place.names.count))
    for name in place.names { append(string: name) }
  }

  package mutating func append(_ change: InnerChange) {
    switch change {
    case .remove: bytes.append(0)
    case .set(let value):
      bytes.append(1)
      append(value)
    case .increment(let delta, let startsAtZero):
      bytes.append(2)
      append(signed: delta)
      append(flag: startsAtZero)
    }
  }

  package mutating func append(_ transaction: RecordedTransaction) {
    append(fixed: transaction.clock.rawValue)
    append(transaction.seen)
    append(varint: UInt64(transaction.operations.count))
    for operation in transaction.operations { append(operation) }
  }

  package mutating func append(_ content: OutboxEntry.Content) {
    switch content {
    case .push(let transaction):
      bytes.append(0)
      append(transaction)
    case .sets(let version):
      bytes.append(1)
      append(signed: version)
    case .schema: bytes.append(2)
    }
  }

  package mutating func append(_ entry: OutboxEntry) {
    append(varint: entry.number)
    append(fixed: entry.firstName.client)
    append(varint: entry.firstName.number)
    append(fixed: entry.digest)
    append(entry.content)
  }
}
