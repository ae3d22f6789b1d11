#if Sync
internal import AtollTransport
internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A token that a user presents instead of a password.
package struct Token: Codable, Equatable, Sendable {
  package enum Use: String, Codable, Sendable {
    /// Opens sync connections.
    case access
    /// Gives access tokens.
    case refresh
  }

  package var use: Use
  package var app: String
  package var user: String
  /// The log-in that it came from.
  package var session: String
  package var issuedAtSeconds: UInt64
  package var expiresAtSeconds: UInt64

  enum CodingKeys: String, CodingKey {
    case use
    case app = "aud"
    case user = "sub"
    case session = "sid"
    case issuedAtSeconds = "iat"
    case expiresAtSeconds = "exp"
  }
}

/// Why a token is not taken.
package enum TokenError: Error, Equatable, Sendable {
  /// It is no token of this form.
  case malformed
  /// It was not signed with this server's key.
  case forged
  case expired
  /// A refresh token where an access token is needed, or the other way round.
  case wrongUse
}

/// Signs and verifies tokens: JSON Web Tokens with HMAC-SHA256 (RFC 7519, `HS256`).
///
/// The head is always the same text and is compared, never interpreted: a token cannot choose how
/// it is verified.
package struct TokenSigner: Sendable {
  static let head = base64URL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
  /// No token is longer.
  static let byteLimit = 2_048

  private let key: [UInt8]

  package init(key: [UInt8]) { self.key = key }

  package func sign(_ token: Token) -> String {
    let text = Self.head + "." + Self.base64URL(JSON.encode(token))
    let code = HMAC<SHA256>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: key))
    return text + "." + Self.base64URL(Array(code))
  }

  /// The contents of a token that this server signed and that is still valid.
  package func verify(
    _ text: String, use: Token.Use, nowSeconds: UInt64
  ) throws(TokenError) -> Token {
    guard text.utf8.count <= Self.byteLimit else { throw .malformed }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.head, let code = Self.bytes(parts[2]) else {
      throw .malformed
    }
    let isAuthentic = HMAC<SHA256>.isValidAuthenticationCode(
      code, authenticating: Array("\(parts[0]).\(parts[1])".utf8), using: SymmetricKey(data: key))
    guard isAuthentic else { throw .forged }
    guard let content = Self.bytes(parts[1]), let token = JSON.decode(Token.self, content) else {
      throw .malformed
    }
    guard token.use == use else { throw .wrongUse }
    guard nowSeconds < token.expiresAtSeconds else { throw .expired }
    return token
  }

  /// Base64 with the alphabet for URLs, without padding (RFC 4648, section 5).
  static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  static func bytes(_ text: Substring) -> [UInt8]? {
    guard !text.contains(where: { $0 == "+" || $0 == "/" || $0 == "=" }) else { return nil }
    var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    return Data(base64Encoded: String(base64)).map { Array($0) }
  }
}
#endif
