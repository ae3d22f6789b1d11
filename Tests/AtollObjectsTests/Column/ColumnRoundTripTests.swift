import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct ColumnRoundTripTests {
  @Test(arguments: ColumnLayout.all)
  func everyLayoutReadsBackWhatWasWritten(layout: ColumnLayout) throws {
    for spread in 0..<4 {
      for rowCount in [0, 1, 2, 64, 65, 200] {
        var random = SplitMix64(seed: UInt64(rowCount * 10 + spread))
        let store = MemoryStore()
        let builder = RowGroupBuilder(
          RowGroupLayout([RowGroupLayout.Column(id: 9, layout: layout)]), store: store)
        var model: [Value] = []
        for row in 0..<rowCount {
          try builder.appendKey(UInt64(row * row))
          model.append(layout.random(spread, &random))
          try builder.column(9).append(model[row])
        }
        for row in 0..<rowCount { #expect(isSame(try builder.value(9, row), model[row])) }

        var bytes: [UInt8] = []
        _ = try builder.encode(into: &bytes)
        let view = try open(bytes, store: store)
        let column = try view.column(9, layout)
        #expect(view.rowCount == rowCount)
        for row in 0..<rowCount {
          #expect(view.key(row) == UInt64(row * row))
          #expect(isSame(try column.value(row), model[row]), "row \(row) of spread \(spread)")
        }
        // What was moved to the store is still readable in the builder.
        for row in 0..<rowCount { #expect(isSame(try builder.value(9, row), model[row])) }
      }
    }
  }

  @Test(arguments: ColumnLayout.all)
  func aColumnThatTheRowGroupDoesNotHaveReadsAsDefaults(layout: ColumnLayout) throws {
    let builder = RowGroupBuilder(RowGroupLayout([]))
    for row in 0..<70 { try builder.appendKey(UInt64(row)) }
    var bytes: [UInt8] = []
    _ = try builder.encode(into: &bytes)
    let column = try open(bytes).column(4, layout)
    for row in 0..<70 { #expect(isSame(try column.value(row), layout.defaultValue)) }
  }

  @Test(arguments: ColumnLayout.all)
  func aDefaultRowReadsAsTheDefault(layout: ColumnLayout) throws {
    let column = ColumnBuilder(layout)
    column.appendDefault()
    #expect(isSame(try column.value(0), layout.defaultValue))
  }

  @Test(arguments: ColumnLayout.all)
  func aValueOfAnotherTypeIsRefusedAndChangesNothing(layout: ColumnLayout) throws {
    let column = ColumnBuilder(layout)
    var random = SplitMix64(seed: 1)
    let value = layout.random(1, &random)
    try column.append(value)
    let wrong: Value =
      switch layout.collection {
      case .none: layout.value == .mixed ? .null : .list([])
      case .list: .set([])
      case .set: .map(ValueMap())
      case .map: .list([])
      }
    guard !(layout.value == .mixed && layout.collection == .none) else { return }
    #expect(throws: ColumnError.typeMismatch(layout)) { try column.set(0, wrong) }
    #expect(throws: ColumnError.typeMismatch(layout)) { try column.append(wrong) }
    #expect(column.count == 1)
    #expect(isSame(try column.value(0), value))
  }

  @Test func nullInARequiredColumnIsRefused() {
    let column = ColumnBuilder(ColumnLayout(.int))
    #expect(throws: ColumnError.nullInRequiredColumn) { try column.append(.null) }
    #expect(column.count == 0)
  }

  @Test func aLinkToAnotherTableIsRefused() {
    let layout = ColumnLayout(.link, isOptional: true, linkTable: 3)
    let column = ColumnBuilder(layout)
    #expect(throws: ColumnError.typeMismatch(layout)) {
      try column.append(.link(ObjectLink(table: 4, key: 1)))
    }
  }

  @Test func anErrorInTheMiddleOfACollectionLeavesTheRow() throws {
    let layout = ColumnLayout(.int, .list)
    let column = ColumnBuilder(layout)
    try column.append(.list([.int(1), .int(2)]))
    #expect(throws: ColumnError.typeMismatch(layout)) {
      try column.set(0, .list([.int(5), .string("six")]))
    }
    #expect(isSame(try column.value(0), .list([.int(1), .int(2)])))
  }

  @Test func aColumnOfNullsTakesNoVector() throws {
    let layout = ColumnLayout(.string, isOptional: true)
    let builder = RowGroupBuilder(RowGroupLayout([RowGroupLayout.Column(id: 1, layout: layout)]))
    for row in 0..<1000 {
      try builder.appendKey(UInt64(row))
      try builder.column(1).append(.null)
    }
    var bytes: [UInt8] = []
    let zones = try builder.encode(into: &bytes)
    #expect(bytes.count == 16 + 16 + 32)
    #expect(zones.zone(1) == Zone(nullCount: 1000, bounds: .empty))
    #expect(try open(bytes).column(1, layout).value(999).isNull)
  }
}
