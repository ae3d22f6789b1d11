internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// An ordered connection between a device and the server, which may die at any message.
///
/// When it dies the device knows at once, the server some time later: what was under way to the
/// server may still arrive, what was under way to the device is lost.
final class SyncConnection {
  let deviceIndex: Int
  let id: ConnectionID
  /// Frames under way to the server, and to the device.
  var up: [[UInt8]] = []
  var down: [[UInt8]] = []
  /// Whether the device has it.
  var isOpenAtDevice = true
  /// Whether the server has it.
  var isOpenAtServer = true
  /// Whether messages to the device were lost or came twice or in another order.
  var isDisturbed = false
  /// Whether the file has gone on since the HELLO, by what an earlier connection brought.
  var isOvertaken = false
  /// Decode what passes, for the model.
  var sent = MessageReader()
  var arrived = MessageReader()
  var received = MessageReader()
  /// The id that the device named.
  var client: UInt64 = 0
  /// The set in force at each transaction that was sent here, by its number.
  var subscriptionsAt: [UInt64: Set<SyncSubscription>] = [:]
  /// The objects of the device at each cursor that it confirmed here.
  var heldAt: [Cursor: Set<ObjectAddress>] = [:]
  /// What it held at the cursor whose confirmation arrived last; nil before, or without a cursor.
  var held: Set<ObjectAddress>?
  /// The version of that cursor; 0 without one.
  var confirmedVersion: UInt64 = 0
  /// The number of the last entry that was sent.
  var lastSentNumber: UInt64 = 0
  /// The version that the last batch was read at.
  var readAt: UInt64 = 0

  init(deviceIndex: Int, id: ConnectionID) {
    self.deviceIndex = deviceIndex
    self.id = id
  }
}
