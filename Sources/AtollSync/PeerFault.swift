/// A missing check of the other side's messages in a device or a server.
///
/// Planted by the simulator of hostile peers, which must find each, and by nothing else.
package enum PeerFault: String, CaseIterable, Sendable {
  // MARK: In the server

  /// A HELLO ends the connection of the file whose id it names, of any user.
  case anyUser = "any-user"
  /// Every client that holds an object may change it.
  case anyWriter = "any-writer"

  // MARK: In the device

  /// A batch is committed as far as it came before an error.
  case halfBatch = "half-batch"
  /// An answer takes its entry off the outbox, however many operations it is for.
  case anyAnswer = "any-answer"
  /// A batch changes rows of classes that no server knows.
  case anyClass = "any-class"
}
