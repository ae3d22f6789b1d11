import AtollImport
import AtollObjects
import AtollQuery

/// The demo of one file without a server: import, queries, versions, sizes.
struct LocalTour {
  let path: String
  let context: CommandContext

  func run() throws {
    try context.output.write(
      "Atoll keeps objects, their links and their indexes in one file.\n"
        + "Data: GeoNames (geonames.org), CC BY 4.0, a small extract.\n")
    try context.withDatabase(path, options: .init(mode: .create)) { database in
      try importData(into: database)
      try queries(database)
      try snapshotAndUpdate(database)
      try sizes(database)
    }
  }

  private func heading(_ text: String) throws {
    try context.output.write("\n" + text + "\n\n")
    try context.output.flush()
  }

  private func importData(into database: Database) throws {
    try heading("1. Import: types come from the data; links are given by primary key")
    try importData(
      DemoData.cities, of: "City", into: database,
      ImportOptions(
        primaryKey: "id", indexes: ["name", "population"], fullTexts: ["name"],
        links: [.init(property: "country", target: "Country")]))
    try importData(
      DemoData.countries, of: "Country", into: database,
      ImportOptions(
        primaryKey: "iso", indexes: ["name"],
        links: [.init(property: "continent", target: "Continent")],
        listLinks: [.init(property: "neighbours", target: "Country")]))
    try importData(
      DemoData.continents, of: "Continent", into: database, ImportOptions(primaryKey: "code"))
    try context.output.write(
      "\n  The cities came first: their links waited in the file until the countries came.\n")
  }

  private func importData(
    _ data: String, of className: String, into database: Database, _ options: ImportOptions
  ) throws {
    let start = context.now()
    let importer = Importer(
      destination: ImportDestination(database), className: className, options: options,
      batchRecordCount: 10_000)
    let summary: Importer.Summary
    do {
      summary = try importer.run(readingTwice: { JSONReader(MemorySource(data)) })
    } catch let error as ImportError {
      throw CommandError(error.description(name: "the demo's \(className) data"))
    }
    let waiting = try database.snapshot().pendingLinkCount
    let elapsed = Quantity.duration(context.now() - start)
    let objects = Quantity.count(summary.createdCount, "object", "objects")
    var text = "  \(className): \(objects), \(elapsed)"
    if waiting > 0 { text += "; \(Quantity.count(waiting, "link waits", "links wait"))" }
    try context.output.write(text + "\n")
  }

  /// A query of the tour, and which properties to show.
  private struct Question {
    var title: String
    var className: String
    var text: String
    var columns: [String]
  }

  private static let questions = [
    Question(
      title: "the largest cities", className: "City",
      text: "population > 10000000 SORT(population DESC) LIMIT(5)",
      columns: ["name", "country", "population"]),
    Question(
      title: "text, by the index on name", className: "City",
      text: "name BEGINSWITH 'San' SORT(name ASC) LIMIT(5)",
      columns: ["name", "country", "population"]),
    Question(
      title: "along links: large cities of Europe", className: "City",
      text: "country.continent.code == 'EU' AND population > 1000000 "
        + "SORT(population DESC) LIMIT(5)",
      columns: ["name", "country", "population"]),
    Question(
      title: "lists: München by any of its names, in any case", className: "City",
      text: "ANY alternateNames ==[c] 'münchen'",
      columns: ["name", "country", "population"]),
    Question(
      title: "back along links: countries beside one in S…, with several cities here",
      className: "Country",
      text: "ANY neighbours.name BEGINSWITH 'S' AND @links.City.country.@count > 3 "
        + "SORT(population DESC) LIMIT(5)",
      columns: ["name", "neighbours", "population"]),
  ]

  private func queries(_ database: Database) throws {
    let snapshot = try database.snapshot()
    for (index, question) in Self.questions.enumerated() {
      try heading("2.\(index + 1) Query, \(question.title)")
      try context.output.write("  atoll query geo.atoll \(question.className) \\\n")
      try context.output.write("    \"\(question.text)\"\n\n")
      let start = context.now()
      let count = try show(question, snapshot)
      let elapsed = Quantity.duration(context.now() - start)
      try context.output.write(
        "\n  \(Quantity.count(count, "object", "objects")), \(elapsed)\n")
    }
  }

  private func show(_ question: Question, _ snapshot: Snapshot) throws -> Int {
    let table = try snapshot.table(question.className)
    let columns = try question.columns.map { try table.column($0) }
    var printer = ObjectPrinter(
      columns, ValuePresenter(snapshot), isJSON: false, output: context.output)
    let results = try Query(question.text, on: question.className, in: snapshot.schema)
      .results(in: snapshot)
    try results.forEach { try printer.add($0) }
    try printer.finish()
    return results.count
  }

  private func snapshotAndUpdate(_ database: Database) throws {
    try heading("3. A reader keeps its version while others write")
    let question = Question(
      title: "", className: "Continent", text: "code == 'AN'", columns: ["name", "population"])
    let before = try database.snapshot()
    try database.write { transaction in
      _ = try transaction.upsert(
        "Continent", primaryKey: .string("AN"), ["population": .int(1101)])
    }
    let after = try database.snapshot()
    try context.output.write(
      "  One more person winters in Antarctica. A reader from before, version "
        + "\(before.version):\n\n")
    _ = try show(question, before)
    try context.output.write("\n  And one from now, version \(after.version):\n\n")
    _ = try show(question, after)
  }

  private func sizes(_ database: Database) throws {
    try heading("4. Sizes")
    let status = try database.status()
    try context.output.write(
      "  file \(Quantity.bytes(status.fileByteCount)), "
        + "live \(Quantity.bytes(status.liveByteCount)), "
        + "free \(Quantity.bytes(status.freeByteCount))\n")
    let dataByteCount = [DemoData.continents, DemoData.countries, DemoData.cities]
      .reduce(0) { $0 + $1.utf8.count }
    try context.output.write(
      "  The data was \(Quantity.bytes(dataByteCount)) of JSON, without any index.\n")
  }
}
