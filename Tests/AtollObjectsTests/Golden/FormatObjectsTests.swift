import TestSupport
import TestThreads
import Testing

/// The golden file of objects, read by Format.md's tables and nothing else.
@Suite(.computing) struct FormatObjectsTests {
  @Test func catalogueNamesTheClassesAndTheirTrees() throws {
    let classes = try Self.classes(of: file())
    #expect(classes.map(\.name) == ["Person", "Everything", "Part", "Essay", "Memo", "Sample"])
    #expect(classes.map(\.flags) == [0, 0, 1, 0, 2, 12])
    let person = classes[0]
    #expect(person.properties.map(\.name) == ["id", "name", "town", "age", "friend"])
    #expect(person.properties.map(\.id) == [1, 2, 3, 4, 5])
    #expect(person.properties.map(\.type) == [2, 6, 6, 2, 12])
    #expect(person.properties.map { $0.index != nil } == [false, true, false, true, false])
    #expect(person.properties.map { $0.backlinks != nil } == [false, false, false, false, true])
    #expect(person.primaryKeyColumn == 1)
    #expect(person.rows.root.entryCount == GoldenObjects.names.count)
    let everything = classes[1]
    let types = everything.properties.map(\.type)
    #expect(types == [6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, 6, 4, 12, 12, 12])
  }

  @Test func rowGroupOfPeopleHasTheirColumns() throws {
    let file = try file()
    let rowGroup = try FormatRowGroup(Self.peoplePage(of: file).payload)
    let count = GoldenObjects.names.count
    #expect(rowGroup.rowCount == count)
    #expect(rowGroup.keys == (1...UInt64(count)).map { $0 ^ 1 << 63 })
    #expect(rowGroup.integers(1, 1) == (1...Int64(count)).map { $0 })
    #expect(rowGroup.strings(2, 1) == GoldenObjects.names)
    #expect(rowGroup.strings(3, 1) == GoldenObjects.towns)
    #expect(rowGroup.bits(4, 0) == GoldenObjects.ages.map { $0 != nil })
    let ages = zip(rowGroup.integers(4, 1), rowGroup.bits(4, 0)).map { $1 ? $0 : nil }
    #expect(ages == GoldenObjects.ages)
    let friends = zip(rowGroup.integers(5, 1), rowGroup.bits(5, 0)).map {
      $1 ? Int64(bitPattern: UInt64(bitPattern: $0) ^ 1 << 63) : nil
    }
    #expect(friends == GoldenObjects.friends)
  }

  @Test func rowGroupOfEveryTypeHasItsVectors() throws {
    let file = try file()
    let everything = try Self.classes(of: file)[1]
    let leaves = try file.leaves(everything.rows.root, treeID: everything.rows.treeID, .rowGroup)
    let rowGroup = try FormatRowGroup(try #require(leaves.first).page.payload)
    #expect(rowGroup.rowCount == 2)
    #expect(rowGroup.keys == [1, 2])
    func column(_ name: String) -> Int {
      everything.properties.first { $0.name == name }?.id ?? 0
    }
    #expect(rowGroup.strings(column("code"), 1) == ["full", "zero"])
    #expect(rowGroup.bits(column("bool"), 1) == [true, false])
    #expect(rowGroup.integers(column("int"), 1) == [-5, 0])
    #expect(rowGroup.bytes(column("float"), 1) == [[0, 0, 0x80, 0x3E], [0, 0, 0, 0]])
    #expect(rowGroup.bits(column("double"), 0) == [true, false])
    let double = (-1e100).bitPattern
    #expect(
      rowGroup.bytes(column("double"), 1).first.map { FormatReader.littleEndian($0) } == double)
    // 1250 × 10^-2: the exponent is biased by 6176.
    let decimal = try #require(rowGroup.bytes(column("decimal"), 1).first)
    #expect(FormatReader.littleEndian(decimal[..<8]) == 1250)
    #expect(FormatReader.littleEndian(decimal[8...]) == (6176 - 2) << 49)
    #expect(rowGroup.bytes(column("data"), 1) == [[0, 1, 0xFF], []])
    #expect(rowGroup.integers(column("date"), 1) == [-1, 0])
    #expect(rowGroup.integers(column("date"), 2) == [-500, 0])
    let id: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67]
    #expect(rowGroup.bytes(column("objectID"), 1) == [id, id])
    let uuid = (0..<16).map { UInt8($0 * 0x11) }
    #expect(rowGroup.bytes(column("uuid"), 1) == [uuid, uuid])
    #expect(rowGroup.bits(column("mixed"), 0) == [true, false])
    // A map of one entry: "list", a list of three: int 7, null, "x".
    let mixed: [UInt8] =
      [15, 1, 4] + Array("list".utf8) + [13, 3, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0x78]
    #expect(rowGroup.bytes(column("mixed"), 1).first == mixed)
    #expect(rowGroup.integers(column("ints"), 3) == [3, 0])
    #expect(rowGroup.integers(column("ints"), 6) == [3, 1, 3])
    #expect(rowGroup.strings(column("strings"), 6) == ["a", "b"])
    #expect(rowGroup.strings(column("map"), 4) == ["a", "b"])
    #expect(rowGroup.bits(column("map"), 5) == [true, false])
    #expect(rowGroup.integers(column("people"), 3) == [3, 0])
    let people = rowGroup.integers(column("people"), 6)
    #expect(people.map { Int64(bitPattern: UInt64(bitPattern: $0) ^ 1 << 63) } == [2, 1, 2])
    #expect(rowGroup.bits(column("part"), 0) == [true, false])
  }

  @Test func blobsHoldTheLongStrings() throws {
    let file = try file()
    let letter = try Self.external(of: file, "Everything", "string")
    #expect(letter.index == 0)
    #expect(letter.byteCount == GoldenObjects.letter.utf8.count)
    #expect(letter.prefix == FormatReader.bigEndian(Array(GoldenObjects.letter.utf8.prefix(8))))
    let (letterText, letterPageCount) = try text(letter, in: file)
    #expect(letterText == GoldenObjects.letter)
    #expect(letterPageCount == 1)
    let essay = try Self.external(of: file, "Essay", "text")
    let (essayText, essayPageCount) = try text(essay, in: file)
    #expect(essayText == GoldenObjects.essay)
    #expect(essayPageCount == 2)
  }

  @Test func aLongListIsATreeOfItsOwn() throws {
    let file = try file()
    let list = try Self.external(of: file, "Essay", "squares")
    #expect(list.index == 0)
    #expect(list.byteCount == GoldenObjects.squares.count)
    #expect(list.prefix == 1)
    let root = FormatRoot(
      reference: list.reference, entryCount: list.byteCount, height: Int(list.prefix))
    let leaves = try file.leaves(root, treeID: 4, .rowGroup)
    #expect(leaves.count > 1)
    var keys: [UInt64] = []
    var squares: [Int64] = []
    for leaf in leaves {
      let rowGroup = try FormatRowGroup(leaf.page.payload)
      #expect(Set(rowGroup.vectors.keys.map { $0.column }) == [0, 1])
      keys += rowGroup.keys
      squares += rowGroup.integers(1, 1)
    }
    #expect(squares == GoldenObjects.squares)
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
  }

  private func text(_ external: FormatRowGroup.External, in file: FormatFile) throws
    -> (text: String, pageCount: Int)
  {
    var bytes: [UInt8] = []
    var pageCount = 0
    var next = external.reference
    while !next.isNone {
      let page = try file.page(next, .blob, treeID: 3)
      var reader = FormatReader(page.payload)
      next = try reader.reference("next")
      bytes += try reader.raw(page.payload.count - 16, "piece")
      pageCount += 1
    }
    return (String(decoding: bytes, as: UTF8.self), pageCount)
  }

  @Test func indexOfNamesHoldsEachNameWithItsKey() throws {
    let file = try file()
    let index = try #require(try Self.classes(of: file)[0].properties[1].index)
    let leaves = try file.leaves(index.root, treeID: index.treeID, .indexLeaf)
    let groups = try leaves.flatMap { try FormatIndexLeaf($0.page.payload).groups }
    let expected = zip(GoldenObjects.names, UInt64(1)...).map { name, key in
      (value: [0x30] + Array(name.utf8) + [0, 0], keys: [key ^ 1 << 63])
    }.sorted { $0.value.lexicographicallyPrecedes($1.value) }
    #expect(groups.elementsEqual(expected, by: ==))
    #expect(index.root.entryCount == expected.count)
  }

  @Test func fullTextIndexOfTownsHoldsEachWordWithItsKeys() throws {
    let file = try file()
    let index = try #require(try Self.classes(of: file)[0].properties[2].fullText)
    let leaves = try file.leaves(index.root, treeID: index.treeID, .indexLeaf)
    let groups = try leaves.flatMap { try FormatIndexLeaf($0.page.payload).groups }
    let expected = GoldenObjects.townWords.map { token, people in
      (value: [0x30] + Array(token.utf8) + [0, 0], keys: people.map { $0 ^ 1 << 63 })
    }
    #expect(groups.elementsEqual(expected, by: ==))
    #expect(index.root.entryCount == 18)
  }

  @Test func backlinksHoldTheSourcesOfEachTarget() throws {
    let file = try file()
    let backlinks = try #require(try Self.classes(of: file)[0].properties[4].backlinks)
    let leaves = try file.leaves(backlinks.root, treeID: backlinks.treeID, .indexLeaf)
    let groups = try leaves.flatMap { try FormatIndexLeaf($0.page.payload).groups }
      .filter { !$0.keys.isEmpty }
    var expected: [UInt64: [UInt64]] = [:]
    for (source, friend) in zip(UInt64(1)..., GoldenObjects.friends) {
      guard let friend else { continue }
      expected[UInt64(friend) ^ 1 << 63, default: []].append(source ^ 1 << 63)
    }
    #expect(groups.count == expected.count)
    for (value, keys) in groups {
      #expect(value.count == 9 && value[0] == 0x20)
      // The value is the target's key.
      #expect(keys == expected[FormatReader.bigEndian(value.dropFirst())])
    }
  }

  @Test func pendingLinkIsFoundFromBothEnds() throws {
    let file = try file()
    let meta = try Self.meta(of: file)
    let entries = try file.entries(meta.pending.root, treeID: 2)
    #expect(entries.count == 2)
    let target: [UInt8] = [0, 0, 0, 1, 0x20, 0x80, 0, 0, 0, 0, 0, 0, 99]
    let source: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 18, 0, 0, 0, 0]
    #expect(entries.first?.key == [UInt8(ascii: "s")] + source)
    #expect(entries.first?.value == target)
    #expect(entries.last?.key == [UInt8(ascii: "t")] + target + source)
    #expect(entries.last?.value == [])
  }

  @Test func namedTreeHasItsEntries() throws {
    let file = try file()
    let entries = try file.entries(file.slot.catalogue, treeID: 1)
    let key = [UInt8(ascii: "t")] + Array("notes".utf8)
    let value = try #require(entries.first { $0.key == key }?.value)
    let tree = try FormatTree(named: value)
    #expect(try Self.meta(of: file).nextTreeID > UInt64(tree.treeID))
    let notes = try file.entries(tree.root, treeID: tree.treeID)
    #expect(notes.elementsEqual(GoldenObjects.notes, by: ==))
  }

  // MARK: Ways into the file

  private func file() throws -> FormatFile { try FormatFile(GoldenObjects.bytes()) }

  static func classes(of file: FormatFile) throws -> [FormatClass] {
    try file.entries(file.slot.catalogue, treeID: 1).filter { $0.key.first == UInt8(ascii: "c") }
      .map { try FormatClass($0.value) }
  }

  static func meta(of file: FormatFile) throws -> (nextTreeID: UInt64, pending: FormatTree) {
    let entries = try file.entries(file.slot.catalogue, treeID: 1)
    let value = try #require(entries.first { $0.key == [UInt8(ascii: "m")] }?.value)
    var reader = FormatReader(value)
    let nextTreeID = try reader.varint("nextTreeID")
    _ = try reader.varint("nextClassID")
    let treeID = Int(try reader.varint("pendingLinks.treeID"))
    return (nextTreeID, FormatTree(treeID: treeID, root: try reader.root("pendingLinks")))
  }

  static func peoplePage(of file: FormatFile) throws -> FormatPage {
    let rows = try classes(of: file)[0].rows
    return try file.page(rows.root.reference, .rowGroup, treeID: rows.treeID)
  }

  static func external(of file: FormatFile, _ className: String, _ property: String) throws
    -> FormatRowGroup.External
  {
    let record = try #require(try classes(of: file).first { $0.name == className })
    let leaves = try file.leaves(record.rows.root, treeID: record.rows.treeID, .rowGroup)
    let rowGroup = try FormatRowGroup(try #require(leaves.first).page.payload)
    let column = try #require(record.properties.first { $0.name == property }?.id)
    return try #require(rowGroup.external(column, 8).first)
  }
}
