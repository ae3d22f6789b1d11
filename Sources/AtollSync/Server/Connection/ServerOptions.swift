/// The options of a server.
package struct ServerOptions: Sendable {
  /// The largest accepted message, in bytes, unless the options say otherwise.
  package static let messageByteLimit = 64 << 20
  /// The largest HELLO: the set in force is in it, with two lengths for each of its members.
  static let helloByteLimit = SetLimits.byteCount + 1 << 20

  package var rights: Rights
  /// How far, in milliseconds, clocks of devices may be ahead of that of the server.
  package var clockToleranceMilliseconds: UInt64 = 60_000
  /// The largest accepted message, in bytes.
  package var messageByteLimit = Self.messageByteLimit
  /// About how large the batches of a catch-up are, in bytes.
  package var batchByteCount = 192 << 10
  /// How many bytes of answers a device may leave unconfirmed: while there are more, what it sends
  /// waits.
  package var unconfirmedByteLimit = 32 << 20
  /// How many bytes of answers are kept for a device, confirmed soon or not.
  package var keptAnswerByteLimit = 128 << 20
  /// About how many operations one tick judges; the others wait for the next.
  ///
  /// Pushes are forwarded between two ticks, so this bounds their delay.
  package var operationLimit = 1_000
  /// How many objects one tick visits for one connection, in a catch-up or for its digests.
  package var visitLimit = 16_384
  /// What one user may take.
  package var limits = UserLimits()
  /// What all users together may take.
  package var bounds = ServerBounds()
  /// The processor time of the server's thread, in nanoseconds; one that stands still bounds
  /// nothing.
  package var processorTime: @Sendable () -> UInt64 = { 0 }
  /// How many bytes are free on the disk of the store; nil: not known.
  package var freeByteCount: @Sendable () -> UInt64? = { nil }
  /// Nanoseconds of a monotonic clock: for how long connections rest, and for the durations that the
  /// observer is told.
  package var uptime: @Sendable () -> UInt64 = { 0 }
  /// Who is told what the server does; nil: nobody.
  package var observer: (any ServerObserver)?

  package init(rights: Rights) { self.rights = rights }
}
