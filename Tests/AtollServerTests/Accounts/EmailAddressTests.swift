#if Sync
import AtollObjects
import AtollTransport
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct EmailAddressTests {
  /// Addresses that look alike were accounts of their own.
  @Test(arguments: [
    ("Ada@Example.ORG", "ada@example.org"), ("a.b+c@d-e.f", "a.b+c@d-e.f"),
    // A letter with its accent, and the two characters of it.
    ("e\u{301}va@b.c", "\u{E9}va@b.c"), ("\u{C9}va@b.c", "\u{E9}va@b.c"),
    // Wide letters, a ligature, the sign of Kelvin, a wide at-sign.
    ("\u{FF41}da@b.c", "ada@b.c"), ("\u{FB01}n@b.c", "fin@b.c"), ("\u{212A}im@b.c", "kim@b.c"),
    ("ada\u{FF20}b.c", "ada@b.c"), ("ада@пример.рф", "ада@пример.рф"),
    ("ada@b\u{3002}c", "ada@b.c"), ("ada@b\u{FF61}c", "ada@b.c"), ("նարե@բ.գ", "նարե@բ.գ"),
    ("o'neil_#1@b.c", "o'neil_#1@b.c"), ("\u{18F}li@b.c", "\u{259}li@b.c"),
    ("दीपा@भारत.c", "दीपा@भारत.c"),
    ("josé@müller.de", "josé@müller.de"), ("田中@例え.jp", "田中@例え.jp"),
  ])
  func whatLooksAlikeIsOne(text: String, form: String) {
    #expect(EmailAddress.normalForm(text).map { Array($0.utf8) } == Array(form.utf8))
  }

  @Test(arguments: [
    "", "@", "a@", "@b", "a", "a@b@c", "a b@c", "a@b\n", "a\u{A0}b@c", "a@b.", "a.@b", ".a@b",
    "a@.b", "a@b..c", "a@b.c.", "a@b\u{3002}\u{FF0E}",
    // What cannot be seen: joiners, a soft hyphen, a mark of direction, a filler, a tag.
    "a\u{200B}@b", "a\u{200D}@b", "a\u{AD}@b", "a\u{202E}@b", "a\u{3164}@b", "a\u{E0041}@b",
    "a\u{FEFF}@b", "a\u{0}@b", "a\u{E000}@b",
    // A Cyrillic letter among Latin ones, a Greek one.
    "\u{430}da@b.c", "ada@ex\u{430}mple.org", "ad\u{3B1}@b.c",
    // Letters of Armenian, Coptic, Cherokee and Lisu among Latin ones.
    "ad\u{561}@b.c", "ad\u{2C81}@b.c", "ad\u{AB8E}@b.c", "ad\u{A4EE}@b.c",
    // A phonetic letter, a blank of Braille, a hyphen and a quote that are not those of ASCII.
    "\u{251}d\u{251}@b.c", "a\u{2800}@b.c", "a\u{2010}b@b.c", "o\u{2019}neil@b.c",
    String(repeating: "a", count: 254) + "@b", String(repeating: "\u{FDFA}", count: 80) + "@b",
  ])
  func whatIsNoneIsRefused(text: String) {
    #expect(EmailAddress.normalForm(text) == nil)
  }

  @Test func theNormalFormIsItsOwn() {
    for text in ["ada@example.org", "\u{E9}va@b.c", "straße@b.c", "i\u{307}@b.c", "ΣΑΣ@β.γ"] {
      let form = EmailAddress.normalForm(text)
      #expect(form != nil && form.flatMap(EmailAddress.normalForm) == form)
    }
  }

  @Test func anAccountIsFoundUnderAllItsForms() throws {
    let accounts = try AccountStore(
      try Database.inMemory(), options: .forTests, random: TestRandom().next)
    try accounts.register(email: "\u{C9}va@b.c", password: "secret", now: 1)
    let id = try accounts.userID(of: "\u{E9}va@b.c")
    for email in ["e\u{301}va@B.c", "\u{FF45}\u{301}va@b.c"] {
      let session = try accounts.login(
        email: email, password: "secret", host: HostKey("192.0.2.1"), now: 1)
      #expect(session.user == id)
      #expect(throws: AccountError.accountExists) {
        try accounts.register(email: email, password: "secret", now: 1)
      }
    }
    for email in ["\u{E9}va@b.c.", "\u{E9}va\u{200B}@b.c"] {
      #expect(throws: AccountError.invalidEmail) {
        try accounts.register(email: email, password: "secret", now: 1)
      }
    }
  }

  /// Accounts of before, whose addresses are no normal forms or none at all.
  @Test(arguments: ["e\u{301}va@b.c", "ada@b.c.", "a\u{200B}da@b.c", "\u{430}da@b.c"])
  func anAccountOfAnOlderServerStillLogsIn(email: String) throws {
    let database = try Database.inMemory()
    let accounts = try AccountStore(database, options: .forTests, random: TestRandom().next)
    let hash = try #require(PasswordHash("secret", cost: .least, random: TestRandom().next))
    try database.write { transaction in
      try transaction.create("User", ["id": .string("old")])
      let identity = try transaction.create(
        "Identity",
        [
          "name": .string("local-userpass:" + email), "salt": .data(hash.salt),
          "hash": .data(hash.hash), "logRounds": .int(Int64(hash.cost.logRounds)),
        ])
      try transaction.link("Identity", identity, "user", toPrimaryKeys: [.string("old")])
    }
    func login(_ password: String) throws -> String {
      try accounts.login(
        email: email, password: password, host: HostKey("192.0.2.1"), now: 1
      ).user
    }
    #expect(try login("secret") == "old")
    #expect(try accounts.userID(of: email) == "old")
    if EmailAddress.normalForm(email) != nil {
      #expect(throws: AccountError.accountExists) {
        try accounts.register(email: email, password: "secret", now: 1)
      }
    }
  }

  /// However an address is written, wrong passwords for it are counted together.
  @Test func formsOfAnAddressAreGuessedAtTogether() throws {
    let accounts = try AccountStore(
      try Database.inMemory(), options: .forTests, random: TestRandom().next)
    let forms = ["ada@b.c", "ADA@b.c", "\u{FF41}da@b.c", "a\u{FF44}a@b.c"]
    for number in 0..<10 {
      #expect(throws: AccountError.invalidCredentials) {
        try accounts.login(
          email: forms[number % 4], password: "wrong password", host: HostKey("192.0.2.1"),
          now: 1)
      }
    }
    for form in forms {
      #expect(throws: AccountError.tooManyAttempts(retryAfterSeconds: 7)) {
        try accounts.login(
          email: form, password: "secret", host: HostKey("192.0.2.1"), now: 1)
      }
    }
  }
}
#endif
