/// FNV-1a of 64 bits: a quick hash that is equal in every process, without defence against inputs
/// that are made to collide.
///
/// Source: Fowler, Noll, Vo and Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
package struct FNV1a {
  package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func add(_ bytes: [UInt8]) { for byte in bytes { add(byte) } }

  package mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

  private mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
