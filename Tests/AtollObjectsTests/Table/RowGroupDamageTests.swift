import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Damaged row groups: an error, or other values, never a trap. (A page's checksum finds such
/// damage before; this is the second line.)
@Suite(.computing) struct RowGroupDamageTests {
  private let layout = RowGroupLayout(
    ColumnLayout.all.enumerated().map {
      RowGroupLayout.Column(id: UInt32($0.offset + 1), layout: $0.element)
    })

  /// An encoded row group with a column of every layout.
  private func encode(seed: UInt64, store: MemoryStore) throws -> (bytes: [UInt8], zones: ZoneMaps)
  {
    var random = SplitMix64(seed: seed)
    let builder = RowGroupBuilder(layout, store: store)
    let rowCount = 1 + random.below(90)
    let spread = random.below(4)
    for row in 0..<rowCount {
      try builder.appendKey(UInt64(row + (seed % 2 == 0 ? row * row : 0)))
      for column in layout.columns {
        try builder.column(column.id).append(column.layout.random(spread, &random))
      }
    }
    var bytes: [UInt8] = []
    let zones = try builder.encode(into: &bytes)
    return (bytes, zones)
  }

  /// Reads everything that can be read, and returns how much gave an error.
  private func readAll(_ bytes: [UInt8], store: MemoryStore?) -> Int {
    guard let view = try? open(bytes, store: store) else { return 1 }
    var errorCount = 0
    for row in 0..<view.rowCount {
      _ = view.row(ofKey: view.key(row))
      _ = view.lowerBound(ofKey: view.key(row) &+ 1)
    }
    for column in layout.columns {
      guard let read = try? view.column(column.id, column.layout) else {
        errorCount += 1
        continue
      }
      for row in 0..<min(read.count, 200) {
        do { _ = try read.value(row) } catch { errorCount += 1 }
        _ = read.elements(row)
      }
      if let vector = read.bytes {
        for row in 0..<min(vector.count, 200) { _ = vector.byteCount(row) }
        if let view = try? vector.open() {
          for row in 0..<min(view.count, 200) { _ = try? view.bytes(row).count }
          _ = "abc".utf8.withContiguousStorageIfAvailable {
            view.lowerBound(of: UnsafeRawBufferPointer($0))
          }
        }
      }
      if let vector = read.keys, vector.count > 0 { _ = vector.byteCount(0) }
    }
    if let builder = try? RowGroupBuilder(opening: view, layout, store: store),
      view.rowCount < 1000, (try? builder.insertRow(.max)) != nil
    {
      var again: [UInt8] = []
      _ = try? builder.encode(into: &again)
    }
    return errorCount
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func flippedBytesNeverTrap(seed: UInt64) throws {
    var random = SplitMix64(seed: seed ^ 0xDA_3A6E)
    let store = MemoryStore()
    let (whole, _) = try encode(seed: seed, store: store)
    #expect(readAll(whole, store: store) == 0)
    for round in 0..<40 {
      var bytes = whole
      // Half of the damage goes to the header, the directory and the first headers of vectors.
      let limit = round % 2 == 0 ? bytes.count : min(bytes.count, 6000)
      for _ in 0...random.below(3) {
        let value: UInt8 =
          switch random.below(4) {
          case 0: 0xFF
          case 1: 0
          case 2: bytes[random.below(limit)]
          default: UInt8(truncatingIfNeeded: random.next())
          }
        bytes[random.below(limit)] = value
      }
      _ = readAll(bytes, store: round % 4 == 0 ? nil : store)
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func cutOffBytesAreRefusedOrNotLookedAt(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = MemoryStore()
    let (whole, _) = try encode(seed: seed, store: store)
    for _ in 0..<20 {
      let count = random.below(whole.count)
      #expect(readAll(Array(whole.prefix(count)), store: store) > 0)
    }
  }

  /// Deleting a row needs every column; one that is damaged leaves the others as they were.
  @Test func aRowThatCannotBeTakenOutLeavesAllRowsWhole() throws {
    var failureCount = 0
    for seed in 0..<24 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let store = MemoryStore()
      let (whole, zones) = try encode(seed: seed, store: store)
      var bytes = whole
      bytes[16 + random.below(bytes.count - 16)] ^= 1 << UInt8(random.below(8))
      guard let view = try? open(bytes, store: store), view.rowCount > 1,
        let builder = try? RowGroupBuilder(opening: view, layout, zones: zones, store: store)
      else { continue }
      let values = layout.columns.map { column in
        (0..<view.rowCount).map { try? view.column(column.id, column.layout).value($0) }
      }
      do {
        try builder.removeRows([0])
      } catch {
        failureCount += 1
        #expect(builder.rowCount == view.rowCount)
        for (column, values) in zip(layout.columns, values) {
          for (row, value) in values.enumerated() where value != nil {
            #expect((try? builder.value(column.id, row)) == value)
          }
        }
      }
    }
    #expect(failureCount > 2)
  }

  /// Each vector alone, with every byte of its header replaced: the checks of each header field.
  ///
  /// Few rows are stored as they are, more are compressed.
  @Test(arguments: ColumnLayout.all, [6, 70])
  func everyHeaderByteIsChecked(layout: ColumnLayout, rowCount: Int) throws {
    var random = SplitMix64(seed: 5)
    let store = MemoryStore()
    let builder = RowGroupBuilder(
      RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]), store: store)
    for row in 0..<rowCount {
      try builder.appendKey(UInt64(row))
      try builder.column(1).append(layout.random(1, &random))
    }
    var whole: [UInt8] = []
    _ = try builder.encode(into: &whole)
    for offset in 0..<min(whole.count, 300) {
      for value in [0, 1, 3, 8, 0xFF] as [UInt8] where whole[offset] != value {
        var bytes = whole
        bytes[offset] = value
        guard let view = try? open(bytes, store: store),
          let column = try? view.column(1, layout)
        else { continue }
        // The last rows are the ones that damage moves out of bounds.
        for row in [0, column.count / 2, column.count - 1] where row >= 0 && row < column.count {
          _ = try? column.value(row)
        }
        _ = try? column.bytes?.open()
      }
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func damagedZoneMapsNeverTrap(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (_, zones) = try encode(seed: seed, store: MemoryStore())
    for _ in 0..<100 {
      var bytes = zones.bytes
      for _ in 0...random.below(3) {
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      bytes.removeLast(random.below(bytes.count))
      for column in layout.columns { _ = ZoneMaps(bytes).zone(column.id) }
    }
  }

  @Test func anExternalValueWithoutAStoreIsAnError() throws {
    let layout = ColumnLayout(.string)
    let builder = RowGroupBuilder(
      RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]), store: MemoryStore())
    try builder.appendKey(1)
    try builder.column(1).append(.string(String(repeating: "x", count: 9000)))
    var bytes: [UInt8] = []
    _ = try builder.encode(into: &bytes)
    let column = try open(bytes).column(1, layout)
    let error = ColumnError.corrupted(.externalWithoutStore).at(0, .column(1))
    #expect(throws: error) { try column.value(0) }
  }

  @Test func emptyBytesAreRefused() {
    #expect(throws: ColumnError.self) { try open([]) }
    #expect(throws: ColumnError.self) { try open([UInt8](repeating: 0, count: 16)) }
  }
}
