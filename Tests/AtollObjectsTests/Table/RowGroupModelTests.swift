import AtollObjects
import AtollStorage
import TestSupport
import TestThreads
import Testing

/// Random operations on a row group, against an array of rows.
@Suite(.computing) struct RowGroupModelTests {
  struct Row {
    var key: UInt64
    var values: [Value]
  }

  /// A table of random layouts, and the rows a row group of it should have.
  struct Model {
    let layout: RowGroupLayout
    var rows: [Row] = []

    init(_ random: inout SplitMix64) {
      var id: UInt32 = 0
      layout = RowGroupLayout(
        (0..<(1 + random.below(6))).map { _ in
          id += UInt32(1 + random.below(40))
          return RowGroupLayout.Column(
            id: id, layout: ColumnLayout.all[random.below(ColumnLayout.all.count)])
        })
    }

    func row(ofKey key: UInt64) -> Int? { rows.firstIndex { $0.key == key } }
  }

  private func expect(
    _ builder: RowGroupBuilder, is model: Model, _ comment: Comment
  ) throws {
    builder.checkInvariants()
    #expect(builder.rowCount == model.rows.count, comment)
    for (row, expected) in model.rows.enumerated() {
      #expect(builder.key(row) == expected.key, comment)
      for (column, value) in zip(model.layout.columns, expected.values) {
        #expect(isSame(try builder.value(column.id, row), value), comment)
      }
    }
  }

  private func expect(
    _ view: RowGroupPage, is model: Model, zones: ZoneMaps, _ comment: Comment
  ) throws {
    #expect(view.rowCount == model.rows.count, comment)
    for (row, expected) in model.rows.enumerated() {
      #expect(view.key(row) == expected.key, comment)
      #expect(view.row(ofKey: expected.key) == row, comment)
      if model.row(ofKey: expected.key &+ 1) == nil {
        #expect(view.row(ofKey: expected.key &+ 1) == nil, comment)
      }
    }
    for (index, column) in model.layout.columns.enumerated() {
      let read = try view.column(column.id, column.layout)
      for (row, expected) in model.rows.enumerated() {
        #expect(isSame(try read.value(row), expected.values[index]), comment)
      }
      if let zone = zones.zone(column.id) {
        expectBounds(zone, model.rows.map { $0.values[index] }, comment)
      } else {
        #expect(column.layout.collection != .none, comment)
      }
    }
  }

  /// Opens what the builder encodes, as the next transaction would.
  private func reopen(
    _ builder: RowGroupBuilder, _ model: Model, _ store: MemoryStore, _ comment: Comment
  ) throws -> RowGroupBuilder {
    var bytes: [UInt8] = []
    let zones = try builder.encode(into: &bytes)
    let view = try open(bytes, store: store)
    try expect(view, is: model, zones: zones, comment)
    return try RowGroupBuilder(
      opening: view, model.layout, zones: ZoneMaps(zones.bytes), store: store)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func behavesAsAnArrayOfRows(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = MemoryStore()
    var model = Model(&random)
    let spread = random.below(4)
    let keyRange = [40, 400, Int.max][random.below(3)]
    var builder = RowGroupBuilder(model.layout, store: store)

    for batch in 0..<8 {
      for _ in 0..<random.below(30) {
        let row = model.rows.isEmpty ? 0 : random.below(model.rows.count)
        let columnIndex = random.below(model.layout.columns.count)
        let column = model.layout.columns[columnIndex]
        switch random.below(10) {
        case 0..<3:
          let key = (model.rows.last?.key ?? 0) + 1 + UInt64(random.below(3))
          try builder.appendKey(key)
          let values = model.layout.columns.map { $0.layout.random(spread, &random) }
          for (column, value) in zip(model.layout.columns, values) {
            try builder.column(column.id).append(value)
          }
          model.rows.append(Row(key: key, values: values))
        case 3..<5:
          let key = UInt64(random.below(keyRange))
          guard model.row(ofKey: key) == nil else { continue }
          let place = try builder.insertRow(key)
          let expected = model.rows.firstIndex { $0.key > key } ?? model.rows.count
          #expect(place == expected)
          model.rows.insert(
            Row(key: key, values: model.layout.columns.map(\.layout.defaultValue)), at: place)
        case 5 where !model.rows.isEmpty:
          let share = random.below(4)
          let rows = model.rows.indices.filter { $0 == row || share > 0 && random.below(9) < share }
          try builder.removeRows(rows)
          for row in rows.reversed() { model.rows.remove(at: row) }
        case 6... where !model.rows.isEmpty:
          let value = column.layout.random(spread, &random)
          try builder.column(column.id).set(row, value)
          model.rows[row].values[columnIndex] = value
        default: break
        }
      }
      try expect(builder, is: model, "seed \(seed), batch \(batch)")
      if random.below(3) > 0 {
        builder = try reopen(builder, model, store, "seed \(seed), batch \(batch)")
      }
      if random.below(4) == 0 {
        let place = random.below(model.rows.count + 1)
        var right = try builder.split(at: place)
        var left = model
        left.rows.removeSubrange(place...)
        var rest = model
        rest.rows.removeSubrange(..<place)
        try expect(builder, is: left, "left of seed \(seed), batch \(batch)")
        try expect(right, is: rest, "right of seed \(seed), batch \(batch)")
        if random.below(2) == 0 { right = try reopen(right, rest, store, "right, seed \(seed)") }
        if random.below(2) == 0 { builder = try reopen(builder, left, store, "left, seed \(seed)") }
        try builder.append(contentsOf: right)
        try expect(builder, is: model, "merged, seed \(seed), batch \(batch)")
      }
    }

    // Nothing in the store is lost and nothing is left over.
    builder = try reopen(builder, model, store, "seed \(seed), at the end")
    #expect(try builder.outsideValues().count == store.values.count)
    try builder.removeRows(Array(model.rows.indices))
    var bytes: [UInt8] = []
    _ = try builder.encode(into: &bytes)
    #expect(store.values.isEmpty)
  }
}

/// Every value lies in the bounds, and the nulls are counted.
func expectBounds(_ zone: Zone, _ values: [Value], _ comment: Comment) {
  #expect(zone.nullCount == values.count { $0.isNull }, comment)
  for value in values where !value.isNull {
    switch (zone.bounds, value) {
    case (.unknown, _): break
    case (.ints(let least, let greatest), .int(let value)):
      #expect(least <= value && value <= greatest, comment)
    case (.ints(let least, let greatest), .bool(let value)):
      #expect(least <= (value ? 1 : 0) && (value ? 1 : 0) <= greatest, comment)
    case (.ints(let least, let greatest), .date(let value)):
      #expect(least <= value.seconds && value.seconds <= greatest, comment)
    case (.ints(let least, let greatest), .link(let value)):
      let key = Int64(bitPattern: value.key)
      #expect(least <= key && key <= greatest, comment)
    case (.doubles(let least, let greatest, let hasNaN), .double(let value)):
      #expect(value.isNaN ? hasNaN : least <= value && value <= greatest, comment)
    case (.doubles(let least, let greatest, let hasNaN), .float(let value)):
      #expect(value.isNaN ? hasNaN : least <= Double(value) && Double(value) <= greatest, comment)
    case (.prefixes(let least, let greatest), .string(let value)):
      let prefix = Array(value.utf8.prefix(8)) + [UInt8](repeating: 0, count: 8)
      let number = prefix[..<8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      #expect(least <= number && number <= greatest, comment)
    default:
      Issue.record("no bounds of this form for \(value)")
    }
  }
}
