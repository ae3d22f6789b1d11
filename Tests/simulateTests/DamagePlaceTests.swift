import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import simulate

/// Vectors of leaves that are damaged under right checksums: the error names the block of the page,
/// the vector and what is wrong with it.
@Suite(.computing) struct DamagePlaceTests {
  /// Every kind of vector: a column for each, some null, some outside of their leaf.
  private static let properties: [PropertySchema] = [
    PropertySchema("id", .string), PropertySchema("int", .int, isIndexed: true),
    PropertySchema("bool", .bool), PropertySchema("double", .double),
    PropertySchema("optional", .int, isOptional: true), PropertySchema("date", .date),
    PropertySchema("text", .string), PropertySchema("long", .string),
    PropertySchema("mixed", .mixed), PropertySchema("uuid", .uuid),
    PropertySchema("link", linkTo: "Thing"), PropertySchema("list", .int, collection: .list),
    PropertySchema("set", .string, collection: .set),
    PropertySchema("map", .mixed, collection: .map),
  ]

  private static func makeBytes() throws -> [UInt8] {
    let file = try MemoryFile(path: "whole", capacity: FileWindow.stride)
    let database = try SampleFile.open(file, key: nil, making: 1)
    var random = SplitMix64(seed: 7)
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Thing", properties: properties, primaryKey: "id"))
      var previous: ObjectKey?
      for row in 0..<12 {
        let number = Int64(random.next() % (1 << 30))
        let isLong = row == 3
        let nanoseconds = Int32(random.next() % 999)
        let date = try #require(Timestamp(seconds: number, nanoseconds: nanoseconds))
        let thing = try transaction.table("Thing").schema
        let link = previous.map { Value.link(ObjectLink(table: thing.id, key: $0.rawValue)) }
        previous = try transaction.create(
          "Thing",
          [
            "id": .string("id \(number)"), "int": .int(number), "bool": .bool(number % 3 == 0),
            "double": .double(Double(number) / 7),
            "optional": row % 2 == 0 ? .null : .int(number * number),
            "date": .date(date),
            "text": .string("text of \(number)"),
            "long": .string(String(repeating: isLong ? "long " : "l", count: isLong ? 4000 : 3)),
            "mixed": .string("mixed \(number)"),
            "uuid": .uuid(UniqueID(high: random.next(), low: random.next())),
            "link": link ?? .null,
            "list": .list((0..<row).map { .int(Int64($0) * number) }),
            "set": .set([.string("a \(number)"), .string("b \(number)")]),
            "map": .map(ValueMap([("key \(number)", .int(number))])),
          ])
      }
    }
    return try file.bytes()
  }

  /// A leaf of the sample, with the place of its page.
  private struct Leaf {
    var image: FileImage
    let index: Int

    var block: UInt64 { image.nodes[index].reference.block }
    var payload: [UInt8] { image.nodes[index].payload }

    func number(at offset: Int, byteCount: Int = 4) -> Int {
      payload[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The database with one byte changed.
    func database(with byte: UInt8, at offset: Int) throws -> Database {
      var image = image
      image.nodes[index].payload[offset] = byte
      let sealed = image.sealed(changed: [index])
      let bytes = try #require(sealed)
      return try SampleFile.open(MemoryFile(path: "damaged", holding: bytes), key: nil)
    }

    /// Where the bytes of `text` begin.
    func offset(of text: String) throws -> Int {
      let bytes = Array(text.utf8)
      let offsets = 0..<payload.count - bytes.count
      let first = offsets.first { Array(payload[$0..<$0 + bytes.count]) == bytes }
      return try #require(first)
    }
  }

  private static func leaves(_ kind: PageKind) throws -> [Leaf] {
    let image = try FileImage(makeBytes(), key: nil)
    return image.nodes.indices.filter { image.nodes[$0].header.kind == kind }
      .map { Leaf(image: image, index: $0) }
  }

  private static func rowGroupLeaf() throws -> Leaf {
    let leaves = try leaves(.rowGroup)
    #expect(leaves.count == 1)
    return try #require(leaves.first)
  }

  private static func readAll(_ database: Database, _ name: String) throws {
    try database.snapshot().table("Thing").forEach { object in _ = try object[name] }
  }

  private static func error(
    _ block: UInt64, _ part: StorageError.VectorPart, _ problem: StorageError.VectorProblem
  ) -> ObjectError {
    .storage(.corrupted(block: block, .vector(part, problem)))
  }

  @Test func aVectorNamesItsPageItsColumnAndTheReason() throws {
    let leaf = try Self.rowGroupLeaf()
    var names: [UInt32: String] = [:]
    let table = try leaf.database(with: leaf.payload[0], at: 0).snapshot().table("Thing")
    for column in table.schema.columns { names[column.id] = column.name }
    var kinds: Set<Int> = []
    var damagedIDs: Set<UInt32> = []
    for entry in 0..<leaf.number(at: 4, byteCount: 2) {
      let id = UInt32(leaf.number(at: 16 + 16 * entry))
      let kind = leaf.number(at: 21 + 16 * entry, byteCount: 1)
      let start = leaf.number(at: 24 + 16 * entry)
      let isExternal = kind == VectorKind.external.rawValue
      // Byte 0 is the encoding; of external values byte 5 is kept zero.
      let database = try leaf.database(with: 9, at: start + (isExternal ? 5 : 0))
      let expected = Self.error(
        leaf.block, id == 0 ? .keys : .column(id),
        isExternal ? .reservedBytesInUse : .unknownEncoding(9))
      #expect(throws: expected, "column \(id), kind \(kind)") {
        try Self.readAll(database, names[id] ?? "int")
      }
      // Another column of the same leaf can be read.
      if id != 0 { try Self.readAll(database, names[id] == "int" ? "bool" : "int") }
      // A change needs the column too.
      if id != 0, let name = names[id], name != "id" {
        #expect(throws: expected) {
          try database.write { transaction in
            try transaction.delete("Thing", Self.firstKey(of: database))
          }
        }
      }
      kinds.insert(kind)
      damagedIDs.insert(id)
    }
    #expect(kinds == [1, 2, 3, 4, 5])
    #expect(damagedIDs == Set(names.keys).union([0]))
  }

  private static func firstKey(of database: Database) throws -> ObjectKey {
    var keys: [ObjectKey] = []
    try database.snapshot().table("Thing").forEach { keys.append($0.key) }
    return try #require(keys.first)
  }

  @Test func valuesNameTheirPageAndTheReason() throws {
    let leaf = try Self.rowGroupLeaf()
    let table = try leaf.database(with: leaf.payload[0], at: 0).snapshot().table("Thing")
    // Stored as they are: the values are few and differ.
    for (name, text, problem) in [
      ("text", "text of ", StorageError.VectorProblem.notUTF8), ("mixed", "mixed ", .value),
    ] {
      let column = try table.column(name)
      let offset = try leaf.offset(of: text)
      let database = try leaf.database(with: 0xFF, at: offset)
      let expected = Self.error(leaf.block, .column(column.id), problem)
      #expect(throws: expected) { try Self.readAll(database, name) }
      let reader = try ObjectReader(database.snapshot().table("Thing"), columns: [column])
      #expect(throws: expected) {
        while try reader.next() {
          _ = name == "text" ? try reader.string(0).map { .string($0) } : try reader.value(0)
        }
      }
    }
  }

  @Test func lengthsThatDoNotAddUpNameTheirPage() throws {
    let leaf = try Self.rowGroupLeaf()
    let table = try leaf.database(with: leaf.payload[0], at: 0).snapshot().table("Thing")
    let column = try table.column("text")
    for entry in 0..<leaf.number(at: 4, byteCount: 2)
    where UInt32(leaf.number(at: 16 + 16 * entry)) == column.id {
      // The base of the lengths follows the header of the vector.
      let start = leaf.number(at: 24 + 16 * entry)
      let database = try leaf.database(with: 1, at: start + 32 + 8 + 3)
      #expect(throws: Self.error(leaf.block, .column(column.id), .lengthsDoNotAddUp)) {
        try Self.readAll(database, "text")
      }
    }
  }

  @Test func aLeafOfAnIndexNamesItsPageAndItsVector() throws {
    var forms: Set<Int> = []
    let leaves = try Self.leaves(.indexLeaf)
    for leaf in leaves {
      let counts = leaf.number(at: 12)
      let keys = leaf.number(at: 16)
      let form = leaf.number(at: 8, byteCount: 1)
      forms.insert(form)
      try Self.expectError(leaf, at: counts, .indexCounts)
      try Self.expectError(leaf, at: keys, .keys)
      if form == 0 { try Self.expectError(leaf, at: 32, .indexValues) }
    }
    #expect(forms.count > 1)
  }

  private static func expectError(
    _ leaf: Leaf, at offset: Int, _ part: StorageError.VectorPart
  ) throws {
    let database = try leaf.database(with: 9, at: offset)
    let findings = try database.check().findings
    #expect(
      findings.contains {
        $0.block == leaf.block && $0.message.contains("\(part), unknown encoding 9")
      }, "\(findings)")
  }

  @Test func aKeyValueLeafNamesItsPage() throws {
    let leaves = try Self.leaves(.keyValueLeaf)
    for leaf in leaves {
      // The end of the first key lies behind all bytes.
      let database = try leaf.database(with: 0x7F, at: 11)
      let expected = StorageError.corrupted(block: leaf.block, .structure(.malformedEntries))
      #expect(throws: ObjectError.storage(expected)) { try database.snapshot() }
    }
    #expect(!leaves.isEmpty)
  }

  @Test func theMessageSaysWhatIsWrong() {
    let error = StorageError.corrupted(block: 5, .vector(.column(3), .lengthsDoNotAddUp))
    #expect(
      "\(error)"
        == "the page at block 5 is damaged: in the vectors of column 3, lengths or counts do not add up"
    )
  }
}
