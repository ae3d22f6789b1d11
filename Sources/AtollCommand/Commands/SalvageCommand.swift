import ArgumentParser
import AtollCapture
import AtollImport
import AtollObjects
import AtollStorage

/// `atoll salvage`: what can still be read of a damaged file, in a new one.
struct SalvageCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Copies what can still be read of a damaged file into a new one.",
    discussion: """
      Every page is verified before anything of it is copied. Lost data is listed: objects by \
      their class and keys, values by their property. Links to lost objects are cleared. The \
      damaged file is not changed, and no other process may have it open. Exits with 1 when \
      anything was lost.
      """)

  @OptionGroup var file: DatabaseArgument
  @Argument(help: ArgumentHelp("The file to make.", valueName: "new"), completion: .file())
  var newPath: String

  @OptionGroup var json: JSONFlag

  /// The advice of other commands for a damaged file.
  static let hint = "'atoll salvage' copies what can still be read into a new file"

  func run(in context: CommandContext) throws -> ExitStatus {
    let display = ProgressDisplay(context)
    defer { display.finish() }
    let report: SalvageReport
    guard !FileSystem.exists(newPath) else {
      throw CommandError("'\(newPath)' exists; salvage makes a new file")
    }
    do {
      report = try Database.salvage(
        file.path, to: newPath, options: try file.options(mode: .create).recording()
      ) { display.show("salvaging \(file.path)", share: $0) }
    } catch let error as ObjectError {
      // A separate text, without the advice to salvage.
      guard case .storage(let cause) = error, case .corrupted = cause else {
        throw error
      }
      throw CommandError(
        "nothing can be copied, and no file was made, as what lists the classes is lost: \(error)")
    }
    display.finish()
    if json.isOn {
      try writeJSON(report, in: context)
    } else {
      try writeText(report, in: context)
    }
    return report.isComplete ? .success : .failure
  }

  private func writeText(_ report: SalvageReport, in context: CommandContext) throws {
    var table = TableRenderer(
      names: ["class", "objects", "copied", "lost"], isNumber: [false, true, true, true],
      terminalWidth: context.output.terminalWidth)
    for found in report.classes {
      try context.output.write(
        table.add([
          found.name, Quantity.count(found.objectCount), Quantity.count(found.copiedCount),
          Quantity.count(found.objectCount - found.copiedCount),
        ]))
    }
    try context.output.write(table.finish())
    for loss in report.losses {
      try context.output.write("lost: \(printable(loss.description))\n")
    }
    let copied = report.classes.reduce(0) { $0 + $1.copiedCount }
    var text = "\(newPath): \(Quantity.count(copied, "object", "objects")) of version "
    text += "\(report.version)"
    if report.isComplete { text += "; nothing was lost" }
    try context.output.write("\(text)\n")
  }

  private func writeJSON(_ report: SalvageReport, in context: CommandContext) throws {
    let classes = report.classes.map { found in
      OutputValue.map([
        .init("class", found.name), .init("objects", found.objectCount),
        .init("copied", found.copiedCount),
      ])
    }
    let losses = report.losses.map { loss in
      OutputValue.map([
        .init("kind", "\(loss.kind)"), .init("class", loss.className),
        .init("property", loss.property), .init("firstKey", Self.json(loss.keyTexts?.first)),
        .init("lastKey", Self.json(loss.keyTexts?.last)),
        .init("count", loss.count.map { .int(Int64($0)) } ?? .null),
        .init("cause", Self.json(loss.cause.map { "\($0)" })),
      ])
    }
    try context.writeJSON([
      .init("version", report.version), .init("isComplete", report.isComplete),
      .init("classes", .list(classes)), .init("losses", .list(losses)),
    ])
  }

  private static func json(_ text: String?) -> OutputValue { text.map { .string($0) } ?? .null }
}
