/// The actions for the owner of the connections, in this order.
package enum ServerOutput: Hashable, Sendable {
  case send(ConnectionID, [UInt8])
  /// Close the connection when everything was sent; the server no longer knows it.
  case close(ConnectionID, reason: String)
}
