import AtollStorage
import TestThreads
import Testing

@testable import AtollObjects

/// Bits of the catalogue that have no meaning, or contradict each other.
@Suite(.computing) struct CatalogueFlagsTests {
  private static func record(_ flags: ClassFlags, hasPrimaryKey: Bool = true) -> ClassRecord {
    ClassRecord(
      id: 1, name: "Thing", flags: flags, nextKey: 1, nextColumnID: 2,
      primaryKeyColumn: hasPrimaryKey ? 1 : 0,
      rows: ClassRecord.TreeRecord(treeID: 16, root: .empty),
      columns: [
        ClassRecord.ColumnRecord(id: 1, name: "_id", layout: ColumnLayout(.int, isOptional: false))
      ])
  }

  private static func isRead(_ bytes: [UInt8]) -> Bool {
    (try? ClassRecord(decoding: bytes, key: ClassRecord.key(1))) != nil
  }

  @Test(arguments: 0...255 as ClosedRange<UInt8>)
  func unknownBitsOfAClassAreRefused(bits: UInt8) throws {
    var bytes = Self.record([]).encoded()
    // Behind the name and its length.
    bytes[6] = bits
    let flags = ClassFlags(rawValue: bits)
    // The record has a primary key, which an embedded class has not.
    let isAllowed =
      bits < 16 && !flags.contains(.embedded)
      && (!flags.contains(.asymmetric) || flags.contains(.synced))
    #expect(Self.isRead(bytes) == isAllowed)
  }

  @Test func unknownBitsOfAColumnAreRefused() {
    let bytes = Self.record([]).encoded()
    // Behind the flags stands the link target, one byte, and nothing else.
    for bits in [0, 1] as [UInt8] {
      var changed = bytes
      changed[bytes.count - 2] = bits
      #expect(Self.isRead(changed))
    }
    for bit in 4..<8 {
      var changed = bytes
      changed[bytes.count - 2] = 1 << UInt8(bit)
      #expect(!Self.isRead(changed))
    }
  }

  @Test func aSyncedClassHasAPrimaryKey() {
    #expect(Self.isRead(Self.record([.synced]).encoded()))
    #expect(!Self.isRead(Self.record([.synced], hasPrimaryKey: false).encoded()))
  }

  @Test(arguments: [[], [.synced]] as [ClassFlags])
  func anEmbeddedClassHasNoPrimaryKey(flags: ClassFlags) {
    let flags = flags.union(.embedded)
    #expect(Self.isRead(Self.record(flags, hasPrimaryKey: false).encoded()))
    #expect(!Self.isRead(Self.record(flags).encoded()))
  }

  /// A version has each internal tree and each class tree once.
  @Test func treesThatShareAnIdAreRefused() throws {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(ClassSchema("Thing", properties: []))
      try transaction.namedTree("notes").set([1], for: [1])
    }
    let storage = try database.store.beginWrite()
    let tree = MutableKeyValueTree(
      root: storage.base.catalogue, treeID: Catalogue.treeID, transaction: storage)
    let key = Catalogue.namedTreeKey("notes")
    let value = try #require(try tree.value(for: key))
    try tree.set(value, for: Catalogue.namedTreeKey("others"))
    try storage.commit(catalogue: tree.flush())
    #expect(throws: ObjectError.self) { try database.snapshot() }
  }
}
