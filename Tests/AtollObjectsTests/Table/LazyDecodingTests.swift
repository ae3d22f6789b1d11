import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct LazyDecodingTests {
  private let layout = RowGroupLayout([
    RowGroupLayout.Column(id: 1, layout: ColumnLayout(.int)),
    RowGroupLayout.Column(id: 2, layout: ColumnLayout(.string)),
    RowGroupLayout.Column(id: 5, layout: ColumnLayout(.double, isOptional: true)),
    RowGroupLayout.Column(id: 6, layout: ColumnLayout(.string, .list)),
  ])

  private func encode() throws -> (bytes: [UInt8], zones: ZoneMaps) {
    var random = SplitMix64(seed: 1)
    let builder = RowGroupBuilder(layout)
    for row in 0..<300 {
      try builder.appendKey(UInt64(row))
      for column in layout.columns {
        try builder.column(column.id).append(column.layout.random(1, &random))
      }
    }
    var bytes: [UInt8] = []
    let zones = try builder.encode(into: &bytes)
    return (bytes, zones)
  }

  @Test func nothingIsDecodedToCopyARowGroup() throws {
    let (bytes, zones) = try encode()
    let builder = try RowGroupBuilder(opening: open(bytes), layout, zones: zones)
    var copy: [UInt8] = []
    let copiedZones = try builder.encode(into: &copy)
    #expect(copy == bytes)
    #expect(copiedZones.bytes == zones.bytes)
    #expect(builder.decodedColumnCount == 0)
  }

  @Test func readingDecodesNoColumnAndWritingOne() throws {
    let (bytes, zones) = try encode()
    let cache = DecodedCache(byteLimit: 1 << 20)
    let view = try open(bytes, cache: cache, page: PageIdentity(block: 1, checksum: 1))
    let builder = try RowGroupBuilder(opening: view, layout, zones: zones)
    _ = try builder.value(1, 17)
    #expect(builder.decodedColumnCount == 0)
    try builder.column(1).set(17, .int(5_000_000))
    #expect(builder.decodedColumnCount == 1)
    #expect(isSame(try builder.value(1, 17), .int(5_000_000)))

    var changed: [UInt8] = []
    let newZones = try builder.encode(into: &changed)
    #expect(builder.decodedColumnCount == 1)
    #expect(cache.statistics == DecodedCache.Statistics(), "no bytes were decompressed")
    let again = try open(changed)
    #expect(isSame(try again.column(1, ColumnLayout(.int)).value(17), .int(5_000_000)))
    for column in layout.columns.dropFirst() {
      let old = try view.column(column.id, column.layout)
      let new = try again.column(column.id, column.layout)
      for row in 0..<300 { #expect(isSame(try new.value(row), try old.value(row))) }
      #expect(newZones.zone(column.id) == zones.zone(column.id))
    }
    #expect(newZones.zone(1) != zones.zone(1))
  }

  @Test func aRowMoreDecodesAll() throws {
    let (bytes, _) = try encode()
    let builder = try RowGroupBuilder(opening: open(bytes), layout)
    _ = try builder.insertRow(1000)
    #expect(builder.decodedColumnCount == 4)
  }

  @Test func aColumnThatTheTableNoLongerHasIsDropped() throws {
    let (bytes, zones) = try encode()
    let rest = RowGroupLayout([layout.columns[0], layout.columns[2]])
    let builder = try RowGroupBuilder(opening: open(bytes), rest, zones: zones)
    var smaller: [UInt8] = []
    _ = try builder.encode(into: &smaller)
    #expect(smaller.count < bytes.count / 2)
    let column = try open(smaller).column(2, ColumnLayout(.string))
    #expect(isSame(try column.value(0), .string("")))
  }

  @Test func aColumnThatTheTableNewlyHasIsWrittenWhenItIsSet() throws {
    let (bytes, zones) = try encode()
    let more = RowGroupLayout(
      layout.columns + [RowGroupLayout.Column(id: 9, layout: ColumnLayout(.int, isOptional: true))])
    let builder = try RowGroupBuilder(opening: open(bytes), more, zones: zones)
    #expect(try builder.value(9, 3).isNull)
    try builder.column(9).set(3, .int(33))
    var larger: [UInt8] = []
    _ = try builder.encode(into: &larger)
    let column = try open(larger).column(9, ColumnLayout(.int, isOptional: true))
    #expect(isSame(try column.value(3), .int(33)))
    #expect(try column.value(4).isNull)
  }

  @Test func theEstimateIsNearTheEncoding() throws {
    let (bytes, _) = try encode()
    let builder = try RowGroupBuilder(opening: open(bytes), layout)
    #expect(abs(builder.estimatedByteCount - bytes.count) <= 64)
    _ = try builder.insertRow(1000)
    var again: [UInt8] = []
    _ = try builder.encode(into: &again)
    #expect(abs(builder.estimatedByteCount - again.count) < again.count / 5)
  }
}
