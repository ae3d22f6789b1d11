import ArgumentParser
import AtollImport
import AtollObjects
import AtollStorage

/// `atoll check`: whether the file is sound.
struct CheckCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verifies every page, tree, index, link and free run of a file.",
    discussion: """
      Prints each fault with the place where it is, and exits with 1 when there is any. The file \
      is not changed.
      """)

  @OptionGroup var file: DatabaseArgument
  @OptionGroup var json: JSONFlag

  func run(in context: CommandContext) throws -> ExitStatus {
    let start = context.now()
    let (faults, report, hint) = try check(in: context)
    if json.isOn {
      try writeJSON(faults, report, in: context)
    } else {
      try writeText(faults, report, elapsed: context.now() - start, in: context)
      if let hint {
        try context.output.flush()
        try context.note("atoll: \(hint)")
      }
    }
    return faults.isEmpty ? .success : .failure
  }

  /// - Returns: The problems; the scope of the check, nil when the file cannot be opened; and
  ///   advice.
  private func check(in context: CommandContext) throws -> ([String], CheckReport?, String?) {
    let display = ProgressDisplay(context)
    defer { display.finish() }
    do {
      let report = try context.withDatabase(file) { database in
        try database.check { display.show("checking \(file.path)", share: $0) }
      }
      let isOfSlots = report.findings.allSatisfy { ($0.block ?? .max) < Block.firstPage }
      let hint = isOfSlots ? Self.slotHint : SalvageCommand.hint
      return (report.findings.map(\.description), report, report.findings.isEmpty ? nil : hint)
    } catch ObjectError.storage(let error) where error.isAboutTheFilesBytes {
      // An error that prevents opening the file is its first problem.
      let isDamage = if case .corrupted = error { true } else { false }
      return (["\(error)"], nil, isDamage ? SalvageCommand.hint : nil)
    }
  }

  /// Where the file opens, the newest version lies in another slot, and nothing is lost.
  private static let slotHint = "the next transaction rewrites the header slot"

  private func writeText(
    _ faults: [String], _ report: CheckReport?, elapsed: Duration, in context: CommandContext
  ) throws {
    for fault in faults {
      // Some errors begin with the path themselves.
      let place = fault.hasPrefix(file.path) ? "" : "\(file.path): "
      try context.output.write("\(place)\(printable(fault))\n")
    }
    var text = faults.isEmpty ? "no faults" : Quantity.count(faults.count, "fault", "faults")
    if let report {
      text += " in \(Quantity.count(report.pageCount, "page", "pages"))"
      text += " and \(Quantity.count(report.objectCount, "object", "objects"))"
    } else {
      text += "; the file cannot be opened"
    }
    try context.output.write("\(file.path): \(text), \(Quantity.duration(elapsed))\n")
  }

  private func writeJSON(
    _ faults: [String], _ report: CheckReport?, in context: CommandContext
  ) throws {
    var entries: [OutputValue.Entry] = [
      .init("isSound", faults.isEmpty), .init("faults", .list(faults.map(OutputValue.string))),
    ]
    if let report {
      entries += [.init("pages", report.pageCount), .init("objects", report.objectCount)]
    }
    try context.writeJSON(entries)
  }
}

extension StorageError {
  /// Whether the file is at fault, and not the system or another process.
  fileprivate var isAboutTheFilesBytes: Bool {
    switch self {
    case .notADatabase, .empty, .unsupportedFormat, .corrupted: true
    default: false
    }
  }
}
