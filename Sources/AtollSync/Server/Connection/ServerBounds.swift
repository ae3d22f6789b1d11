/// Bounds of the whole server, which protect all users together.
package struct ServerBounds: Hashable, Sendable {
  /// How many bytes of messages are held that are not complete or that no tick has taken, of all
  /// connections together.
  package var heldByteLimit = 512 << 20
  /// How many of the connections of one host.
  package var heldByteLimitOfHost = 192 << 20
  /// While fewer bytes are free on the disk, what devices push waits: what is left is for what it
  /// takes to serve those that only read.
  package var reserveByteCount = 128 << 20
  /// How long the server works for some before it serves others.
  package var work = WorkLimits()

  package init() {}
}
