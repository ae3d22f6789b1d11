import ArgumentParser
import AtollObjects

/// `atoll dump`: everything in the file as JSON lines.
struct DumpCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Writes the objects of a file as JSON lines.",
    discussion: """
      With a class, one object on each line, as 'atoll import' reads them with the class's name. \
      Without, a line {"class": …} for each class that describes it, then the objects as {"of": \
      "class", "object": …}: 'atoll import new.atoll dump.jsonl' makes a file of it with the same \
      classes and indexes. All lines show one version of the file, whatever is committed \
      meanwhile. A link is the primary key of its target, or # and a number, which is then the \
      "key" of the target's line; a pending link is null. JSON has fewer types than mixed values: \
      of these a date, an identifier, data, a decimal and the doubles inf, -inf and nan are \
      imported as strings, a float as a double, and a link as the key of its target.
      """)

  @OptionGroup var file: DatabaseArgument

  @Argument(
    help: ArgumentHelp("The class to dump; by default all classes.", valueName: "class"))
  var className: String?

  func run(in context: CommandContext) throws -> ExitStatus {
    try context.withSnapshot(file) { snapshot in
      let display = ProgressDisplay(context)
      defer { display.finish() }
      let presenter = ValuePresenter(snapshot)
      if let className {
        try dump(try snapshot.table(className), isWrapped: false, presenter, display, in: context)
      } else {
        for description in snapshot.schema.classes {
          try context.writeJSON([.init("class", .map(description.json))])
        }
        // Embedded objects are written where their owners are.
        for description in snapshot.schema.classes where !description.isEmbedded {
          try dump(
            try snapshot.table(description.name), isWrapped: true, presenter, display, in: context)
        }
      }
      display.finish()
      if snapshot.pendingLinkCount > 0 {
        let links = Quantity.count(
          snapshot.pendingLinkCount, "link that waits for its target is",
          "links that wait for their targets are")
        try context.note("atoll: note: \(links) null in the dump")
      }
    }
    return .success
  }

  private func dump(
    _ table: Table, isWrapped: Bool, _ presenter: ValuePresenter, _ display: ProgressDisplay,
    in context: CommandContext
  ) throws {
    let columns = table.schema.columns
    let names = columns.map(\.name)
    let objectCount = table.count
    var writer = JSONWriter()
    var doneCount = 0
    try table.forEach { object in
      let values = try presenter.values(of: object, columns)
      writer.removeAll()
      if isWrapped {
        let entries = zip(names, values).map { OutputValue.Entry($0, $1) }
        var line = [OutputValue.Entry("of", table.name)]
        if table.schema.primaryKey == nil { line.append(.init("key", object.key.rawValue)) }
        writer.value(.map(line + [.init("object", .map(entries))]))
      } else {
        writer.object(names, values)
      }
      writer.endLine()
      try context.output.write(writer.bytes)
      doneCount += 1
      if doneCount % 256 == 0 {
        display.show(
          "dumping \(table.name)", unit: .objects, done: doneCount, total: objectCount)
      }
    }
  }
}
