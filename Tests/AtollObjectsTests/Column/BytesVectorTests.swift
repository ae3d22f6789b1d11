import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct BytesVectorTests {
  private let layout = ColumnLayout(.string)

  private func encode(_ strings: [String]) throws -> [UInt8] {
    let builder = RowGroupBuilder(RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]))
    for (row, string) in strings.enumerated() {
      try builder.appendKey(UInt64(row))
      try builder.column(1).append(.string(string))
    }
    var bytes: [UInt8] = []
    _ = try builder.encode(into: &bytes)
    return bytes
  }

  @Test func fewDistinctValuesBecomeASortedDictionary() throws {
    let strings = (0..<400).map { "City\($0 * 7 % 90)" }
    let column = try open(encode(strings)).column(1, layout)
    let vector = try #require(column.bytes)
    let codes = try #require(vector.codes)
    #expect(vector.entryCount == 90)
    let view = try vector.open()
    let entries = (0..<90).map { String(decoding: view.entry($0), as: UTF8.self) }
    #expect(entries == Set(strings).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for row in 0..<400 {
      #expect(entries[Int(codes[row])] == strings[row])
      #expect(vector.byteCount(row) == strings[row].utf8.count)
      var string = strings[row]
      #expect(string.withUTF8 { view.code(of: UnsafeRawBufferPointer($0)) } == Int(codes[row]))
    }
    var absent = "City5x"
    #expect(absent.withUTF8 { view.code(of: UnsafeRawBufferPointer($0)) } == nil)
    withExtendedLifetime(column) {}
  }

  @Test func distinctValuesAreCompressedAndReadThroughTheCache() throws {
    let strings = (0..<400).map { "user\($0)@example\($0 * 31 % 1000).com" }
    let bytes = try encode(strings)
    let cache = DecodedCache(byteLimit: 1 << 20)
    let page = PageIdentity(block: 12, checksum: 99)
    let column = try open(bytes, cache: cache, page: page).column(1, layout)
    let vector = try #require(column.bytes)
    #expect(vector.isCompressed)
    #expect(vector.codes == nil)
    for row in 0..<400 { #expect(vector.byteCount(row) == strings[row].utf8.count) }
    #expect(cache.statistics.missCount == 0, "lengths are read without the bytes")
    for row in 0..<400 { #expect(isSame(try column.value(row), .string(strings[row]))) }
    #expect(cache.statistics.missCount == 1)
    #expect(cache.statistics.hitCount == 399)
  }

  @Test func shortVectorsAreReadInPlace() throws {
    let strings = (0..<20).map { "\($0)-\($0)" }
    let cache = DecodedCache(byteLimit: 1 << 20)
    let column = try open(
      encode(strings), cache: cache, page: PageIdentity(block: 1, checksum: 1)
    ).column(1, layout)
    #expect(column.bytes?.isCompressed == false)
    for row in 0..<20 { #expect(isSame(try column.value(row), .string(strings[row]))) }
    #expect(cache.statistics == DecodedCache.Statistics())
  }

  @Test func anUncompressedVectorFindsEntriesFromItsCheckpoints() throws {
    var random = SplitMix64(seed: 4)
    // Random bytes do not compress.
    let layout = ColumnLayout(.data)
    let builder = RowGroupBuilder(RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]))
    var model: [[UInt8]] = []
    for row in 0..<333 {
      model.append((0..<random.below(30)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      try builder.appendKey(UInt64(row))
      try builder.column(1).append(.data(model[row]))
    }
    var bytes: [UInt8] = []
    _ = try builder.encode(into: &bytes)
    let column = try open(bytes).column(1, layout)
    #expect(column.bytes?.isCompressed == false)
    let view = try #require(try column.bytes?.open())
    for row in 0..<333 {
      #expect(isSame(try column.value(row), .data(model[row])))
      #expect(Array(try view.bytes(row)) == model[row])
    }
    withExtendedLifetime(column) {}
  }
}
