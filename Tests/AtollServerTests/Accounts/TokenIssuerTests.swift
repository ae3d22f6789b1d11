#if Sync
import AtollTransport
import Crypto
import CryptoExtras
import Foundation
import TestThreads
import Testing

@testable import AtollServer

/// Tokens of another service, and keys of programs.
@Suite(.waiting) struct TokenIssuerTests {
  private static let secret = "a secret that has more than thirty-two bytes"
  private static let now: UInt64 = 1_700_000_000

  private static func text(
    _ claims: String, head: String, sign: ([UInt8]) throws -> some DataProtocol
  ) rethrows -> String {
    let signed =
      TokenSigner.base64URL(Array(head.utf8)) + "." + TokenSigner.base64URL(Array(claims.utf8))
    return signed + "." + TokenSigner.base64URL(Array(try sign(Array(signed.utf8))))
  }

  static func token(
    _ claims: String, head: String = #"{"typ":"JWT","alg":"HS256"}"#, secret: String = Self.secret
  ) -> String {
    text(claims, head: head) { bytes in
      Data(
        HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: Array(secret.utf8))))
    }
  }

  private static let good =
    #"{"sub":"ann","exp":1700000100,"iss":"id","aud":["x","app"],"nbf":1699999000,"role":"r"}"#

  private static func issuer() throws(TokenIssuer.KeyProblem) -> TokenIssuer {
    try TokenIssuer(.hs256, key: secret, issuer: "id", audience: "app")
  }

  @Test func aTokenTellsItsSubject() throws {
    let issuer = try Self.issuer()
    #expect(try issuer.subject(of: Self.token(Self.good), nowSeconds: Self.now).name == "ann")
    let single = Self.good.replacing(#"["x","app"]"#, with: #""app""#)
    #expect(try issuer.subject(of: Self.token(single), nowSeconds: Self.now).name == "ann")
    let open = try TokenIssuer(.hs256, key: Self.secret, issuer: nil, audience: nil)
    let bare = Self.token(#"{"sub":"bob","exp":1700000100.5}"#)
    #expect(try open.subject(of: bare, nowSeconds: Self.now).name == "bob")
  }

  @Test func publicKeysVerifyTheirSignatures() throws {
    let elliptic = P256.Signing.PrivateKey()
    let es = try TokenIssuer(
      .es256, key: elliptic.publicKey.pemRepresentation, issuer: nil, audience: nil)
    let signed = try Self.text(Self.good, head: #"{"alg":"ES256"}"#) {
      try elliptic.signature(for: $0).rawRepresentation
    }
    #expect(try es.subject(of: signed, nowSeconds: Self.now).name == "ann")

    let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let rs = try TokenIssuer(
      .rs256, key: rsa.publicKey.pemRepresentation, issuer: nil, audience: nil)
    let other = try Self.text(Self.good, head: #"{"alg":"RS256"}"#) {
      try rsa.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation
    }
    #expect(try rs.subject(of: other, nowSeconds: Self.now).name == "ann")
    // A public key is no secret: its holder must not be able to sign with it as with a secret key.
    let forged = Self.token(
      Self.good, head: #"{"alg":"HS256"}"#, secret: rsa.publicKey.pemRepresentation)
    #expect(throws: TokenIssuer.Problem.malformed) {
      try rs.subject(of: forged, nowSeconds: Self.now)
    }
    #expect(throws: TokenIssuer.Problem.wrongSignature) {
      try rs.subject(of: other.dropLast(4) + "AAAA", nowSeconds: Self.now)
    }
  }

  @Test(arguments: [
    (good.replacing("1700000100", with: "1699999900"), TokenIssuer.Problem.expired),
    (good.replacing("1699999000", with: "1700000100"), .notYetValid),
    (good.replacing(#""id""#, with: #""other""#), .wrongIssuer),
    (good.replacing(#""app""#, with: #""apps""#), .wrongAudience),
    (good.replacing(#""sub":"ann","#, with: ""), .malformed),
    (good.replacing("ann", with: ""), .malformed),
    (good.replacing(#""exp":1700000100,"#, with: ""), .malformed), ("[]", .malformed),
  ])
  func claimsThatDoNotHoldAreRefused(claims: String, problem: TokenIssuer.Problem) throws {
    let issuer = try Self.issuer()
    #expect(throws: problem) { try issuer.subject(of: Self.token(claims), nowSeconds: Self.now) }
  }

  @Test func headsAndSignaturesThatAreNotTheIssuersAreRefused() throws {
    let issuer = try Self.issuer()
    for head in [
      #"{"alg":"none"}"#, #"{"alg":"hs256"}"#, #"{"alg":"HS256","crit":["x"]}"#, "{}", "x",
    ] {
      #expect(throws: TokenIssuer.Problem.malformed) {
        try issuer.subject(of: Self.token(Self.good, head: head), nowSeconds: Self.now)
      }
    }
    #expect(throws: TokenIssuer.Problem.wrongSignature) {
      try issuer.subject(
        of: Self.token(Self.good, secret: Self.secret + "!"), nowSeconds: Self.now)
    }
    for text in ["", ".", "..", "a.b.c", String(repeating: "a", count: 10_000)] {
      #expect(throws: TokenIssuer.Problem.malformed) {
        try issuer.subject(of: text, nowSeconds: Self.now)
      }
    }
  }

  @Test func keysThatCannotBeAreRefused() {
    #expect(throws: TokenIssuer.KeyProblem.shortSecret) {
      try TokenIssuer(.hs256, key: "short", issuer: nil, audience: nil)
    }
    for algorithm in [TokenIssuer.Algorithm.es256, .rs256] {
      #expect(throws: TokenIssuer.KeyProblem.noPublicKey) {
        try TokenIssuer(algorithm, key: Self.secret, issuer: nil, audience: nil)
      }
    }
    #expect(APIKey(name: "x", digest: "123") == nil)
    #expect(APIKey(name: "x", digest: String(repeating: "g", count: 64)) == nil)
  }

  // MARK: Over HTTP

  @Test func tokensAndKeysLogIn() async throws {
    let (key, text) = APIKey.make("importer", random: TestRandom(seed: 5).next)
    let server = try await TestService(
      configuration: """
        app: app-1
        login:
          jwt: {algorithm: HS256, key: '\(Self.secret)', audience: app}
          keys:
            - {name: importer, sha256: \(key.digest)}
        """)
    let client = server.client()
    let first = try await client.login(.token(Self.token(Self.good)))
    let again = try await client.login(.token(Self.token(Self.good)))
    let other = try await client.login(.token(Self.token(Self.good.replacing("ann", with: "bob"))))
    #expect(first.userID == again.userID && first.userID != other.userID)
    let program = try await client.login(.key(text))
    #expect(try await client.login(.key(text)).userID == program.userID)
    #expect(program.userID != first.userID)
    _ = try await server.connect(token: program.accessToken)

    let wrong: [(LoginClient.Identity, String)] = [
      (.token(Self.token(Self.good.replacing("1700000100", with: "1"))), "invalid-credentials"),
      (.token("x"), "invalid-credentials"), (.key("guess"), "invalid-credentials"),
      (.anonymous, "provider-disabled"),
      (.emailPassword(email: "a@b.c", password: "secret"), "provider-disabled"),
    ]
    for (identity, code) in wrong {
      let refused = await refusal { () throws(TransportError) in
        _ = try await client.login(identity)
      }
      #expect(refused?.code == code)
    }
    await server.service.stop()
  }

  @Test func logInsThatAreNotConfiguredAreClosed() async throws {
    let server = try await TestService(configuration: "app: app-1\nlogin: {password: true}")
    for identity in [LoginClient.Identity.token("x"), .key("x"), .anonymous] {
      let refused = await refusal { () throws(TransportError) in
        _ = try await server.client().login(identity)
      }
      #expect(refused?.code == "provider-disabled")
    }
    await server.service.stop()
  }

  @Test(arguments: [
    ("jwt: {algorithm: HS512, key: x}", "one of HS256, ES256, RS256"),
    ("jwt: {algorithm: HS256}", "needs 'key' or 'keyFile'"),
    ("jwt: {algorithm: HS256, key: short}", "at least 32 bytes"),
    ("jwt: {algorithm: RS256, key: none}", "no public key in PEM"),
    ("jwt: {algorithm: RS256, keyFile: missing.pem}", "there is no text file"),
    ("keys: [{name: x}]", "needs 'sha256'"), ("keys: [{sha256: x}]", "needs a name"),
  ])
  func logInsThatCannotBeNameTheirLine(text: String, words: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try ServerConfiguration(yaml: "app: a\nlogin:\n  " + text, path: "server.yaml")
    }
    #expect(error?.line == 3)
    #expect(error?.text.contains(words) == true, "\(error?.text ?? "")")
  }
}
#endif
