import AtollImport
import AtollObjects

/// Prints objects as a table or as JSON lines, as they come.
struct ObjectPrinter {
  private let columns: [Column]
  private let presenter: ValuePresenter
  private var rows: RowPrinter

  init(_ columns: [Column], _ presenter: ValuePresenter, isJSON: Bool, output: any ByteSink) {
    self.columns = columns
    self.presenter = presenter
    rows = RowPrinter(
      columns.map(\.name),
      isNumber: columns.map { $0.layout.collection == .none && $0.layout.value.isNumeric },
      isJSON: isJSON, output: output)
  }

  mutating func add(_ object: Object) throws {
    try rows.add(try presenter.values(of: object, columns))
  }

  mutating func finish() throws { try rows.finish() }
}

/// Prints rows of values as a table or as JSON lines, as they come.
struct RowPrinter {
  private let names: [String]
  private let output: any ByteSink
  private var table: TableRenderer?
  private var writer = JSONWriter()

  init(_ names: [String], isNumber: [Bool], isJSON: Bool, output: any ByteSink) {
    self.names = names
    self.output = output
    if !isJSON {
      table = TableRenderer(
        names: names, isNumber: isNumber, terminalWidth: output.terminalWidth)
    }
  }

  mutating func add(_ values: [OutputValue]) throws {
    if let text = table?.add(values.map(\.cell)) {
      try output.write(text)
    } else {
      writer.removeAll()
      writer.object(names, values)
      writer.endLine()
      try output.write(writer.bytes)
    }
  }

  mutating func finish() throws {
    if let text = table?.finish() { try output.write(text) }
  }
}
