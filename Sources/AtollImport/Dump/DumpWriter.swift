package import AtollObjects

/// Writes the objects of one version as JSON lines, which `Importer` and `DumpImporter` read.
package struct DumpWriter {
  private let snapshot: Snapshot
  /// Called with the bytes of each line.
  private let write: ([UInt8]) throws -> Void
  /// Called after some objects: of which class, how many of how many.
  private let progress: (String, Int, Int) -> Void

  package init(
    _ snapshot: Snapshot, progress: @escaping (String, Int, Int) -> Void = { _, _, _ in },
    write: @escaping ([UInt8]) throws -> Void
  ) {
    self.snapshot = snapshot
    self.progress = progress
    self.write = write
  }

  /// Writes the objects of one class.
  package func writeClass(_ name: String) throws {
    try objects(
      of: try snapshot.table(name), ValuePresenter(snapshot, notation: .records)
    ) { writer, _, entries in writer.value(.map(entries)) }
  }

  /// Writes all classes and their objects.
  package func writeAll() throws {
    var writer = JSONWriter()
    let classes = snapshot.schema.classes
    for description in classes {
      writer.removeAll()
      writer.value(.map([.init("class", .map(description.json))]))
      writer.endLine()
      try write(writer.bytes)
    }
    let presenter = ValuePresenter(snapshot, notation: .dump)
    // Embedded objects are written where their owners are.
    for description in classes where !description.isEmbedded {
      let table = try snapshot.table(description.name)
      try objects(of: table, presenter) { writer, object, entries in
        var line = [OutputValue.Entry("of", table.name)]
        if table.schema.primaryKey == nil { line.append(.init("key", object.key.rawValue)) }
        writer.value(.map(line + [.init("object", presenter.object(entries))]))
      }
    }
  }

  private func objects(
    of table: Table, _ presenter: ValuePresenter,
    line: (inout JSONWriter, Object, [OutputValue.Entry]) -> Void
  ) throws {
    let columns = table.schema.columns
    let objectCount = table.count
    var writer = JSONWriter()
    var doneCount = 0
    try table.forEach { object in
      let values = try presenter.values(of: object, columns)
      writer.removeAll()
      line(&writer, object, zip(columns, values).map { OutputValue.Entry($0.name, $1) })
      writer.endLine()
      try write(writer.bytes)
      doneCount += 1
      if doneCount % 256 == 0 { progress(table.name, doneCount, objectCount) }
    }
  }
}
