#if Sync
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct TokenSignerTests {
  private let signer = TokenSigner(key: [UInt8](repeating: 1, count: 32))
  private let token = Token(
    use: .access, app: "app", user: "user", session: "session", issuedAtSeconds: 100,
    expiresAtSeconds: 200)

  @Test func aTokenSaysWhatWasSigned() throws {
    #expect(try signer.verify(signer.sign(token), use: .access, nowSeconds: 199) == token)
  }

  @Test func aTokenIsAJSONWebToken() {
    // Head and contents can be read by any library; so can the code be verified.
    #expect(
      signer.sign(token)
        == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
        + "eyJhdWQiOiJhcHAiLCJleHAiOjIwMCwiaWF0IjoxMDAsInNpZCI6InNlc3Npb24iLCJzdWIiOiJ1c2VyIiwi"
        + "dXNlIjoiYWNjZXNzIn0.i9yIz8M2WsrkxmimVibS40EZIUPS-Dx09-NvBWLcqjg")
  }

  @Test func aTokenEndsWhenItSays() {
    for now: UInt64 in [200, 201, .max] {
      #expect(throws: TokenError.expired) {
        try signer.verify(signer.sign(token), use: .access, nowSeconds: now)
      }
    }
  }

  @Test func aTokenIsForOneUse() {
    #expect(throws: TokenError.wrongUse) {
      try signer.verify(signer.sign(token), use: .refresh, nowSeconds: 0)
    }
  }

  @Test func aTokenOfAnotherKeyIsForged() {
    let other = TokenSigner(key: [UInt8](repeating: 2, count: 32))
    #expect(throws: TokenError.forged) {
      try signer.verify(other.sign(token), use: .access, nowSeconds: 0)
    }
  }

  /// No change of a letter, and no other contents or head, passes.
  @Test func aChangedTokenIsRefused() {
    let text = signer.sign(token)
    for index in text.indices {
      for letter in ["A", "z", "0", "-", "."] where String(text[index]) != letter {
        var changed = text
        changed.replaceSubrange(index...index, with: letter)
        // The last letter of the code carries two bits that mean nothing.
        if TokenSigner.bytes(changed.suffix(43)) == TokenSigner.bytes(text.suffix(43)),
          changed.dropLast() == text.dropLast()
        {
          continue
        }
        #expect(throws: TokenError.self, "\(changed)") {
          try signer.verify(changed, use: .access, nowSeconds: 0)
        }
      }
    }
    let none = TokenSigner.base64URL(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
    let parts = text.split(separator: ".")
    for forged in ["\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])"] {
      #expect(throws: TokenError.malformed) {
        try signer.verify(forged, use: .access, nowSeconds: 0)
      }
    }
  }

  @Test(arguments: [
    "", ".", "..", "...", "a.b.c", String(repeating: "a", count: 10_000), "ä.ö.ü", "\u{0}",
  ])
  func whatIsNoTokenIsMalformed(text: String) {
    #expect(throws: TokenError.malformed) {
      try signer.verify(text, use: .access, nowSeconds: 0)
    }
  }

  @Test func base64HasTheAlphabetForURLs() {
    #expect(TokenSigner.base64URL([255, 239]) == "_-8")
    #expect(TokenSigner.bytes("_-8") == [255, 239])
    #expect(TokenSigner.bytes("/+8") == nil)
    #expect(TokenSigner.bytes("_-8=") == nil)
    #expect(TokenSigner.bytes("_") == nil)
  }
}
#endif
