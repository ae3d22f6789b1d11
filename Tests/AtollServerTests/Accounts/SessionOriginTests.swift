#if Sync
import AtollObjects
import AtollTransport
import Crypto
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct SessionOriginTests {
  @Test(arguments: [
    SessionOrigin.anonymous, .password, .key(name: "a:b:", digest: "12"),
    .key(name: "importer", digest: nil), .token(issuer: "f_-"), .token(issuer: nil),
  ])
  func anOriginIsReadAsItWasStored(origin: SessionOrigin) {
    #expect(SessionOrigin(text: origin.text) == origin)
  }

  @Test(arguments: ["", "key", "api-key", "api-key:1", "anon-user:", "custom-token"])
  func anotherTextIsNone(text: String) {
    #expect(SessionOrigin(text: text) == nil)
  }

  /// A file that noted no origins: a log-in rests on what its user has.
  @Test func theLogInsOfAnOlderServerGetTheirOrigin() throws {
    let old = try Database.inMemory()
    try old.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "User", properties: [PropertySchema("id", .string), PropertySchema("createdAt", .int)],
          primaryKey: "id"),
        ClassSchema(
          "Identity",
          properties: [
            PropertySchema("name", .string), PropertySchema("user", linkTo: "User"),
            PropertySchema("salt", .data), PropertySchema("hash", .data),
            PropertySchema("logRounds", .int),
          ], primaryKey: "name"),
        ClassSchema(
          "Session",
          properties: [
            PropertySchema("id", .string), PropertySchema("user", linkTo: "User"),
            PropertySchema("expiresAt", .int),
          ], primaryKey: "id"),
      ])
      let users: [(id: String, identity: String?)] = [
        ("a", nil), ("b", "local-userpass:b@b.c"), ("c", "api-key:importer"),
        ("d", "custom-token:dan"),
      ]
      for (user, name) in users {
        try transaction.create("User", ["id": .string(user)])
        let session = try transaction.create(
          "Session", ["id": .string("of \(user)"), "expiresAt": .int(9_000)])
        try transaction.link("Session", session, "user", toPrimaryKeys: [.string(user)])
        guard let name else { continue }
        let identity = try transaction.create("Identity", ["name": .string(name)])
        try transaction.link("Identity", identity, "user", toPrimaryKeys: [.string(user)])
      }
    }
    let accounts = try AccountStore(old, options: .forTests, random: TestRandom().next)
    func origin(_ user: String) throws -> SessionOrigin? {
      let session = try #require(try accounts.session("of \(user)", now: 8_999))
      #expect(session.user == user)
      return session.origin
    }
    #expect(try origin("a") == .anonymous)
    #expect(try origin("b") == .password)
    #expect(try origin("c") == .key(name: "importer", digest: nil))
    #expect(try origin("d") == .token(issuer: nil))
    // A second start changes nothing.
    let new = try accounts.loginAnonymously(host: HostKey("192.0.2.1"), now: 1)
    let again = try AccountStore(old, options: .forTests, random: TestRandom(seed: 2).next)
    #expect(try again.session(new.id, now: 1) == new)
    let ended = try again.endSessions(now: 1) { $0 == .anonymous }
    #expect(ended.keys.sorted() == ["of b", "of c", "of d"])
  }

  @Test func anOlderLogInRestsOnAnyKeyOfTheName() throws {
    var login = ServerConfiguration.Login()
    let (key, _) = APIKey.make("importer", random: TestRandom().next)
    let (other, _) = APIKey.make("importer", random: TestRandom(seed: 2).next)
    login.keys = [key]
    #expect(login.allows(.key(name: "importer", digest: nil)))
    #expect(login.allows(.key(name: "importer", digest: key.digest)))
    #expect(!login.allows(.key(name: "importer", digest: other.digest)))
    #expect(!login.allows(.key(name: "exporter", digest: nil)))
    #expect(!login.allows(.token(issuer: nil)))
    let secret = "a secret of at least 32 characters"
    let issuer = try TokenIssuer(.hs256, key: secret, issuer: nil, audience: nil)
    login.issuer = issuer
    #expect(login.allows(.token(issuer: nil)))
    #expect(login.allows(.token(issuer: issuer.fingerprint)))
    for other in [
      try TokenIssuer(.hs256, key: secret + "!", issuer: nil, audience: nil),
      try TokenIssuer(.hs256, key: secret, issuer: "a", audience: nil),
      try TokenIssuer(.hs256, key: secret, issuer: nil, audience: "a"),
    ] {
      #expect(!login.allows(.token(issuer: other.fingerprint)))
    }
    // The same public key in another form of its lines.
    let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
    let fingerprints = try [pem, pem + "\n", pem.replacing("\n", with: "\r\n")].map {
      try TokenIssuer(.es256, key: $0, issuer: nil, audience: nil).fingerprint
    }
    #expect(Set(fingerprints).count == 1)
  }
}
#endif
