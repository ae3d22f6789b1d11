import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// Pages of a small file, plain and encrypted, damaged in turn.
///
/// What does not depend on the page is copied, the rest is listed.
@Suite(.computing) struct SalvageTests {
  /// A copy of what can be read of these bytes.
  private static func salvage(_ bytes: [UInt8], _ sample: SampleFile) throws -> (
    SalvageReport, Database
  ) {
    let key = try sample.key.map { try EncryptionKey($0, path: "damaged") }
    return try Database.salvage(MemoryFile(path: "damaged file", holding: bytes), key) {
      try SampleFile.open(MemoryFile(path: "copy", holding: []), key: sample.key, making: 99)
    } progress: {
      #expect((0...1).contains($0))
    }
  }

  private static func expectGood(
    _ copy: Database, _ report: SalvageReport, _ sample: SampleFile,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try copy.check().findings == [], sourceLocation: sourceLocation)
    let version = try #require(sample.versions[report.version], sourceLocation: sourceLocation)
    try version.answers.verify(copy.snapshot(), listedIn: report)
  }

  @Test(arguments: 0..<2) func copiesASoundFileWhole(number: Int) throws {
    let sample = try SampleFile(number: number)
    let (report, copy) = try Self.salvage(sample.bytes, sample)
    #expect(report.losses == [])
    #expect(report.version == sample.newest)
    try Self.expectGood(copy, report, sample)
    let snapshot = try copy.snapshot()
    #expect(try snapshot.pendingLinkCount == sample.open().snapshot().pendingLinkCount)
  }

  @Test(arguments: 0..<2) func losesWhatLiesInTheDamagedPage(number: Int) throws {
    let sample = try SampleFile(number: number)
    var kinds: Set<PageKind> = []
    let rowTrees = Set(try sample.rowTreeIDs())
    for node in Self.someOfEachKind(sample.image.nodes) where node.header.treeID != 1 {
      var bytes = sample.bytes
      let start = Int(node.reference.run.start) * Block.byteCount
      bytes[start + PageHeader.byteCount + min(20, node.payload.count - 1)] ^= 0x10
      let (report, copy) = try Self.salvage(bytes, sample)
      if report.version == sample.newest {
        let isOfRows = rowTrees.contains(node.header.treeID)
        let holdsData = isOfRows || node.header.kind == .blob || node.header.treeID == 2
        #expect(report.isComplete == !holdsData, "\(node.header): \(report.losses)")
        if isOfRows { #expect(report.losses.contains { $0.kind == .objects }) }
        if node.header.kind == .blob { #expect(report.losses.contains { $0.kind == .values }) }
        kinds.insert(node.header.kind)
      }
      try Self.expectGood(copy, report, sample)
    }
    #expect(kinds.isSuperset(of: [.rowGroup, .indexLeaf]))
  }

  /// Of the pages of a kind in a tree the first, the last and two between: each salvage takes long.
  private static func someOfEachKind(_ nodes: [FileImage.Node]) -> [FileImage.Node] {
    let kinds = Dictionary(grouping: nodes) { "\($0.header.treeID) \($0.header.kind)" }
    var some: [FileImage.Node] = []
    for (_, alike) in kinds.sorted(by: { $0.key < $1.key }) {
      let last = alike.count - 1
      for index in Set([0, last / 3, last * 2 / 3, last]).sorted() { some.append(alike[index]) }
    }
    return some
  }

  /// A header slot that is lost, or a file that is cut short.
  @Test(arguments: 0..<2) func readsWhatTheHeaderStillLeadsTo(number: Int) throws {
    let sample = try SampleFile(number: number)
    for block in 0..<3 {
      var bytes = sample.bytes
      bytes[block * Block.byteCount + 300] ^= 1
      let (report, copy) = try Self.salvage(bytes, sample)
      try Self.expectGood(copy, report, sample)
      #expect(report.version == sample.newest || !report.isComplete)
    }
    let cut = Array(sample.bytes.prefix(sample.bytes.count * 3 / 4 / 4096 * 4096))
    do {
      let (report, copy) = try Self.salvage(cut, sample)
      try Self.expectGood(copy, report, sample)
    } catch ObjectError.storage(.corrupted) {
      // The classes themselves were cut off.
    }
  }

  @Test func refusesWhatHasNoClasses() throws {
    let sample = try SampleFile(number: 0)
    var bytes = sample.bytes
    for node in sample.image.nodes where node.header.treeID == 1 {
      bytes[Int(node.reference.run.start) * Block.byteCount + 60] ^= 1
    }
    #expect(throws: ObjectError.self) { try Self.salvage(bytes, sample) }
    #expect(throws: StorageError.notADatabase(path: "damaged file")) {
      try Self.salvage([UInt8](repeating: 9, count: 40_000), sample)
    }
  }
}

extension SampleFile {
  fileprivate func open() throws -> Database {
    try Self.open(MemoryFile(path: "damaged file", holding: bytes), key: key)
  }

  fileprivate func rowTreeIDs() throws -> [UInt32] {
    let snapshot = try open().snapshot()
    return try snapshot.schema.tables.map { try snapshot.table($0.name).tree.form.treeID }
  }
}
