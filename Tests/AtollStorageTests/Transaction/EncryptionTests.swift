import TestSupport
import TestThreads
import Testing

@testable import AtollStorage

/// A store that was given a key: nothing is readable without it, and nothing else changes.
@Suite(.computing) struct EncryptionTests {
  private static func encryptionKey(_ byte: UInt8 = 7) throws -> EncryptionKey {
    try EncryptionKey([UInt8](repeating: byte, count: 64), path: "file")
  }

  /// Text that is easily found in a file, compressed or not.
  private static let secret = Array("the secret of the lagoon".utf8)

  /// A store with small and large values, all of them made of the secret.
  private static func fill(_ file: any DataFile, _ encryptionKey: EncryptionKey?) throws
    -> KeyValueStore
  {
    let base = try KeyValueStore(file, key: encryptionKey)
    var random = SplitMix64(seed: 1)
    for _ in 0..<8 {
      try base.write { tree in
        for index in 0..<60 {
          let value = secret + noise(Int.random(in: 0..<900, using: &random), &random)
          try tree.set(value, for: secret + key(index))
        }
      }
    }
    return base
  }

  private static func bytes(of file: any DataFile) throws -> [UInt8] {
    let buffer = PageBuffer(byteCount: Int(try file.byteCount()), zeroed: true)
    _ = try file.read(into: buffer.unsafeBytes, at: 0)
    return buffer.view.copy()
  }

  private static func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
    bytes.indices.dropLast(pattern.count - 1).contains {
      bytes[$0] == pattern[0] && Array(bytes[$0..<$0 + pattern.count]) == pattern
    }
  }

  @Test func thePlainTextIsNowhereInTheFile() throws {
    let plain = try MemoryFile(path: "plain", capacity: 1 << 26)
    let encrypted = try MemoryFile(path: "encrypted", capacity: 1 << 26)
    let contents = try Self.fill(plain, nil).contents()
    let base = try Self.fill(encrypted, Self.encryptionKey())
    #expect(try base.contents() == contents)
    #expect(try base.findings() == [])
    // The search finds it where it is.
    #expect(Self.contains(try Self.bytes(of: plain), Self.secret))
    #expect(!Self.contains(try Self.bytes(of: encrypted), Self.secret))
    // Where the tree begins is no business of others either.
    var root: [UInt8] = []
    try base.store.snapshot().slot.catalogue.append(to: &root)
    #expect(!Self.contains(try Self.bytes(of: encrypted), root))
  }

  @Test func theWrongKeyIsAnErrorOfItsOwn() throws {
    let folder = TemporaryFolder()
    let (encrypted, plain) = (folder.path(of: "encrypted"), folder.path(of: "plain"))
    func open(_ path: String, _ encryptionKey: EncryptionKey?) throws -> KeyValueStore {
      try KeyValueStore(PosixFile(path: path, mode: .create), key: encryptionKey)
    }
    let file = try PosixFile(path: encrypted, mode: .create)
    let base = try Self.fill(file, Self.encryptionKey())
    let contents = try base.contents()
    _ = try Self.fill(PosixFile(path: plain, mode: .create), nil)
    // As a crash leaves it, and after it was closed.
    for isClosed in [false, true] {
      if isClosed { try base.store.close() }
      let before = try Self.bytes(of: PosixFile(path: encrypted, mode: .readOnly))
      #expect(throws: StorageError.encryption(path: encrypted, .keyWrong)) {
        try open(encrypted, Self.encryptionKey(8))
      }
      #expect(throws: StorageError.encryption(path: encrypted, .keyMissing)) {
        try open(encrypted, nil)
      }
      #expect(try Self.bytes(of: PosixFile(path: encrypted, mode: .readOnly)) == before)
      #expect(try open(encrypted, Self.encryptionKey()).contents() == contents)
    }
    #expect(throws: StorageError.encryption(path: plain, .notEncrypted)) {
      try open(plain, Self.encryptionKey())
    }
  }

  /// Whoever repairs the checksums of a page that he changed is found out all the same.
  @Test func aPageThatSomebodyMadeIsRefused() throws {
    let file = try MemoryFile(path: "file", capacity: 1 << 26)
    let base = try KeyValueStore(file, key: Self.encryptionKey())
    try base.write { try $0.set(Self.secret, for: Self.secret) }
    let snapshot = try base.store.snapshot()
    let root = snapshot.slot.catalogue.reference
    let offset = root.block * UInt64(Block.byteCount)
    // The last one stands behind the encrypted bytes, where nothing but zero may be.
    for byte in [9, 12, 16, 20, 32, 48, 60, 90, root.run.byteCount - 1] {
      var page = Array(try Self.bytes(of: file)[Int(offset)..<Int(offset) + root.run.byteCount])
      page[byte] ^= 1
      let checksum = page.withByteView { Checksum.xxh64($0[8..<$0.count]) }
      page.withUnsafeMutableBytes { $0.storeBytes(of: checksum.littleEndian, as: UInt64.self) }
      let forged = try MemoryFile(path: "forged", capacity: 1 << 26)
      try forged.setByteCount(try file.byteCount())
      try page.withUnsafeBytes { try forged.write($0, at: offset) }
      let reader = PageReader(
        source: Self.source(forged, base.store.cipher), transaction: 2,
        blockCount: snapshot.slot.blockCount)
      #expect(throws: StorageError.self, "byte \(byte)") {
        try reader.page(PageReference(run: root.run, checksum: checksum), kind: .keyValueLeaf)
      }
    }
    let reader = PageReader(
      source: Self.source(file, nil), transaction: 2, blockCount: snapshot.slot.blockCount)
    #expect(throws: StorageError.corrupted(block: root.block, .structure(.notAuthentic))) {
      try reader.page(root, kind: .keyValueLeaf)
    }
  }

  /// The next transaction goes through them at once, and would decrypt what was just encrypted.
  @Test func branchesAreKnownBeforeTheyAreReadAgain() throws {
    let file = try MemoryFile(path: "file", capacity: 1 << 26)
    let base = try KeyValueStore(file, key: Self.encryptionKey())
    var random = SplitMix64(seed: 1)
    try base.write { tree in
      for number in 0..<400 {
        try tree.set(noise(900, &random), for: Array("key \(number)".utf8))
      }
    }
    let snapshot = try base.store.snapshot()
    let root = snapshot.slot.catalogue.reference
    let known = try #require(snapshot.reader.decodedPage(root))
    let page = try snapshot.reader.page(root, kind: .branch)
    #expect(page.bytes.copy() == known.view.copy())
    #expect(page.bytes.unsafeBytes.baseAddress == known.view.unsafeBytes.baseAddress)
    // Read without the cache, it is the same.
    let other = PageReader(
      source: Self.source(file, base.store.cipher), transaction: snapshot.slot.transaction + 1,
      blockCount: snapshot.slot.blockCount)
    let read = try other.page(root, kind: .branch)
    let isSame = withExtendedLifetime(read) { read.bytes.copy() == known.view.copy() }
    #expect(isSame)
  }

  private static func source(_ file: any DataFile, _ cipher: PageCipher?) -> PageSource {
    PageSource(
      slots: HeaderSlots(file, key: nil), cache: DecodedCache(byteLimit: 0),
      verified: VerifiedPages(), cipher: cipher)
  }

  @Test(arguments: SimulatedFile.Tearing.allCases)
  func survivesPowerFailures(tearing: SimulatedFile.Tearing) throws {
    let encryptionKey = try Self.encryptionKey()
    for operation in 0..<40 {
      var random = SplitMix64(seed: UInt64(operation))
      var file = try SimulatedFile(capacity: 1 << 26)
      file.operationsUntilPowerLoss = operation
      var acknowledged = 0
      for _ in 0..<3 {
        do {
          let base = try KeyValueStore(file, key: encryptionKey)
          for number in acknowledged + 1...acknowledged + 6 {
            try base.write { try $0.set([UInt8(number)] + noise(600, &random), for: Self.secret) }
            acknowledged = number
          }
          try base.store.close()
        } catch StorageError.io where file.hasLostPower {
        }
        file = try file.afterPowerLoss(using: &random, tearing: tearing)
        let base = try KeyValueStore(file, key: encryptionKey)
        let found = try base.contents()[Self.secret].map { Int($0[0]) } ?? 0
        #expect(found == acknowledged || found == acknowledged + 1, "operation \(operation)")
        #expect(try base.findings() == [])
        acknowledged = found
        file.operationsUntilPowerLoss = operation
      }
    }
  }
}
