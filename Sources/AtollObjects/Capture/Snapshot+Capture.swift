extension Snapshot {
  /// How many entries wait in the outbox.
  package var outboxCount: Int {
    get throws(ObjectError) {
      var count = 0
      try forEachOutboxEntry { _ throws(ObjectError) in
        count += 1
        return true
      }
      return count
    }
  }

  /// Finds the first outbox entry from `number` on; nil when there is none.
  package func firstOutboxEntry(from number: UInt64 = 0) throws(ObjectError) -> OutboxEntry? {
    var first: OutboxEntry?
    try forEachOutboxEntry(from: number) { entry throws(ObjectError) in
      first = entry
      return false
    }
    return first
  }
}

extension Capture {
  /// Visits the objects that the server confirmed.
  package func forEachConfirmed(
    _ body: (ObjectAddress) throws(ObjectError) -> Void
  ) throws(ObjectError) {
    try generations.visit { key, bytes throws(ObjectError) in
      let lives = try Self.decode { () throws(ValueCodingError) in
        try ObjectGenerations(decoding: bytes)
      }
      guard lives.confirmed != nil else { return true }
      guard let (object, rest) = CaptureKey.address(key), rest.isEmpty else {
        throw ObjectError.damagedRecord
      }
      try body(object)
      return true
    }
  }
}
