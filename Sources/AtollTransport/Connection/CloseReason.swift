#if Sync
/// Why a connection ended.
///
/// Each but `lost` travels as the status code of a WebSocket close frame (RFC 6455, section 7.4);
/// codes from 4000 on are Atoll's own. Normative text: Format.md, "WebSocket".
package enum CloseReason: Hashable, Sendable {
  /// 1000: one end has finished.
  case normal
  /// 1001: the server stops, or the device suspends.
  case goingAway
  /// 1002: a frame that RFC 6455 does not allow, or a message that Format.md does not.
  case protocolError
  /// 1003: a text frame.
  case notBinary
  /// 1009: a frame beyond the limit.
  case tooLarge
  /// 1011: an error of the server's own, written in its log.
  case internalError
  /// 4401: the access token expired or was withdrawn; connect again with a new one.
  case tokenExpired
  /// 4403: the user may not synchronise.
  case denied
  /// 4408: nothing was received for too long.
  case silent
  /// 4409: the other end did not take what was sent to it.
  case tooSlow
  /// Any other code of the other end.
  case other(UInt16)
  /// The connection broke without a close frame.
  case lost

  private init(code: UInt16) {
    self =
      switch code {
      case 1000: .normal
      case 1001: .goingAway
      case 1002: .protocolError
      case 1003: .notBinary
      case 1009: .tooLarge
      case 1011: .internalError
      case 4401: .tokenExpired
      case 4403: .denied
      case 4408: .silent
      case 4409: .tooSlow
      default: .other(code)
      }
  }

  /// Reads the contents of a close frame (RFC 6455, 5.5.1 and 7.4): nothing, or a status code and a
  /// text.
  ///
  /// - Returns: Nil when these are no such contents, or the code is one that no frame may carry.
  package init?(closeFrame bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else {
      self = .normal
      return
    }
    guard bytes.count >= 2 else { return nil }
    let code = bytes.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: break
    default: return nil
    }
    guard String(validating: bytes.dropFirst(2), as: UTF8.self) != nil else { return nil }
    self.init(code: code)
  }

  /// The status code; nil when none can be sent.
  package var code: UInt16? {
    switch self {
    case .normal: 1000
    case .goingAway: 1001
    case .protocolError: 1002
    case .notBinary: 1003
    case .tooLarge: 1009
    case .internalError: 1011
    case .tokenExpired: 4401
    case .denied: 4403
    case .silent: 4408
    case .tooSlow: 4409
    case .other(let code): code
    case .lost: nil
    }
  }
}

extension CloseReason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .normal: "finished"
    case .goingAway: "the other end is going away"
    case .protocolError: "a message that the protocol does not allow"
    case .notBinary: "a text frame, where only binary frames are allowed"
    case .tooLarge: "a frame beyond the limit"
    case .internalError: "the server failed; its log says why"
    case .tokenExpired: "the access token has expired"
    case .denied: "the user may not synchronise"
    case .silent: "nothing was heard for too long"
    case .tooSlow: "the other end did not take what was sent to it"
    case .other(let code): "status code \(code)"
    case .lost: "no close frame: the other process has ended, or the network failed"
    }
  }
}
#endif
