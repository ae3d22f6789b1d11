import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

@Suite(.computing) struct PageCipherTests {
  private static let fileID: [UInt8] = Array(1...16)

  private static func cipher(_ byte: UInt8 = 7, _ fileID: [UInt8] = fileID) throws -> PageCipher {
    PageCipher(
      try EncryptionKey([UInt8](repeating: byte, count: 64), path: "file"), fileID: fileID)
  }

  private static func seal(_ plain: [UInt8], _ clear: [UInt8], _ cipher: PageCipher) -> [UInt8] {
    let sealed = PageBuffer(byteCount: plain.count + PageCipher.addedByteCount, zeroed: false)
    plain.withByteView { plain in
      clear.withByteView { cipher.seal(plain, after: $0, into: sealed, at: 0) }
    }
    defer { withExtendedLifetime(sealed) {} }
    return sealed.view.copy()
  }

  private static func open(_ sealed: [UInt8], _ clear: [UInt8], _ cipher: PageCipher) -> [UInt8]? {
    let plain = sealed.withByteView { sealed in
      clear.withByteView { cipher.open(sealed, after: $0) }
    }
    defer { withExtendedLifetime(plain) {} }
    return plain?.view.copy()
  }

  @Test(arguments: [0, 1, 15, 16, 17, 4_000, 70_000])
  func opensWhatItSealed(byteCount: Int) throws {
    var random = SplitMix64(seed: 1)
    let plain = noise(byteCount, &random)
    let sealed = Self.seal(plain, [1, 2, 3], try Self.cipher())
    #expect(sealed.count == plain.count + PageCipher.addedByteCount)
    #expect(Self.open(sealed, [1, 2, 3], try Self.cipher()) == plain)
  }

  @Test func refusesWhatWasChanged() throws {
    let clear: [UInt8] = [1, 2, 3]
    let cipher = try Self.cipher()
    let sealed = Self.seal(Array("forty-two bytes of a page, more or less...".utf8), clear, cipher)
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(Self.open(changed, clear, cipher) == nil, "bit \(bit)")
    }
    for bit in 0..<24 {
      var changed = clear
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(Self.open(sealed, changed, cipher) == nil, "clear bit \(bit)")
    }
    for count in 0..<sealed.count {
      #expect(Self.open(Array(sealed[..<count]), clear, cipher) == nil)
    }
    #expect(Self.open(sealed, clear, try Self.cipher(8)) == nil, "another key")
    #expect(Self.open(sealed, clear, try Self.cipher(7, Array(2...17))) == nil, "another file")
  }

  /// Slots are written over themselves after a crash: the bytes must not change.
  @Test func theSameGivesTheSameAndAllElseAnotherNonce() throws {
    let cipher = try Self.cipher()
    let one = Self.seal([1, 2, 3], [4], cipher)
    #expect(Self.seal([1, 2, 3], [4], cipher) == one)
    for other in [
      Self.seal([1, 2, 4], [4], cipher), Self.seal([1, 2, 3], [5], cipher),
      Self.seal([1, 2, 3], [4], try Self.cipher(8)),
      Self.seal([1, 2, 3], [4], try Self.cipher(7, Array(2...17))),
    ] {
      #expect(other.prefix(12) != one.prefix(12))
    }
  }

  /// Computed by another program: Python's `cryptography`, by the text of Format.md.
  @Test func agreesWithTheFormat() throws {
    let key = try EncryptionKey(Array(0..<64), path: "file")
    let cipher = PageCipher(key, fileID: Array(0xA0...0xAF))
    let sealed = Self.seal(Array("Reykjavík".utf8), Array("clear".utf8), cipher)
    let digits = sealed.map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }
    #expect(
      digits.joined()
        == "0b0bb1bf7282ac018687b917ff640e3aef488563b48dc49c909bc5523e073364c38049917b3a")
  }

  @Test func aKeyHas64Or32Bytes() throws {
    for count in 0...80 {
      let bytes = [UInt8](repeating: 1, count: count)
      if count == 32 || count == 64 {
        _ = try EncryptionKey(bytes, path: "file")
      } else {
        #expect(throws: StorageError.encryption(path: "file", .keyByteCount(count))) {
          try EncryptionKey(bytes, path: "file")
        }
      }
    }
  }
}
