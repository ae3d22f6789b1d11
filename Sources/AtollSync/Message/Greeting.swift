package import AtollCapture
internal import AtollObjects

/// HELLO: identifies the file and its progress.
///
/// It names only durable state of the file. The user is known from the log-in.
package struct Hello: Hashable, Sendable {
  /// The id of the client, random, made with the file.
  package var client: UInt64
  /// The token of the last WELCOME that the file stored; nil when none was.
  package var token: UInt64?
  /// The newest cursor that this id has applied, also before a reset.
  package var proof: Cursor?
  /// The cursor that head is confirmed up to; nil when the device synchronises as if new.
  package var cursor: Cursor?
  /// The newest number of this id whose answer was taken in.
  package var answered: UInt64
  /// The last subscription set that was answered and not refused.
  package var sets: AnsweredSets?
  /// The catch-up that was interrupted.
  package var bootstrap: BootstrapPosition?
  /// Whether the batches of a catch-up are committed one by one.
  package var isProgressive: Bool

  package init(
    client: UInt64, token: UInt64?, proof: Cursor?, cursor: Cursor?, answered: UInt64,
    sets: AnsweredSets?, bootstrap: BootstrapPosition?, isProgressive: Bool
  ) {
    self.client = client
    self.token = token
    self.proof = proof
    self.cursor = cursor
    self.answered = answered
    self.sets = sets
    self.bootstrap = bootstrap
    self.isProgressive = isProgressive
  }
}

/// A subscription set as the server holds it: no names, no ids, no times.
package struct AnsweredSets: Hashable, Sendable {
  /// The number of the outbox entry that brought it.
  package var number: UInt64
  /// The version of the set in the file.
  package var version: Int64
  /// What is subscribed, each once, in ascending order.
  package var members: [SetMember]

  package init(number: UInt64, version: Int64, members: [SetMember]) {
    self.number = number
    self.version = version
    self.members = members
  }
}

/// A class and the canonical text of a query on it.
package struct SetMember: Hashable, Sendable, Comparable {
  package var className: String
  package var query: String

  package init(className: String, query: String) {
    self.className = className
    self.query = query
  }

  /// How many bytes its texts have.
  package var byteCount: Int { className.utf8.count + query.utf8.count }

  /// By bytes, as queries compare text: Swift has one `==` for all spellings of a text.
  package static func == (a: SetMember, b: SetMember) -> Bool {
    a.className.hasSameBytes(as: b.className) && a.query.hasSameBytes(as: b.query)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(Value.string(className))
    hasher.combine(Value.string(query))
  }

  package static func < (a: SetMember, b: SetMember) -> Bool {
    guard a.className.hasSameBytes(as: b.className) else {
      return a.className.utf8.lexicographicallyPrecedes(b.className.utf8)
    }
    return a.query.utf8.lexicographicallyPrecedes(b.query.utf8)
  }
}

/// The position of an interrupted catch-up.
package struct BootstrapPosition: Hashable, Sendable {
  /// The number of the catch-up, never used twice.
  package var run: UInt64
  /// The position that the server gave; opaque to the device.
  package var position: [UInt8]
  /// The cursor that the catch-up began at.
  package var from: Cursor?

  package init(run: UInt64, position: [UInt8], from: Cursor?) {
    self.run = run
    self.position = position
    self.from = from
  }
}

/// WELCOME: the answer to HELLO.
///
/// The check of R3 is completed by the device, which alone has the digests of all it sent: `pushed`
/// must be a number that the file has assigned, and `digest` that of the file's entry with this
/// number. Otherwise another copy of the file continued under the id, and this one takes a new id.
package struct Welcome: Hashable, Sendable {
  /// The version of the protocol that the server speaks on this connection.
  package var version: UInt64
  /// The token of this connection, which the file stores before it confirms.
  package var token: UInt64
  /// Whether the device is to synchronise as if new, its cursor not being of the server's history.
  package var isFromStart: Bool
  /// Whether it is to do so only because its catch-up, whose batches were committed one by one,
  /// cannot continue: its cursor is of the server's history.
  package var isRunLost: Bool
  /// The newest number that the server has accepted from this client, 0 for none.
  package var pushed: UInt64
  /// The chained digest that came with it.
  package var digest: UInt64
  /// Whether the server asks for the classes of the file, in a SCHEMA with the number 0.
  package var wantsSchema: Bool

  package init(
    version: UInt64 = SyncMessage.knownVersions[0], token: UInt64, isFromStart: Bool,
    isRunLost: Bool = false, pushed: UInt64, digest: UInt64, wantsSchema: Bool
  ) {
    self.version = version
    self.token = token
    self.isFromStart = isFromStart
    self.isRunLost = isFromStart && isRunLost
    self.pushed = pushed
    self.digest = digest
    self.wantsSchema = wantsSchema
  }
}

/// CONFIRM: what is durable on the device, so that the server may discard it.
package struct Confirmation: Hashable, Sendable {
  /// The token of this connection's WELCOME, durable in the file.
  package var token: UInt64
  package var cursor: Cursor?
  /// The newest number whose answer was taken in.
  package var answered: UInt64

  package init(token: UInt64, cursor: Cursor?, answered: UInt64) {
    self.token = token
    self.cursor = cursor
    self.answered = answered
  }
}
