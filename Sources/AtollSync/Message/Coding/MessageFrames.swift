/// Messages as frames, and frames as messages.
///
/// A frame is the kind, a byte that says whether more parts of the message follow, and a part of
/// the body. Parts of one message follow each other with no other message between them that has
/// parts.
package enum MessageFrames {
  /// The longest frame, header included.
  package static let frameByteLimit = 256 * 1024
  static let headerByteCount = 2

  /// The frames of `message`, in order.
  package static func encode(_ message: SyncMessage) -> [[UInt8]] {
    let body = message.body()
    let partLimit = frameByteLimit - headerByteCount
    let kind = message.kind
    precondition(kind.hasParts || body.count <= partLimit, "a short kind fits one frame")
    var frames: [[UInt8]] = []
    var start = 0
    repeat {
      let end = min(start + partLimit, body.count)
      var frame: [UInt8] = []
      frame.reserveCapacity(end - start + headerByteCount)
      frame.append(kind.rawValue)
      frame.append(end < body.count ? 1 : 0)
      frame += body[start..<end]
      frames.append(frame)
      start = end
    } while start < body.count
    return frames
  }
}

/// Joins the frames of one direction of one connection to messages.
package struct MessageReader: Sendable {
  /// The most bytes that are held for one message.
  package var messageByteLimit: Int
  private var open: (kind: SyncMessage.Kind, bytes: [UInt8])?

  /// How many bytes are held of a message that is not complete.
  var openByteCount: Int { open?.bytes.count ?? 0 }

  /// `messageByteLimit`: how large a transaction or batch may be.
  package init(messageByteLimit: Int = 256 * 1024 * 1024) {
    self.messageByteLimit = messageByteLimit
  }

  /// Takes the next frame.
  ///
  /// - Returns: the message that it completes; nil when more parts follow or when the kind is
  ///   unknown and may be skipped.
  /// - Throws: An error in the bytes; the connection must be closed.
  package mutating func receive(_ frame: [UInt8]) throws(MessageError) -> SyncMessage? {
    guard frame.count <= MessageFrames.frameByteLimit else {
      throw .frameTooLarge(byteCount: frame.count, limit: MessageFrames.frameByteLimit)
    }
    guard frame.count >= MessageFrames.headerByteCount else {
      throw .truncated(byteCount: frame.count)
    }
    guard let kind = SyncMessage.Kind(rawValue: frame[0]) else {
      guard frame[0] & SyncMessage.Kind.skippableBit != 0 else { throw .unknownKind(frame[0]) }
      return nil
    }
    guard frame[1] <= 1 else { throw .partOutOfOrder(kind: frame[0]) }
    let hasMore = frame[1] == 1
    guard kind.hasParts else {
      guard !hasMore else { throw .partOutOfOrder(kind: frame[0]) }
      return try SyncMessage(kind, body: Array(frame.dropFirst(MessageFrames.headerByteCount)))
    }
    guard var message = open else {
      guard hasMore else {
        return try SyncMessage(kind, body: Array(frame.dropFirst(MessageFrames.headerByteCount)))
      }
      guard frame.count == MessageFrames.frameByteLimit else {
        throw .partOutOfOrder(kind: frame[0])
      }
      open = (kind, Array(frame.dropFirst(MessageFrames.headerByteCount)))
      return nil
    }
    guard message.kind == kind else { throw .partOutOfOrder(kind: frame[0]) }
    let byteCount = message.bytes.count + frame.count - MessageFrames.headerByteCount
    guard byteCount <= messageByteLimit else {
      throw .messageTooLarge(byteCount: byteCount, limit: messageByteLimit)
    }
    guard !hasMore || frame.count == MessageFrames.frameByteLimit else {
      throw .partOutOfOrder(kind: frame[0])
    }
    open = nil
    message.bytes += frame[MessageFrames.headerByteCount...]
    guard !hasMore else {
      open = message
      return nil
    }
    return try SyncMessage(kind, body: message.bytes)
  }
}
