package import AtollObjects

extension Snapshot {
  /// Whether the file is the store of a server, which alone writes to it.
  ///
  /// What another program writes has no record there: it would reach no device, and what it changes
  /// would differ from the devices' objects for ever.
  package var isServerStore: Bool { namedTree(CaptureKey.serverState) != nil }

  /// What the file knows of itself as a client of a server; nil when it is none.
  package func syncState() throws(ObjectError) -> SyncState? {
    guard let tree = namedTree(CaptureKey.sync),
      let bytes = try CaptureTree(tree).get(Capture.stateKey)
    else { return nil }
    return try Capture.decode { () throws(ValueCodingError) in try SyncState(decoding: bytes) }
  }

  /// A small record that the client keeps beside its state, by name.
  package func syncRecord(_ name: String) throws(ObjectError) -> [UInt8]? {
    guard let tree = namedTree(CaptureKey.sync) else { return nil }
    return try CaptureTree(tree).get(Capture.recordKey(name))
  }

  /// Visits the outbox entries from `number` on, in order, until `body` says false.
  package func forEachOutboxEntry(
    from number: UInt64 = 0, _ body: (OutboxEntry) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    guard let tree = namedTree(CaptureKey.outbox) else { return }
    try CaptureTree(tree).visit(from: CaptureKey.number(number)) {
      _, bytes throws(ObjectError) in
      try body(Capture.entry(bytes))
    }
  }

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
