import TestThreads
import Testing

@testable import AtollQuery

@Suite(.computing) struct BytesTableTests {
  private func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe BytesTable.hash($0, seed: seed) }
  }

  /// In a product modulo 2^64 the highest bit of a factor stays where it is: pairs of words that
  /// differ there, and after the shift, share a hash that only multiplies by constants and shifts.
  @Test(arguments: (1...20).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 })
  func valuesThatWouldMeetWithoutASeedAreToldApart(seed: UInt64) {
    var hashes: Set<UInt64> = []
    for choice in 0..<256 {
      var value: [UInt8] = []
      for bit in 0..<8 {
        let isChosen = choice >> bit & 1 != 0
        let words: [UInt64] = [isChosen ? 1 << 63 : 0, isChosen ? 1 << 63 | 1 << 31 : 0]
        for word in words { withUnsafeBytes(of: word) { unsafe value.append(contentsOf: $0) } }
      }
      hashes.insert(hash(value, seed: seed))
    }
    #expect(hashes.count == 256)
  }

  @Test func theHashDependsOnTheSeed() {
    let hashes = Set((0..<100).map { hash(Array("Fram".utf8), seed: $0 &* 0x9E37_79B9) })
    #expect(hashes.count == 100)
  }

  @Test func everyValueIsThereOnce() {
    var table = BytesTable()
    for round in 0..<2 {
      for number in 0..<5000 {
        let bytes = Array("\(number)".utf8)
        let isNew = unsafe bytes.withUnsafeBytes { unsafe table.insert($0) }
        #expect(isNew == (round == 0))
      }
    }
  }
}
