import ArgumentParser
import AtollObjects

/// `atoll compact`: the smallest file with the same contents.
struct CompactCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Rewrites a file without its free space, or with another key.",
    discussion: """
      The new file takes the place of the old one only when it is complete and durable. \
      No one else may have the file open.
      """)

  @OptionGroup var file: DatabaseArgument
  @Option(
    name: .customLong("new-key-file"),
    help: ArgumentHelp(
      "Encrypt the new file with this key.", discussion: "64 random bytes, or 32.",
      valueName: "file"))
  var newKeyPath: String?

  @Flag(name: .customLong("decrypt"), help: "Do not encrypt the new file.")
  var isDecrypting = false

  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard newKeyPath == nil || !isDecrypting else {
      throw ValidationError("--new-key-file and --decrypt exclude each other")
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    let display = ProgressDisplay(context)
    let encryption: Database.Encryption
    if let newKeyPath {
      encryption = .key(try KeyFile.read(newKeyPath))
    } else {
      encryption = isDecrypting ? .none : .unchanged
    }
    let (before, after) = try Database.compact(
      file.path, encryptionKey: try file.encryptionKey(), encryption: encryption
    ) { share in
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
