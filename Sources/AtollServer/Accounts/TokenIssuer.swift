#if Sync
internal import AtollTransport
internal import Crypto
internal import CryptoExtras

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Another service whose JSON Web Tokens (RFC 7519) log users in.
///
/// The algorithm is the operator's, never the token's: a token that names another one is rejected.
package struct TokenIssuer: Equatable, Sendable {
  package enum Algorithm: String, CaseIterable, Sendable {
    /// HMAC with SHA-256 and a shared secret of at least 32 bytes.
    case hs256 = "HS256"
    /// ECDSA with P-256 and SHA-256; the key is public, in PEM.
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256; the key is public, in PEM.
    case rs256 = "RS256"
  }

  package enum KeyProblem: Error, Equatable, Sendable {
    case shortSecret
    case noPublicKey
  }

  /// Why a token does not log anyone in.
  package enum Problem: Error, Equatable, Sendable {
    case malformed
    case wrongSignature
    case expired
    case notYetValid
    case wrongIssuer
    case wrongAudience
  }

  /// No token is longer, in bytes.
  static let byteLimit = 8_192
  /// How far, in seconds, the clocks of two services may differ.
  static let leewaySeconds = 30.0

  private let algorithm: Algorithm
  private let key: String
  /// The required issuer of tokens; nil: any holder of the key.
  private let issuer: String?
  /// The required audience; nil: any.
  private let audience: String?
  /// Tells the service apart from any other, and from itself with another key, whose tokens rest on
  /// something else.
  package let fingerprint: String
  /// How many days a log-in lasts; nil: until its token expires.
  package var sessionDays: Int?

  /// Takes an issuer's key.
  ///
  /// - Throws: `KeyProblem` for a secret that can be guessed, and for a text that is no key.
  package init(
    _ algorithm: Algorithm, key: String, issuer: String?, audience: String?
  ) throws(KeyProblem) {
    self.algorithm = algorithm
    self.key = key
    self.issuer = issuer
    self.audience = audience
    // How the lines of a public key are broken is no part of it.
    let content = algorithm == .hs256 ? key : key.split(whereSeparator: \.isWhitespace).joined()
    fingerprint = TokenSigner.base64URL(
      SHA256.hash(data: JSON.encode([algorithm.rawValue, content, issuer ?? "", audience ?? ""]))
        .prefix(12).map { $0 })
    switch algorithm {
    case .hs256:
      guard key.utf8.count >= 32 else { throw .shortSecret }
    case .es256:
      guard (try? P256.Signing.PublicKey(pemRepresentation: key)) != nil else {
        throw .noPublicKey
      }
    case .rs256:
      guard (try? _RSA.Signing.PublicKey(pemRepresentation: key)) != nil else {
        throw .noPublicKey
      }
    }
  }

  private struct Head: Decodable {
    var alg: String
    /// Extensions that a receiver must understand; none is.
    var crit: [String]?
  }

  private struct Claims: Decodable {
    var sub: String
    var exp: Double
    var nbf: Double?
    var iss: String?
    var aud: Audience?
  }

  /// One receiver, or several.
  private struct Audience: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let name = try? container.decode(String.self) {
        names = [name]
      } else {
        names = try container.decode([String].self)
      }
    }
  }

  /// Who a token is for.
  package struct Subject: Equatable, Sendable {
    /// The user, by the issuer's name.
    package let name: String
    /// When the token is not taken any more, with the leeway.
    package let expiresAtSeconds: Double
  }

  /// How long a log-in lasts that a token begins.
  package func sessionMilliseconds(
    of subject: Subject, atMost limit: UInt64, now: UInt64
  ) -> UInt64 {
    if let sessionDays { return UInt64(sessionDays) * 24 * 3_600_000 }
    // A time so far off may be no number of milliseconds.
    let milliseconds = min(subject.expiresAtSeconds * 1_000 - Double(now), Double(limit))
    return UInt64(max(0, milliseconds))
  }

  /// The user of a token, and until when it is valid.
  package func subject(of token: String, nowSeconds: UInt64) throws(Problem) -> Subject {
    guard token.utf8.count <= Self.byteLimit else { throw .malformed }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let head = TokenSigner.bytes(parts[0]),
      let content = TokenSigner.bytes(parts[1]), let signature = TokenSigner.bytes(parts[2]),
      let head = JSON.decode(Head.self, head), head.alg == algorithm.rawValue, head.crit == nil
    else { throw .malformed }
    guard isSigned(Array("\(parts[0]).\(parts[1])".utf8), signature) else {
      throw .wrongSignature
    }
    guard let claims = JSON.decode(Claims.self, content), 1...256 ~= claims.sub.utf8.count else {
      throw .malformed
    }
    let now = Double(nowSeconds)
    guard now < claims.exp + Self.leewaySeconds else { throw .expired }
    if let start = claims.nbf, now + Self.leewaySeconds < start { throw .notYetValid }
    if let issuer, claims.iss != issuer { throw .wrongIssuer }
    if let audience, !(claims.aud?.names.contains(audience) ?? false) { throw .wrongAudience }
    return Subject(name: claims.sub, expiresAtSeconds: claims.exp + Self.leewaySeconds)
  }

  private func isSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
    switch algorithm {
    case .hs256:
      return HMAC<SHA256>.isValidAuthenticationCode(
        signature, authenticating: bytes, using: SymmetricKey(data: Array(key.utf8)))
    case .es256:
      guard let key = try? P256.Signing.PublicKey(pemRepresentation: key),
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
      else { return false }
      return key.isValidSignature(signature, for: bytes)
    case .rs256:
      guard let key = try? _RSA.Signing.PublicKey(pemRepresentation: key) else { return false }
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
        padding: .insecurePKCS1v1_5)
    }
  }
}

extension TokenIssuer.Problem {
  var sentence: String {
    switch self {
    case .malformed: "that is no token of the algorithm that this server takes"
    case .wrongSignature: "the token is not signed with the key that this server knows"
    case .expired: "the token has expired; get a new one from the service that made it"
    case .notYetValid: "the token is not valid yet"
    case .wrongIssuer: "the token is of another issuer"
    case .wrongAudience: "the token is for another audience"
    }
  }
}
#endif
