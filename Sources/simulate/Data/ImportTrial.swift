internal import AtollImport
internal import AtollObjects

/// What is done with one text of data: read, and imported into databases of several kinds.
struct ImportTrial {
  enum Notation: String, CaseIterable {
    case json, csv, dump
  }

  let notation: Notation
  let bytes: [UInt8]
  var planted: PlantedCaseBug?

  /// What no data may do.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  /// What came of it.
  struct Outcome {
    /// Whether it could be read to its end.
    var isRead = false
    /// Whether it was imported into a new database.
    var isImported = false
    /// Whether it was imported into a database that has its classes, or would have, already.
    var isMerged = false

    /// In the order of `DataCommand.kind`.
    var flags: [Bool] { [isRead, isImported, isMerged] }
  }

  /// - Throws: `Violation`.
  func run() throws -> Outcome {
    var outcome = Outcome()
    let whole = records(chunkByteCount: 1 << 18)
    guard whole == records(chunkByteCount: 5) else {
      throw Violation(description: "is read in another way when it comes in parts")
    }
    outcome.isRead = (try? whole.get()) != nil
    if notation == .dump {
      outcome.isImported = try importChecked(into: Database.inMemory(), "", ImportOptions())
      _ = try importOnce(into: Database.inMemory(), "", ImportOptions())
      outcome.isMerged = try importChecked(into: sampleDatabase(), "", ImportOptions())
    } else {
      outcome.isImported = try importChecked(into: Database.inMemory(), "Thing", ImportOptions())
      let database = try Database.inMemory()
      let options = ImportOptions(primaryKey: "id", indexes: ["name"], fullTexts: ["about"])
      // The second time, what the first has made is updated.
      _ = try importOnce(into: database, "Thing", options)
      _ = try importOnce(into: database, "Thing", ImportOptions())
      let sample = try sampleDatabase()
      outcome.isMerged = try importChecked(into: sample, "Person", ImportOptions())
      _ = try importChecked(into: sample, "Place", ImportOptions())
    }
    return outcome
  }

  /// A database with classes of all types, and some objects.
  private func sampleDatabase() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(SampleClasses.classes)
      _ = try transaction.create("Place", ["code": .string("P1"), "name": .string("Port")])
    }
    return database
  }

  // MARK: Reading

  private func records(chunkByteCount: Int) -> Result<[DataRecord], ImportError> {
    let source = MemorySource(bytes, chunkByteCount: chunkByteCount)
    return Result { () throws(ImportError) in
      if notation == .csv {
        return try all(CSVReader(source, chunkByteCount: chunkByteCount))
      }
      return try all(JSONReader(source, chunkByteCount: chunkByteCount))
    }
  }

  private func all<Reader: RecordReader & ~Copyable>(
    _ reader: consuming Reader
  ) throws(ImportError) -> [DataRecord] {
    var reader = reader
    var records: [DataRecord] = []
    while let record = try reader.next() { records.append(record) }
    return records
  }

  // MARK: Importing

  /// Imports as from a file, which is checked first: it is imported whole or not at all.
  ///
  /// - Returns: whether it was.
  private func importChecked(
    into database: Database, _ className: String, _ options: ImportOptions
  ) throws -> Bool {
    let before = try database.snapshot().version
    let isDone = try attempt(database, className, options, isChecked: planted != .partialImport)
    if !isDone, try database.snapshot().version != before {
      throw Violation(description: "leaves a part behind when it is refused")
    }
    return isDone
  }

  /// Imports as from a pipe, which leaves the batches before an error.
  private func importOnce(
    into database: Database, _ className: String, _ options: ImportOptions
  ) throws -> Bool {
    try attempt(database, className, options, isChecked: false)
  }

  /// - Returns: whether nothing was thrown; the database is sound in any case.
  private func attempt(
    _ database: Database, _ className: String, _ options: ImportOptions, isChecked: Bool
  ) throws -> Bool {
    let destination = ImportDestination(database)
    let importer = Importer(
      destination: destination, className: className, options: options, batchRecordCount: 2)
    let dumpImporter = DumpImporter(destination: destination, batchRecordCount: 2)
    func json() -> JSONReader { JSONReader(MemorySource(bytes)) }
    func csv() -> CSVReader { CSVReader(MemorySource(bytes)) }
    var isDone = true
    do {
      switch (notation, isChecked) {
      case (.json, true): _ = try importer.run(readingTwice: json)
      case (.json, false): _ = try importer.run(readingOnce: json())
      case (.csv, true): _ = try importer.run(readingTwice: csv)
      case (.csv, false): _ = try importer.run(readingOnce: csv())
      case (.dump, true): _ = try dumpImporter.run(readingTwice: json) { _, _ in }
      case (.dump, false): _ = try dumpImporter.run(readingOnce: json()) { _, _ in }
      }
    } catch {
      guard error is ImportError || error is ObjectError else {
        throw Violation(description: "throws \(type(of: error)): \(error)")
      }
      isDone = false
    }
    let findings = try database.check().findings
    guard findings.isEmpty else {
      throw Violation(description: "leaves a database that is not sound: \(findings[0])")
    }
    return isDone
  }
}
