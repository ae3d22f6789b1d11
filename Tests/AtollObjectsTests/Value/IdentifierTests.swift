import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct IdentifierTests {
  @Test func objectIDsComposeFromTimeRandomnessAndCounter() {
    let id = ObjectID(seconds: 0x507F_1F77, random: 0xBC_F86C_D799, counter: 0x43_9011)
    #expect(id.description == "507f1f77bcf86cd799439011")
    #expect(id.seconds == 0x507F_1F77)
    #expect(ObjectID("507F1F77BCF86CD799439011") == id)
  }

  @Test func objectIDsDropBitsBeyondTheirFields() {
    let id = ObjectID(seconds: 0, random: .max, counter: .max)
    #expect(id.description == "00000000ffffffffffffffff")
  }

  @Test(arguments: [
    "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
    "507f1f77bcf86cd79943901é", "+07f1f77bcf86cd799439011",
  ])
  func otherTextIsNoObjectID(text: String) {
    #expect(ObjectID(text) == nil)
  }

  @Test func uniqueIDsReadAndPrint() throws {
    let id = try #require(UniqueID("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"))
    #expect(id.high == 0xF81D_4FAE_7DEC_11D0 && id.low == 0xA765_00A0_C91E_6BF6)
    #expect(id.description == "f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
  }

  @Test(arguments: [
    "", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6-", "f81d4fa-e7dec-11d0-a765-00a0c91e6bf6",
    "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
  ])
  func otherTextIsNoUniqueID(text: String) {
    #expect(UniqueID(text) == nil)
  }

  /// Fixed-width lower-case hexadecimal text sorts as the bytes do.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func identifiersOrderAsTheirTextAndReadBack(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let a = ObjectID(
        seconds: UInt32.random(in: 0...2, using: &random),
        random: UInt64.random(in: 0...2, using: &random) << 32,
        counter: UInt32.random(in: 0...2, using: &random))
      let b = ObjectID(
        seconds: .random(in: 0...2, using: &random),
        random: .random(in: 0...2, using: &random) << 32,
        counter: .random(in: 0...2, using: &random))
      #expect((a < b) == (a.description < b.description))
      #expect(ObjectID(a.description) == a)
      let c = UniqueID(high: random.next() >> 62, low: random.next())
      let d = UniqueID(high: random.next() >> 62, low: random.next())
      #expect((c < d) == (c.description < d.description))
      #expect(UniqueID(c.description) == c)
    }
  }
}
