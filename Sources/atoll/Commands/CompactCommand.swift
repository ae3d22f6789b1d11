import ArgumentParser
import AtollObjects

/// `atoll compact`: the smallest file with the same contents.
struct CompactCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Rewrites a file without its free space.",
    discussion: """
      The new file takes the place of the old one only when it is complete and durable. \
      No one else may have the file open.
      """)

  @OptionGroup var file: DatabaseArgument
  @OptionGroup var json: JSONFlag

  func run(in context: CommandContext) throws -> ExitStatus {
    let display = ProgressDisplay(context)
    let (before, after) = try Database.compact(file.path) { share in
      display.show("compacting \(file.path)", share: share)
    }
    display.finish()
    if json.isOn {
      try context.writeJSON([.init("bytesBefore", before), .init("bytesAfter", after)])
    } else {
      try context.output.write(
        "\(file.path): \(Quantity.bytes(before)) before, \(Quantity.bytes(after)) now\n")
    }
    return .success
  }
}
