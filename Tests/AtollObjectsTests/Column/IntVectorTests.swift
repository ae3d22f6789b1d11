import AtollObjects
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct IntVectorTests {
  private func vector(_ values: [Int64]) throws -> ColumnView {
    let layout = ColumnLayout(.int)
    let builder = RowGroupBuilder(RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]))
    for (row, value) in values.enumerated() {
      try builder.appendKey(UInt64(row))
      try builder.column(1).values.appendInt(value)
    }
    var bytes: [UInt8] = []
    _ = try builder.encode(into: &bytes)
    return try open(bytes).column(1, layout)
  }

  @Test(arguments: [
    (UInt64(0), 0), (1, 1), (0xFF, 1), (0x100, 2), (0xFFFF, 2), (0x1_0000, 3), (0xFF_FFFF, 3),
    (0x100_0000, 4), (0xFFFF_FFFF, 4), (0x1_0000_0000, 8), (.max, 8),
  ])
  func takesTheLeastWidthThatHoldsTheSpread(spread: UInt64, width: Int) throws {
    for base in [Int64.min, -1000, 0, 1_600_000_000] {
      var random = SplitMix64(seed: spread)
      guard base == .min || spread <= UInt64(Int64.max) - 1_600_000_000 else { continue }
      let offsets =
        [0, spread, 0]
        + (0..<97).map { _ in spread == .max ? random.next() : random.next() % (spread + 1) }
      let values = offsets.map { base &+ Int64(bitPattern: $0) }
      let column = try vector(values)
      let ints = try #require(column.ints)
      #expect(ints.width == width)
      #expect(ints.base == base)
      #expect((0..<100).map { ints[$0] } == values)
      for rows in [0..<100, 1..<99, 37..<37, 99..<100] {
        var copied = [Int64](repeating: 7, count: rows.count)
        copied.withUnsafeMutableBufferPointer { buffer in
          guard let target = buffer.baseAddress else { return }
          ints.copy(rows, into: target)
        }
        #expect(copied == Array(values[rows]))
      }
      withExtendedLifetime(column) {}
    }
  }

  @Test(arguments: [Int64(1), -1, 1000, -(1 << 40)])
  func evenlySpacedValuesTakeNoBytes(stride: Int64) throws {
    let values = (0..<500).map { 77 + Int64($0) * stride }
    let column = try vector(values)
    let ints = try #require(column.ints)
    #expect(ints.width == 0)
    #expect(ints.stride == stride)
    #expect((0..<500).map { ints[$0] } == values)
    var copied = [Int64](repeating: 0, count: 490)
    copied.withUnsafeMutableBufferPointer { ints.copy(10..<500, into: $0.baseAddress!) }
    #expect(copied == Array(values[10...]))
    withExtendedLifetime(column) {}
  }

  @Test func nullsDoNotWidenTheValues() throws {
    let layout = ColumnLayout(.int, isOptional: true)
    let builder = RowGroupBuilder(RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]))
    for row in 0..<100 {
      try builder.appendKey(UInt64(row))
      try builder.column(1).append(row % 3 == 0 ? .null : .int(1_600_000_000 + Int64(row)))
    }
    var bytes: [UInt8] = []
    let zones = try builder.encode(into: &bytes)
    let column = try open(bytes).column(1, layout)
    #expect(column.ints?.width == 1)
    #expect(
      zones.zone(1)
        == Zone(nullCount: 34, bounds: .ints(least: 1_600_000_001, greatest: 1_600_000_098)))
  }
}
