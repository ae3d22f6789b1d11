#if Sync
import TestThreads
import Testing

@testable import AtollServer

@Suite(.computing) struct PasswordTests {
  @Test func onlyThePasswordMatches() throws {
    let hash = try #require(
      PasswordHash("correct horse", cost: .least, random: TestRandom().next))
    #expect(hash.matches("correct horse"))
    for other in ["", "correct hors", "correct horse ", "Correct horse", "correct\u{0}horse"] {
      #expect(!hash.matches(other))
    }
  }

  @Test func equalPasswordsHaveUnequalHashes() throws {
    let random = TestRandom()
    let first = try #require(PasswordHash("same", cost: .least, random: random.next))
    let second = try #require(PasswordHash("same", cost: .least, random: random.next))
    #expect(first.salt != second.salt)
    #expect(first.hash != second.hash)
  }

  /// The hash is scrypt's with r = 8 and p = 1, as another implementation computes it.
  @Test func theHashIsScrypt() throws {
    let hash = try #require(
      PasswordHash(
        cost: .least, salt: Array(0..<16),
        hash: [
          0x1A, 0xEC, 0x9C, 0x0A, 0xF3, 0xAF, 0x05, 0x74, 0xB2, 0x5E, 0x7E, 0xFE, 0x9D, 0x8F, 0x92,
          0xC2, 0x1B, 0x68, 0x6B, 0xA1, 0x26, 0xA9, 0xEA, 0xA5, 0xC8, 0x5C, 0x44, 0x6C, 0xF3, 0x9E,
          0xCF, 0x9A,
        ]))
    #expect(hash.matches("pleaseletmein"))
    #expect(!hash.matches("pleaseletmeout"))
  }

  @Test func whatIsNoHashIsNotUsed() {
    let (salt, hash) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 32))
    #expect(PasswordHash(cost: .normal, salt: salt, hash: hash) != nil)
    #expect(PasswordHash(cost: .normal, salt: Array(salt.dropLast()), hash: hash) == nil)
    #expect(PasswordHash(cost: .normal, salt: salt, hash: hash + [0]) == nil)
    for logRounds in [-1, 0, 21, 64, .max] {
      #expect(PasswordHash(cost: .init(logRounds: logRounds), salt: salt, hash: hash) == nil)
    }
  }
}
#endif
