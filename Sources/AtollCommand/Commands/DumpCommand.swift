import ArgumentParser
import AtollImport
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
      in these a date, an identifier, data, a decimal and the doubles inf, -inf and nan are \
      written as MongoDB's Extended JSON has them, {"$date": …}; a float as {"$numberFloat": …}; a \
      link as {"$link": {"class": …, "key": …}}, or with a class as the key of its target. A map \
      whose first key begins with $ stands in {"$object": …}.
      """)

  @OptionGroup var file: DatabaseArgument

  @Argument(
    help: ArgumentHelp("The class to dump; by default all classes.", valueName: "class"))
  var className: String?

  func run(in context: CommandContext) throws -> ExitStatus {
    try context.withSnapshot(file) { snapshot in
      let display = ProgressDisplay(context)
      defer { display.finish() }
      let writer = DumpWriter(snapshot) { name, done, total in
        display.show("dumping \(name)", unit: .objects, done: done, total: total)
      } write: { line in
        try context.output.write(line)
      }
      if let className { try writer.writeClass(className) } else { try writer.writeAll() }
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
}
