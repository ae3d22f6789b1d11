extension ErrorMessage {
  /// The errors for invalid frames of a device.
  init(_ error: MessageError) {
    let code: Code =
      switch error {
      case .unknownVersion: .unknownVersion
      case .messageTooLarge, .frameTooLarge: .tooLarge
      default: .malformedMessage
      }
    self.init(.stop, code, text: "\(error)")
  }

  static func unexpected(_ kind: SyncMessage.Kind) -> ErrorMessage {
    ErrorMessage(.retry, .unexpectedMessage, text: "a \(kind) message has no place here")
  }

  /// The user exceeds a limit of the server.
  static func overLimit(
    _ action: Action, _ text: String, retryAfterMilliseconds: UInt64? = nil
  ) -> ErrorMessage {
    ErrorMessage(action, .overLimit, retryAfterMilliseconds: retryAfterMilliseconds, text: text)
  }
}
