/// What the owner of the connections is to do, in this order.
package enum ServerOutput: Hashable, Sendable {
  case send(ConnectionID, [UInt8])
  /// Close the connection when all that was sent has left; the server has forgotten it.
  case close(ConnectionID, reason: String)
}
