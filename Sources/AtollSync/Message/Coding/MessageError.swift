internal import AtollObjects

/// An error in the bytes from the other side.
///
/// The connection is closed; earlier messages stay applied.
package enum MessageError: Error, Hashable, Sendable {
  /// A frame without its header.
  case truncated(byteCount: Int)
  /// The body of a message of this kind is not what the kind holds.
  case malformed(SyncMessage.Kind, Problem)
  /// An unknown kind that must not be skipped.
  case unknownKind(UInt8)
  /// A version of the protocol that this library does not speak.
  case unknownVersion(UInt64, known: [UInt64])
  /// A frame longer than any frame may be.
  case frameTooLarge(byteCount: Int, limit: Int)
  /// A message whose parts exceed what may be held in memory for one.
  case messageTooLarge(byteCount: Int, limit: Int)
  /// A part of a message that does not follow the part before it, or marks itself wrongly.
  case partOutOfOrder(kind: UInt8)

  /// An error in a body, with its offset.
  package enum Problem: Hashable, Sendable {
    case truncated(byteOffset: Int)
    case unknownTag(UInt8, byteOffset: Int)
    case invalidContents(byteOffset: Int)
    case trailingBytes(byteOffset: Int)
    case nestingTooDeep

    init(_ error: ValueCodingError) {
      switch error {
      case .truncated(let byteOffset): self = .truncated(byteOffset: byteOffset)
      case .unknownTag(let tag, let byteOffset): self = .unknownTag(tag, byteOffset: byteOffset)
      case .invalidContents(let byteOffset), .invalidUTF8(let byteOffset):
        self = .invalidContents(byteOffset: byteOffset)
      case .trailingBytes(let byteOffset): self = .trailingBytes(byteOffset: byteOffset)
      case .nestingTooDeep: self = .nestingTooDeep
      case .notIndexable: self = .invalidContents(byteOffset: 0)
      }
    }
  }
}

extension MessageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated(let byteCount): "frame of only \(byteCount) bytes"
    case .malformed(let kind, let problem): "malformed \(kind) message: \(problem)"
    case .unknownKind(let kind): "unknown kind of message \(kind)"
    case .unknownVersion(let version, let known):
      "unknown protocol version \(version); known: "
        + known.map { "\($0)" }.joined(separator: ", ")
    case .frameTooLarge(let byteCount, let limit):
      "frame of \(byteCount) bytes exceeds the limit of \(limit)"
    case .messageTooLarge(let byteCount, let limit):
      "message of at least \(byteCount) bytes exceeds the limit of \(limit)"
    case .partOutOfOrder(let kind): "part of a message of kind \(kind) is out of order"
    }
  }
}
