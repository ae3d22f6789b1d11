internal import AtollImport
internal import AtollObjects

/// The trial of one text of data: read, and imported into databases of several kinds.
struct ImportTrial {
  enum Notation: String, CaseIterable {
    case json, csv, dump
  }

  let notation: Notation
  let bytes: [UInt8]

  /// What came of it.
  struct Outcome {
    /// Whether it could be read to its end.
    var isRead = false
    /// Whether it was imported into a new database.
    var isImported = false
    /// Whether it was imported into a database that has classes already, its own but for a dump.
    var isMerged = false

    /// In the order of `DataCommand.kind`.
    var flags: [Bool] { [isRead, isImported, isMerged] }
  }

  /// - Throws: `CaseViolation`.
  func run() throws -> Outcome {
    var outcome = Outcome()
    let reading = records(chunkByteCount: 1 << 18)
    guard reading == records(chunkByteCount: 5) else {
      throw CaseViolation("is read in another way when it comes in parts")
    }
    let records = try? reading.get()
    outcome.isRead = records != nil
    switch notation {
    case .dump:
      let plain = Target(className: nil, options: ImportOptions())
      outcome.isImported = try importWhole(records, into: Database.inMemory(), plain)
      try importBatches(into: Database.inMemory(), plain)
      let other = try Database.inMemory()
      try other.write {
        try $0.addClasses([ClassSchema("Other", properties: [PropertySchema("id", .int)])])
      }
      outcome.isMerged = try importWhole(records, into: other, plain)
    case .json, .csv:
      let plain = Target(className: "Thing", options: ImportOptions())
      outcome.isImported = try importWhole(records, into: Database.inMemory(), plain)
      let database = try Database.inMemory()
      let options = ImportOptions(primaryKey: "id", indexes: ["name"], fullTexts: ["about"])
      try importBatches(into: database, Target(className: "Thing", options: options))
      // The second import updates the objects of the first.
      try importBatches(into: database, plain)
      let sample = try Database.inMemory()
      try sample.write { transaction in
        try transaction.addClasses(SampleClasses.classes)
        _ = try transaction.create("Place", ["code": .string("P1"), "name": .string("Port")])
      }
      for name in ["Person", "Place"] {
        let target = Target(className: name, options: ImportOptions())
        if try importWhole(records, into: sample, target) { outcome.isMerged = true }
      }
    }
    return outcome
  }

  // MARK: Reading

  private func records(chunkByteCount: Int) -> Result<[DataRecord], ImportError> {
    let source = MemorySource(bytes, chunkByteCount: chunkByteCount)
    return Result { () throws(ImportError) in
      switch notation {
      case .csv: try all(CSVReader(source, chunkByteCount: chunkByteCount))
      case .json, .dump: try all(JSONReader(source, chunkByteCount: chunkByteCount))
      }
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

  /// Where to import to; a dump has its own classes.
  private struct Target {
    let className: String?
    let options: ImportOptions
  }

  /// Imports as from a file, which is checked first: all records, or nothing.
  ///
  /// - Returns: whether they were imported.
  private func importWhole(
    _ records: [DataRecord]?, into database: Database, _ target: Target
  ) throws -> Bool {
    let before = try database.snapshot()
    let attempted = try attempt(database, target, isChecked: true)
    let after = try database.snapshot()
    let summary: Importer.Summary
    switch attempted {
    case .success(let made): summary = made
    case .failure(let error):
      if after.version == before.version { return false }
      throw CaseViolation("leaves a part behind when it is refused: \(error)")
    }
    guard let records else {
      throw CaseViolation("is imported, but cannot be read")
    }
    // The lines of a dump that describe classes are none of objects.
    let described =
      notation == .dump ? records.count { $0.fields.first?.name == "class" } : 0
    let made = try count(target, in: after) - count(target, in: before)
    guard summary.recordCount == records.count - described,
      summary.createdCount + summary.updatedCount == summary.recordCount,
      summary.createdCount == made
    else {
      throw CaseViolation(
        "has \(records.count - described) objects, of which \(summary.recordCount) are "
          + "imported and \(made) made")
    }
    return true
  }

  /// How many objects a version has that are imported as records, as embedded ones are not.
  private func count(_ target: Target, in snapshot: Snapshot) throws -> Int {
    try snapshot.schema.classes
      .filter { target.className == nil ? !$0.isEmbedded : $0.name == target.className }
      .reduce(0) { try $0 + snapshot.table($1.name).count }
  }

  /// Imports as from a pipe, which leaves the batches before an error.
  private func importBatches(into database: Database, _ target: Target) throws {
    _ = try attempt(database, target, isChecked: false)
  }

  /// - Returns: nil when the data is refused; the database is sound in any case.
  private func attempt(
    _ database: Database, _ target: Target, isChecked: Bool
  ) throws -> Result<Importer.Summary, any Error> {
    let destination = ImportDestination(database)
    let importer = Importer(
      destination: destination, className: target.className ?? "", options: target.options,
      batchRecordCount: 2)
    let dumpImporter = DumpImporter(destination: destination, batchRecordCount: 2)
    func json() -> JSONReader { JSONReader(MemorySource(bytes)) }
    func csv() -> CSVReader { CSVReader(MemorySource(bytes)) }
    let result: Result<Importer.Summary, any Error>
    do {
      let summary =
        switch (notation, isChecked) {
        case (.json, true): try importer.run(readingTwice: json)
        case (.json, false): try importer.run(readingOnce: json())
        case (.csv, true): try importer.run(readingTwice: csv)
        case (.csv, false): try importer.run(readingOnce: csv())
        case (.dump, true): try dumpImporter.run(readingTwice: json) { _, _ in }
        case (.dump, false): try dumpImporter.run(readingOnce: json()) { _, _ in }
        }
      result = .success(summary)
    } catch {
      guard Self.isRefusal(error) else {
        throw CaseViolation("throws \(type(of: error)): \(error)")
      }
      result = .failure(error)
    }
    let findings = try database.check().findings
    guard findings.isEmpty else {
      throw CaseViolation("leaves a database that is not sound: \(findings[0])")
    }
    return result
  }

  /// Whether an error is one of the data, and none of the database or of its file.
  private static func isRefusal(_ error: any Error) -> Bool {
    switch error {
    case ImportError.input: false
    case is ImportError: true
    default: error is ObjectError && !FileErrors.isDamage(error)
    }
  }
}
