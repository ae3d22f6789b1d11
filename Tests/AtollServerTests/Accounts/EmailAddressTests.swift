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

  /// Beside `paulino@example.org`: what differs from it, and looks like it.
  @Test(arguments: [
    // Marks that compose with no letter: on I, on an I without a dot, of a capital, on signs.
    "pauli\u{307}no@example.org", "paul\u{131}\u{307}no@example.org",
    "PAUL\u{130}NO@example.org", "paulino@ex\u{335}ample.org", "paulino\u{20DD}@example.org",
    "\u{43F}\u{430}\u{301}\u{432}@b.c", "\u{3B2}\u{300}@b.c", "\u{430}\u{483}@b.c",
    "paulino.\u{5B4}@example.org", "1\u{5B4}@b.c", "\u{E31}1@b.c", "\u{E9}\u{5B4}@b.c",
    // A click, wynn, a sign of tone, a J without a dot.
    "pau\u{1C0}ino@example.org", "\u{1BF}aulino@example.org", "\u{185}ob@b.c",
    "\u{237}im@b.c",
    // Letters like I, L and O: Malayalam, Hebrew, Myanmar, Arabic, Tifinagh, N'Ko.
    "paulin\u{D20}@example.org", "pau\u{5D5}ino@example.org", "pau\u{5DF}ino@example.org",
    "paulin\u{5E1}@example.org", "paulin\u{101D}@example.org", "pau\u{627}ino@example.org",
    "paulin\u{647}@example.org", "pau\u{2D4F}ino@example.org", "paulin\u{2D54}@example.org",
    "pau\u{7CA}ino@example.org",
    // A stroke of Han, vowels of Hangul, kana.
    "pau\u{4E28}ino@example.org", "pau\u{3163}ino@example.org", "pau\u{1175}ino@example.org",
    "pau\u{30CE}ino@example.org", "paulino@exam\u{30FC}ple.org",
    // Deseret, Osage, Old Italic.
    "paulin\u{1042C}@example.org", "paulin\u{104EA}@example.org",
    "pau\u{10309}ino@example.org", "paulin\u{1030F}@example.org",
    // Digits of Thai, Lao, Bengali, Tamil, Arabic and N'Ko.
    "paulin\u{E50}@example.org", "paulin\u{ED0}@example.org", "paulin\u{9E6}@example.org",
    "paulin\u{BE6}@example.org", "pau\u{661}ino@example.org", "pau\u{6F1}ino@example.org",
    "paulin\u{7C0}@example.org",
    // Digits of two kinds.
    "1\u{E50}1@b.c", "1\u{661}@b.c", "\u{661}\u{6F1}@b.c", "\u{E01}\u{E50}1@b.c",
    // In the domain.
    "paulino@example.\u{D20}rg", "paulino@examp\u{5D5}e.org", "paulino@examp\u{4E28}e.org",
    "paulino@pau\u{1C0}ino.org", "paulino@exampl\u{E50}.org", "paulino@examplei\u{307}.org",
    // Scripts that are not of Latin either, of which some are near to each other.
    "\u{5E1}\u{D20}@b.c", "\u{E01}\u{E81}@b.c", "\u{430}\u{627}@b.c", "\u{3B1}\u{4E28}@b.c",
    "\u{D55C}\u{30CE}@b.c", "\u{9A8}\u{A28}@b.c",
    // What lengthens words or repeats letters.
    "\u{645}\u{640}\u{62D}@b.c", "12\u{7FA}34@b.c", "\u{3042}\u{3031}@b.c",
  ])
  func whatLooksLikeAnotherIsRefused(text: String) {
    #expect(EmailAddress.normalForm(text) == nil)
  }

  /// Words of one script, or of those that are written together, with their marks and digits.
  @Test(arguments: [
    "paulino@example.org", "müller@example.de", "józef@b.c", "nguyễn.văn@b.c", "l\u{131}dya@b.c",
    "αλφα@παράδειγμα.gr", "пауло@пример.рф", "андрей_1@b.c", "їжак@b.c", "նարե@բ.գ", "გია@ბ.c",
    // Japanese, Korean, Chinese.
    "田中たろう@例え.jp", "佐々木@b.c", "ヤマダー花子@b.c", "カ\u{3099}@b.c", "스즈키@한국.kr",
    "金철수@b.c", "\u{1112}\u{1161}\u{11AB}@b.c", "王小明1@例子.c", "ㄅㄆ王@b.c",
    // Hebrew and Arabic, also with vowels and digits.
    "\u{5D3}\u{5D5}\u{5D3}@\u{5D3}\u{5D5}\u{5D2}\u{5DE}\u{5D4}.c",
    "\u{5E9}\u{5C1}\u{5B8}\u{5DC}\u{5D5}\u{5B9}\u{5DD}@b.c",
    "\u{645}\u{62D}\u{645}\u{62F}@\u{645}\u{62B}\u{627}\u{644}.c",
    "\u{645}\u{64F}\u{62D}\u{64E}\u{645}\u{651}\u{64E}\u{62F}@b.c",
    "\u{639}\u{644}\u{6CC}\u{6F1}\u{6F2}@b.c", "\u{639}\u{644}\u{64A}_12@b.c",
    // Devanagari and others of India; Sinhala, Thai, Lao, Tibetan, Myanmar, Khmer.
    "दीपा@भारत.c", "हिन्दी.१२@b.c", "ज़ैनब@b.c", "বাংলা@b.c", "ਪੰਜਾਬ@b.c", "தமிழ்@b.c", "తెలుగు@b.c",
    "മലയാളം@b.c", "සිංහල@b.c", "สมชาย@ไทย.th", "คำ๑๒@b.c", "สมชาย-12@b.c", "ລາວ@b.c", "བོད@b.c",
    "မြန်မာ@b.c", "ရှမ်းႁႂ်@b.c", "ខ្មែរ@b.c",
    // Ethiopic, Thaana, Cherokee, Mongolian, Tifinagh.
    "አበበ@b.c", "\u{78B}\u{7A8}\u{788}\u{7AC}@b.c", "ᏣᎳᎩ@b.c", "ᠮᠣᠩ@b.c", "ⵜⴰⵎ@b.c",
  ])
  func wordsOfOneScriptCanBeAddresses(text: String) {
    let form = EmailAddress.normalForm(text)
    #expect(form != nil && form.flatMap(EmailAddress.normalForm) == form)
  }

  @Test func theNormalFormIsItsOwn() {
    for text in ["ada@example.org", "\u{E9}va@b.c", "straße@b.c", "\u{212A}im@b.c", "ΣΑΣ@β.γ"] {
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
