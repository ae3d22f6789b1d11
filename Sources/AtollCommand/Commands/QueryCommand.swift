import ArgumentParser
import AtollImport
import AtollObjects
import AtollQuery

/// `atoll query`: the objects that a query finds, or their number, or its plan.
struct QueryCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Finds objects of a class with a query in RQL.",
    discussion: """
      Prints a table for people, with the number of objects and the time on standard error, or \
      with --json one object on each line. In JSON a link is the primary key of its target, a date \
      is ISO 8601 in UTC, data is base64.

      An argument ($0, $1 and so on in the query, or %@ for the next one) is read as JSON: 5, 2.5, \
      true, null, "5" for the string, [1, 2] for a list. A date is 2026-01-31T12:30:00Z; \
      identifiers, data and objects are written as in a query: uuid(…), oid(…), bin(B64"…"), \
      obj('Country', 'FR'). Anything else is a string: --arg Paris. A number has all its digits, \
      as in the text of a query.

      A query that begins with a minus sign must follow two of them: -- '-1 < latitude'. The query \
      - is read from standard input.

      Examples:
        atoll query geo.atoll City "population > 1000000 SORT(population DESC) LIMIT(5)"
        atoll query geo.atoll City 'country.name == $0' --arg France --count
        atoll query geo.atoll City "TRUEPREDICATE GROUP(timezone, @count, @max.population)"
        atoll query geo.atoll City - < cities.rql
      """)

  @OptionGroup var file: DatabaseArgument

  @Argument(help: ArgumentHelp("The class of the objects.", valueName: "class"))
  var className: String

  @Argument(
    help: ArgumentHelp(
      "The query; TRUEPREDICATE finds all objects, - reads it from standard input.",
      valueName: "rql"))
  var text: String

  @Option(
    name: .customLong("arg"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The next argument of the query. May be repeated.", valueName: "value"))
  var arguments: [QueryArgument] = []

  @Flag(name: .customLong("count"), help: "Print only how many objects the query finds.")
  var isCount = false

  @Flag(
    name: .customLong("explain"),
    help: "Run the query and print how: steps, objects, leaves and times.")
  var isExplain = false

  // Parsed as given, so that the error for a negative number names it.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Print this many objects at most.", valueName: "count"))
  var limit: Int?

  @OptionGroup var json: JSONFlag

  func validate() throws {
    if isCount && isExplain { throw ValidationError("either --count or --explain") }
    if let limit {
      guard limit >= 0 else { throw ValidationError("--limit is not negative") }
      if isCount || isExplain {
        throw ValidationError("--limit is for objects, not for --count or --explain")
      }
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    let text = self.text == "-" ? try context.readInput() : self.text
    try context.withSnapshot(file) { snapshot in
      let table = try snapshot.table(className)
      let (query, argumentCount) = try query(text, in: snapshot)
      guard arguments.count <= argumentCount else {
        throw CommandError(
          "--arg was given \(Quantity.count(arguments.count, "time", "times")), and the query "
            + "names "
            + Quantity.count(argumentCount, "argument", "arguments"), status: .usage)
      }
      if isExplain {
        try explain(query, snapshot, in: context)
      } else if query.isGrouped {
        try groups(query, snapshot, in: context)
      } else if isCount {
        try count(query, snapshot, in: context)
      } else {
        try objects(query, snapshot, table.schema.columns, in: context)
      }
    }
    return .success
  }

  /// The query, and how many arguments its text names.
  private func query(
    _ text: String, in snapshot: Snapshot
  ) throws -> (query: Query, argumentCount: Int) {
    let values = try arguments.map { try $0.value(in: snapshot) }
    let query = try Query(text, on: className, in: snapshot.schema, arguments: values)
    guard arguments.contains(where: \.hasDigits) else { return (query, query.argumentCount) }
    var constants: [QuerySyntax.Constant] = []
    for (argument, value) in zip(arguments, values) {
      // No text has a list in a list.
      guard let constant = argument.constant(value) else { return (query, query.argumentCount) }
      constants.append(constant)
    }
    let request = try QuerySyntax.parse(text).replacingArguments { index, _ in constants[index] }
    return (
      try Query(request, text: text, on: className, in: snapshot.schema), query.argumentCount
    )
  }

  private func explain(
    _ query: Query, _ snapshot: Snapshot, in context: CommandContext
  ) throws {
    let plan = try query.explain(in: snapshot)
    if json.isOn {
      try context.writeJSON([.init("explain", OutputValue(plan))])
    } else {
      try context.output.write("\(plan)\n")
    }
  }

  private func count(_ query: Query, _ snapshot: Snapshot, in context: CommandContext) throws {
    let start = context.now()
    let count = try query.count(in: snapshot)
    let elapsed = context.now() - start
    if json.isOn {
      try context.writeJSON([.init("count", count)])
      return
    }
    try context.output.write("\(count)\n")
    try context.output.flush()
    try context.note(Quantity.duration(elapsed))
  }

  /// Prints the rows of a query with GROUP, or how many there are.
  private func groups(_ query: Query, _ snapshot: Snapshot, in context: CommandContext) throws {
    let start = context.now()
    let groups = try query.groups(in: snapshot)
    let elapsed = Quantity.duration(context.now() - start)
    if isCount {
      if json.isOn { return try context.writeJSON([.init("count", groups.count)]) }
      try context.output.write("\(groups.count)\n")
    } else {
      let presenter = ValuePresenter(snapshot)
      let isNumber = groups.columns.indices.map { column in
        groups.rows.allSatisfy { $0[column].type?.isNumeric ?? true }
      }
      var printer = RowPrinter(
        groups.columns, isNumber: isNumber, isJSON: json.isOn, output: context.output)
      for row in groups.rows.prefix(limit ?? .max) {
        try printer.add(try row.map { value throws(ObjectError) in try presenter.shown(value) })
      }
      try printer.finish()
    }
    try context.output.flush()
    guard !json.isOn else { return }
    let found = Quantity.count(groups.count, "group", "groups")
    let shown = limit.flatMap { $0 < groups.count ? "\(Quantity.count($0)) of " : nil } ?? ""
    try context.note("\(shown)\(found), \(elapsed)")
  }

  private func objects(
    _ query: Query, _ snapshot: Snapshot, _ columns: [Column], in context: CommandContext
  ) throws {
    let start = context.now()
    let results = try query.results(in: snapshot)
    let elapsed = Quantity.duration(context.now() - start)
    var printer = ObjectPrinter(
      columns, ValuePresenter(snapshot), isJSON: json.isOn, output: context.output)
    for index in 0..<min(limit ?? .max, results.count) {
      if let object = try results.object(at: index) { try printer.add(object) }
    }
    try printer.finish()
    try context.output.flush()
    guard !json.isOn else { return }
    let foundCount = results.count
    let found = Quantity.count(foundCount, "object", "objects")
    let shown = limit.flatMap { $0 < foundCount ? "\(Quantity.count($0)) of " : nil } ?? ""
    try context.note("\(shown)\(found), \(elapsed)")
  }
}

extension OutputValue {
  /// A plan as JSON: the contents of the printed tree, with times in milliseconds.
  fileprivate init(_ plan: QueryPlan) {
    self = .map([
      .init("indexes", .list(plan.indexes.map { .string($0) })),
      .init("results", plan.resultCount), .init("matching", plan.matchingRowCount),
      .init("estimated", plan.estimatedRowCount), .init("tested", plan.testedRowCount),
      .init("leavesRead", plan.leavesRead), .init("leavesSkipped", plan.leavesSkipped),
      .init("plan", OutputValue(plan.root)),
    ])
  }

  private init(_ step: QueryPlan.Step) {
    func count(_ value: Int?) -> OutputValue { value.map { .int(Int64($0)) } ?? .null }
    let (seconds, attoseconds) = step.time.components
    self = .map([
      .init("step", step.text), .init("expected", count(step.expectedRowCount)),
      .init("objects", count(step.rowCount)), .init("tested", count(step.testedRowCount)),
      .init("leavesRead", step.leavesRead), .init("leavesSkipped", step.leavesSkipped),
      .init("milliseconds", .double(Double(seconds) * 1e3 + Double(attoseconds) / 1e15)),
      .init("parts", .list(step.parts.map { OutputValue($0) })),
    ])
  }
}
