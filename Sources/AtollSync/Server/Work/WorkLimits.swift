/// How long the server works for some before it serves the others, in nanoseconds of the processor
/// time of its thread.
///
/// A tick ends when all that was asked is done or when its time is over; the rest goes on in the
/// next one, so that no query, catch-up or flood of messages keeps others waiting for longer.
package struct WorkLimits: Hashable, Sendable {
  /// For the messages that one tick takes.
  package var messages: UInt64 = 20_000_000
  /// How many bytes of messages one tick takes: what they hold is compressed and written at its end,
  /// when no time is left to be looked at.
  package var byteCount = 8 << 20
  /// For the tests of what one tick has changed, against the views of the connections.
  ///
  /// Connections whose views were not reached look at the changes by themselves, in their own time.
  package var changes: UInt64 = 10_000_000
  /// For all that one tick sends.
  package var stream: UInt64 = 15_000_000
  /// For what one tick does for one connection.
  package var connection: UInt64 = 5_000_000
  /// For the tests of one pushed transaction against the views of its device.
  package var judgement: UInt64 = 100_000_000
  /// For the test of one object against one view: a subscription that takes longer is refused.
  package var object: UInt64 = 50_000_000

  /// How many objects the last batch of a catch-up may have that changed meanwhile and come behind all
  /// others, as new ones do; more are visited like these, part by part.
  package var lateCount = 256

  /// The queries of a set with more bytes are read in parts before the set is judged.
  package var setByteCount = 8 << 10

  /// A push of more operations, or of more bytes, is long: it is judged at once, and nobody is served
  /// in between.
  package var longOperationCount = 2_500
  package var longByteCount = 4 << 20
  /// How many bytes the values may have together inside of which a transaction changes something.
  package var insideByteCount = 64 << 20
  /// After a message that took long, or a part of one that did, how many times as long as it took the
  /// long messages wait of those who have taken much; 0: they do not.
  ///
  /// Long are also sets that are read in parts.
  package var delayFactor: UInt64 = 20

  /// How many times as long as it took a connection is not served that took much more than its part
  /// of a tick, as some work cannot be divided; 0: it is served again at once.
  package var restFactor: UInt64 = 4

  package init() {}
}
