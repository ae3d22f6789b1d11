internal import AtollObjects

/// A message between a device and a server.
///
/// Normative text of the bytes: Format.md, "Sync messages". Every message may arrive again: pushes
/// are identified by client and number, batches by their cursors.
package enum SyncMessage: Hashable, Sendable {
  // From the device.
  case hello(Hello)
  case schema(SchemaEntry)
  case sets(SetsEntry)
  case push(PushEntry)
  case confirm(Confirmation)
  // From the server.
  case welcome(Welcome)
  case batch(Batch)
  // From both.
  /// From a device: to be answered once all that the server has now was sent. From the server: it
  /// was.
  case mark(UInt64)
  /// From a device: to be answered with the digests of what it holds.
  case verify(UInt64)
  /// From the server: the answer.
  case digests(ViewDigests)
  case ping(UInt64)
  case pong(UInt64)
  case error(ErrorMessage)
  case bye
}

extension SyncMessage {
  /// The versions of the protocol that this library speaks.
  package static let knownVersions: [UInt64] = [1]

  /// The first byte of every frame.
  ///
  /// A receiver skips a kind that it does not know if the highest bit is set, else it closes the
  /// connection.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case hello = 1
    case welcome = 2
    case schema = 3
    case sets = 4
    case push = 5
    case batch = 6
    case confirm = 7
    case mark = 8
    case error = 9
    case bye = 10
    case ping = 0x81
    case pong = 0x82
    case verify = 0x83
    case digests = 0x84

    static let skippableBit: UInt8 = 0x80

    /// Whether a message of this kind may take more than one frame.
    var hasParts: Bool {
      switch self {
      case .schema, .sets, .push, .batch, .hello, .error, .digests: true
      case .welcome, .confirm, .mark, .bye, .ping, .pong, .verify: false
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .hello: .hello
    case .welcome: .welcome
    case .schema: .schema
    case .sets: .sets
    case .push: .push
    case .batch: .batch
    case .confirm: .confirm
    case .mark: .mark
    case .error: .error
    case .bye: .bye
    case .ping: .ping
    case .pong: .pong
    case .verify: .verify
    case .digests: .digests
    }
  }
}
