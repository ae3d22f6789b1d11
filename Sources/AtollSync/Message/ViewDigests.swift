package import AtollCapture
internal import AtollObjects

/// DIGESTS: the server's record of what the device holds, by subscription.
package struct ViewDigests: Hashable, Sendable {
  /// The number of the VERIFY that it answers.
  package var number: UInt64
  /// The cursor of a device that has applied all that was sent before.
  package var cursor: Cursor
  /// The outbox number of the subscription set whose view this is; 0 for none.
  package var setNumber: UInt64
  /// One for each member of the set, in ascending order; nil when too much changed meanwhile.
  package var digests: [ViewDigest]?

  package init(number: UInt64, cursor: Cursor, setNumber: UInt64, digests: [ViewDigest]?) {
    self.number = number
    self.cursor = cursor
    self.setNumber = setNumber
    self.digests = digests
  }
}

/// The count and a digest of the objects of one subscription, whatever their order.
package struct ViewDigest: Hashable, Sendable {
  package var count: UInt64 = 0
  /// The exclusive-or of a hash of each object: its address and the generation in which it lives.
  package var hash: UInt64 = 0

  package init() {}

  package init(count: UInt64, hash: UInt64) {
    self.count = count
    self.hash = hash
  }

  /// Adds an object.
  package mutating func add(_ object: ObjectAddress, _ generation: Cursor) {
    var writer = RecordedWriter()
    writer.append(object)
    writer.append(generation)
    var bytesHash = FNV1a()
    bytesHash.add(writer.bytes)
    // Its bits are mixed (the finalizer of MurmurHash3), as hashes of objects that differ in their
    // last byte only would cancel each other out in an exclusive-or.
    var hash = bytesHash.hash
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    self.hash ^= hash ^ hash >> 33
    count += 1
  }
}
