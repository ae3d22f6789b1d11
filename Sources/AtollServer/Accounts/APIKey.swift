#if Sync
internal import Crypto

/// A key with which a program logs in, as the configuration knows it: by its SHA-256.
///
/// Keys are random, 32 bytes, so that a plain hash of one reveals nothing about it.
package struct APIKey: Equatable, Sendable {
  /// The name of the user that the key is for.
  package let name: String
  /// SHA-256 of the key's text, in hexadecimal digits.
  package let digest: String

  /// - Returns: Nil for a digest that is none.
  package init?(name: String, digest: String) {
    let digest = digest.lowercased()
    guard digest.utf8.count == 64, digest.allSatisfy(\.isHexDigit) else { return nil }
    self.name = name
    self.digest = digest
  }

  /// Makes a new key; its text is returned once and not stored.
  package static func make(_ name: String, random: () -> UInt64) -> (key: APIKey, text: String) {
    let bytes = (0..<4).flatMap { _ in
      let number = random()
      return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
    let text = TokenSigner.base64URL(bytes)
    guard let key = APIKey(name: name, digest: digest(of: text)) else {
      preconditionFailure("a digest has 64 digits")
    }
    return (key, text)
  }

  /// Whether a text is the key: for random keys, the time of a comparison reveals nothing.
  func matches(_ text: String) -> Bool {
    text.utf8.count <= 256 && Self.digest(of: text) == digest
  }

  private static func digest(of text: String) -> String {
    SHA256.hash(data: Array(text.utf8)).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
#endif
