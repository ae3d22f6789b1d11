import ArgumentParser
import AtollCapture
import AtollImport
import AtollObjects
import AtollStorage

/// `atoll import`: a data file becomes objects of a class, or a dump the classes that it is of.
struct ImportCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports JSON, JSON lines or CSV as objects of a class, or a dump.",
    discussion: """
      The data is one object a line, one array of objects, or CSV whose first line names the \
      columns, with commas, semicolons or tabs between. Types come from the data: int, double \
      (also where ints and doubles are mixed), bool, string, date (when all values are ISO \
      8601 dates), and lists of these; an object becomes a map, or with --embedded an \
      object that belongs to this one. --type gives a type. A property that is null or missing \
      somewhere is optional. A column of CSV is of numbers when all its fields are written as \
      numbers, and its integers fit in 64 bits: 007, +1 and, where no field has a point, 1E5 are \
      text, as identifiers are.

      A property that the file has already keeps its type. If it is required there, null or an \
      empty field of CSV is an error; where a record does not name it, an object keeps its value, \
      and a new one has zero, false or empty text.

      Objects whose first name is a word with $ are values in MongoDB's Extended JSON, as \
      mongoexport writes it: $oid, $uuid, $date, $numberInt, $numberLong, $numberDouble, \
      $numberDecimal, $binary. Their types are taken from there. Decimals have all digits, also \
      where a number without such a word becomes one; more than the 34 of a decimal are an error. \
      A double is the nearest one to a number with a point or an exponent, and equals a number \
      without. With --format plain-json these objects are taken as they are.

      With a primary key, importing a key again updates the object. A link is given by its \
      target's primary key. A link to a missing target is pending; 'atoll info' counts such \
      links.

      The store of a server is refused: objects that are imported there would reach no device. \
      Import into a file of its own, and copy the objects from there into a device's realm, which \
      sends them to the server.

      A file is read once to check it and to find its types, then again to import it, so an error \
      anywhere in it leaves the database as it was. Data from a pipe is read once, and an error \
      leaves the batches before. Each batch is one durable transaction: an import that is \
      interrupted leaves whole batches. With --json a line {"batch": …, "records": …} follows \
      each commit, both counted from the beginning.

      Without the name of a class the data is what 'atoll dump' writes of a whole file: classes, \
      indexes and objects, for a file that has none of these classes. A file is read once to check \
      it as well: lines that do not fit their classes, nulls of required properties, primary keys \
      that are missing or there twice.

      Examples:
        atoll import geo.atoll City City.jsonl --primary-key id \\
          --link country=Country --index name --index population
        mongoexport --uri "$URI" --collection Task --out Task.json
        atoll import tasks.atoll Task Task.json --primary-key _id
        atoll dump geo.atoll > geo.jsonl && atoll import copy.atoll geo.jsonl
      """)

  @OptionGroup var file: DatabaseArgument

  @Argument(
    help: ArgumentHelp(
      "The class of the objects, made when it is not there; or the dump, when nothing follows.",
      valueName: "class"), completion: .file(extensions: ["jsonl"]))
  var classOrDumpPath: String

  @Argument(
    help: ArgumentHelp("The data file; '-' is standard input.", valueName: "data"),
    completion: .file(extensions: ["jsonl", "json", "ndjson", "csv"]))
  var classDataPath: String?

  @Option(
    help: ArgumentHelp(
      "The property that identifies an object: an int, a string, an object id or a UUID.",
      valueName: "property"))
  var primaryKey: String?

  @Option(
    name: .customLong("index"),
    help: ArgumentHelp("Index a property. May be repeated.", valueName: "property"))
  var indexes: [String] = []

  @Option(
    name: .customLong("full-text"),
    help: ArgumentHelp(
      "Index the words of a string property, for TEXT. May be repeated.",
      valueName: "property"))
  var fullTexts: [String] = []

  @Option(
    name: .customLong("link"),
    help: ArgumentHelp(
      "The property is a link to an object of the class. May be repeated. place.owner names a "
        + "property of the embedded objects in place.",
      valueName: "property=class"), transform: ImportOptions.LinkOption.parse)
  var links: [ImportOptions.LinkOption] = []

  @Option(
    name: .customLong("list-link"),
    help: ArgumentHelp(
      "The property is a list of links to objects of the class. May be repeated.",
      valueName: "property=class"), transform: ImportOptions.LinkOption.parse)
  var listLinks: [ImportOptions.LinkOption] = []

  @Option(
    name: .customLong("embedded"),
    help: ArgumentHelp(
      "The property holds embedded objects of the class, one or a list. May be repeated. "
        + "place.owner names a property of the embedded objects in place.",
      valueName: "property=class"), transform: ImportOptions.LinkOption.parse)
  var embedded: [ImportOptions.LinkOption] = []

  @Option(
    name: .customLong("type"),
    help: ArgumentHelp(
      "The property is of this type; a value that is not is an error. May be repeated. One of "
        + "\(ImportOptions.TypeOption.names.joined(separator: ", ")).",
      valueName: "property=type"), transform: ImportOptions.TypeOption.parse)
  var types: [ImportOptions.TypeOption] = []

  @Option(
    name: .customLong("batch"),
    help: ArgumentHelp("Objects in one durable transaction.", valueName: "count"))
  var batchRecordCount = 10_000

  @Option(
    help: """
      The format: json (also JSON lines), plain-json, in which no name has a meaning of its own, \
      or csv. By default that of the file's name.
      """)
  var format: DataFormat?

  @OptionGroup var json: JSONFlag

  /// The notations that can be imported.
  enum DataFormat: String, ExpressibleByArgument, CaseIterable {
    case json
    case plainJSON = "plain-json"
    case csv
  }

  func validate() throws {
    guard batchRecordCount > 0 else { throw ValidationError("--batch is at least 1") }
    guard !isDump || options == ImportOptions() && format != .csv else {
      throw ValidationError(
        "a dump says itself what its classes are; to import data of one class, name it: "
          + "atoll import \(file.path) CLASS \(dataPath)")
    }
    do {
      try options.validate()
    } catch {
      throw ValidationError(error.description(name: dataPath))
    }
  }

  /// Whether the data has its own classes.
  private var isDump: Bool { classDataPath == nil }

  /// The data file: the last argument.
  private var dataPath: String { classDataPath ?? classOrDumpPath }

  /// The class of the objects; nil for a dump.
  private var className: String? { isDump ? nil : classOrDumpPath }

  private var options: ImportOptions {
    ImportOptions(
      primaryKey: primaryKey, indexes: indexes, fullTexts: fullTexts, links: links,
      listLinks: listLinks, embedded: embedded, types: types)
  }

  /// Refuses the store of a server, and reports what opening discarded.
  private func prepare(_ database: Database, in context: CommandContext) throws {
    do {
      guard !(try database.snapshot().isServerStore) else {
        throw CommandError(
          "'\(printable(file.path))' is the store of a server, and devices would never get what is "
            + "imported there; import into a new file, and copy the objects from there into a "
            + "device's realm, which sends them to the server")
      }
      try context.noteOpening(of: database)
    } catch {
      // The first error is the one to report.
      try? database.close()
      throw error
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    let start = context.now()
    let source: FileSource
    do throws(SystemError) {
      source = try FileSource(path: dataPath)
    } catch {
      guard isDump else { throw error }
      throw CommandError(
        "\(error); the arguments are the database, the class and the data, or the database and a "
          + "dump",
        status: .usage)
    }
    let destination = try ImportDestination(
      path: file.path, options: file.options(mode: .create).recording())
    if let database = destination.database { try prepare(database, in: context) }
    destination.willWrite = { WriterNotice($0).end }
    let summary: Importer.Summary
    var committed: Importer.Summary?
    let pendingLinkCountBefore: Int
    let pendingLinkCount: Int
    var likelyTargets: [(name: String, meant: String)] = []
    do {
      pendingLinkCountBefore = try destination.pendingLinkCount()
      summary = try run(source, destination, in: context) { committed = $0 }
      pendingLinkCount = try destination.pendingLinkCount()
      for target in Set((links + listLinks).map(\.target)).sorted() {
        guard let meant = try destination.likelyTarget(insteadOf: target) else { continue }
        likelyTargets.append((target, meant))
      }
    } catch {
      // The first error is the one to report.
      try? destination.close()
      if let committed {
        let records = Quantity.count(committed.recordCount, "record", "records")
        // They stay where they are when the file is moved.
        let isMoved = if case ObjectError.storage(.moved) = error { true } else { false }
        let place = (isMoved ? "the file that was at " : "") + "'\(printable(file.path))'"
        try context.note("atoll: note: the first \(records) are in \(place)")
      }
      throw error
    }
    try destination.close()
    try report(
      summary, pendingLinkCount: pendingLinkCount,
      hasNewPendingLinks: pendingLinkCount > pendingLinkCountBefore, elapsed: context.now() - start,
      in: context)
    if summary.recordCount == 0, className != nil {
      try context.note(
        "atoll: note: \(printable(dataName)) has no records: nothing was made, no option checked")
    }
    if let remark = summary.remark {
      try context.note("atoll: note: \(printable(dataName)): \(remark)")
    }
    for odd in summary.oddValues {
      try context.note("atoll: note: \(printable(odd.description(name: dataName)))")
    }
    for (name, meant) in likelyTargets {
      try context.note(
        "atoll: note: '\(printable(name))' has no objects yet; if '\(printable(meant))' was meant, "
          + "import into a new file")
    }
    return .success
  }

  private func run(
    _ source: FileSource, _ destination: ImportDestination, in context: CommandContext,
    committed: @escaping (Importer.Summary) -> Void
  ) throws -> Importer.Summary {
    let didCommit = { (summary: Importer.Summary) in
      committed(summary)
      guard json.isOn else { return }
      try context.writeJSON([
        .init("batch", summary.batchCount), .init("records", summary.recordCount),
      ])
      try context.output.flush()
    }
    let importer = Importer(
      destination: destination, className: classOrDumpPath, options: options,
      batchRecordCount: batchRecordCount, didCommit: didCommit)
    let display = ProgressDisplay(context)
    defer { display.finish() }
    let progress = { (phase: Importer.Phase, done: Int) in
      display.show(
        "\(phase.rawValue) \(className ?? dataName)", unit: .bytes, done: done,
        total: source.byteCount)
    }
    let isCSV = format.map { $0 == .csv } ?? Self.isCSV(dataPath)
    let isPlain = format == .plainJSON
    do {
      if isDump {
        let importer = DumpImporter(
          destination: destination, batchRecordCount: batchRecordCount, didCommit: didCommit)
        guard source.isRegularFile else {
          return try importer.run(
            readingOnce: JSONReader(source, isPlain: isPlain), progress: progress)
        }
        return try importer.run(
          readingTwice: { JSONReader(try FileSource(path: dataPath), isPlain: isPlain) },
          progress: progress)
      }
      switch (isCSV, source.isRegularFile) {
      case (true, true):
        return try importer.run(
          readingTwice: { CSVReader(try FileSource(path: dataPath)) }, progress: progress)
      case (false, true):
        return try importer.run(
          readingTwice: { JSONReader(try FileSource(path: dataPath), isPlain: isPlain) },
          progress: progress)
      case (true, false):
        return try importer.run(readingOnce: CSVReader(source), progress: progress)
      case (false, false):
        return try importer.run(
          readingOnce: JSONReader(source, isPlain: isPlain), progress: progress)
      }
    } catch let error as ImportError {
      throw CommandError(
        error.description(name: dataName) + hint(at: error), status: error.status)
    }
  }

  private static func isCSV(_ path: String) -> Bool {
    let path = path.lowercased()
    return path.hasSuffix(".csv") || path.hasSuffix(".tsv")
  }

  /// What to do when the very beginning of the data is no JSON, and no option says that it is.
  private func hint(at error: ImportError) -> String {
    guard format == nil, case .data(.unexpected(_, expected: .records), _) = error else {
      return ""
    }
    return isDump ? "" : "; CSV is read with '--format csv'"
  }

  private var dataName: String { dataPath == "-" ? "standard input" : dataPath }

  private func report(
    _ summary: Importer.Summary, pendingLinkCount: Int, hasNewPendingLinks: Bool,
    elapsed: Duration, in context: CommandContext
  ) throws {
    if json.isOn {
      let seconds =
        Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
      try context.writeJSON([
        .init("class", className.map(OutputValue.string) ?? .null),
        .init("records", summary.recordCount),
        .init("created", summary.createdCount), .init("updated", summary.updatedCount),
        .init("batches", summary.batchCount), .init("pendingLinks", pendingLinkCount),
        .init(
          "valuelessProperties", .list(summary.valuelessProperties.map(OutputValue.string))),
        .init("seconds", .double(seconds)),
      ])
      return
    }
    let batches = Quantity.count(summary.batchCount, "batch", "batches")
    try context.output.write(
      "\(printable(className ?? dataName)): \(Quantity.count(summary.createdCount)) created, "
        + "\(Quantity.count(summary.updatedCount)) updated, \(batches), "
        + "\(Quantity.duration(elapsed))\n")
    if !summary.valuelessProperties.isEmpty {
      let names = summary.valuelessProperties.joined(separator: ", ")
      try context.output.write("Left out, as no record has a value: \(printable(names))\n")
    }
    // Once for each link: 'info' counts those of earlier imports.
    if hasNewPendingLinks {
      let links = Quantity.count(pendingLinkCount, "link waits", "links wait")
      try context.output.write("\(links) for objects that are not in the file yet\n")
    }
  }
}

extension ImportOptions.LinkOption {
  /// Reads what stands after `--link`.
  static func parse(_ argument: String) throws -> Self {
    guard let separator = argument.firstIndex(of: "="), separator > argument.startIndex,
      argument.index(after: separator) < argument.endIndex
    else {
      throw ValidationError("'\(argument)' is not like owner=Person: a property, =, a class")
    }
    return Self(
      property: String(argument[..<separator]),
      target: String(argument[argument.index(after: separator)...]))
  }
}

extension ImportOptions.TypeOption {
  private static let types: [ValueType] = [
    .bool, .int, .float, .double, .decimal, .string, .date, .data, .objectID, .uuid, .mixed,
  ]

  /// The names of types in options.
  static var names: [String] { types.map(\.queryName) }

  /// Reads what stands after `--type`.
  ///
  /// - Throws: `ValidationError` with the types that there are.
  static func parse(_ argument: String) throws -> Self {
    // The name of a property may have the sign too.
    guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex else {
      throw ValidationError("'\(argument)' is not like price=double: a property, =, a type")
    }
    let name = String(argument[argument.index(after: sign)...])
    guard let found = ValueType(named: name), types.contains(found) else {
      throw ValidationError(
        "'\(name)' is no type; one of \(names.joined(separator: ", ")) is")
    }
    return Self(property: String(argument[..<sign]), type: found)
  }
}
