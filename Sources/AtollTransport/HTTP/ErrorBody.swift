#if Sync
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The body of every answer that is a refusal.
///
/// Normative text: Format.md, "HTTP".
package struct ErrorBody: Codable, Equatable, Sendable {
  package struct Content: Codable, Equatable, Sendable {
    /// A word that programs compare.
    package var code: String
    /// A sentence for people.
    package var message: String
  }

  package var error: Content

  package init(_ code: String, _ message: String) {
    error = Content(code: code, message: message)
  }
}

/// JSON bytes as arrays.
package enum JSON {
  package static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Plain structures of strings and integers have no value that JSON cannot hold.
    guard let data = try? encoder.encode(value) else { preconditionFailure("not JSON: \(value)") }
    return Array(data)
  }

  /// The value in `bytes`; nil when they are no JSON in UTF-8, or of another shape.
  ///
  /// JSON has no byte 0 in UTF-8, and one in nearly every character of another encoding, which
  /// Foundation reads, too: what looks at the bytes would see another text than what reads them.
  package static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    bytes.contains(0) ? nil : try? JSONDecoder().decode(type, from: Data(bytes))
  }
}

extension HTTPReply {
  /// A refusal with its code and sentence.
  package init(
    refusing status: Int, _ code: String, _ message: String, retryAfterSeconds: UInt64? = nil
  ) {
    self.init(
      status: status, body: JSON.encode(ErrorBody(code, message)),
      retryAfterSeconds: retryAfterSeconds)
  }

  /// The error of a client for an unexpected answer.
  package var refusal: TransportError {
    // A valid answer, but not to this request.
    guard status >= 300 else { return .malformedResponse }
    let content = JSON.decode(ErrorBody.self, body)?.error
    return .refused(
      TransportError.Refusal(
        status: status, code: content?.code, message: content?.message ?? "",
        retryAfterSeconds: retryAfterSeconds))
  }
}
#endif
