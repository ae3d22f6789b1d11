#if Sync
import ArgumentParser
import AtollImport
import AtollServer
import AtollStorage

/// `atoll backup`: a copy of a server's folder, also while the server runs.
struct BackupCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies the folder of a server, also while it runs.",
    discussion: """
      The copy has all that a server needs to start again: the data and the accounts, each as it \
      was at one moment, the key of the tokens, server.yaml and the other files of the folder. \
      Everything that was acknowledged before the backup began is in it. Other databases, links \
      and sockets in the folder are left out, and named. Devices and the server go on meanwhile.

      DESTINATION is a new folder, which only its owner may read: it has the key of the tokens. It \
      appears when it is whole and on the disk; until then its name ends in '.incomplete-' and a \
      number. Such a folder of a backup that was cut off can be deleted.

      To restore, stop the server, move its folder away, put a copy of the backup in its place, \
      and start the server.
      """)

  @Argument(help: ArgumentHelp("The folder of the server.", valueName: "folder"))
  var folder: String

  @Argument(help: ArgumentHelp("The folder to make.", valueName: "destination"))
  var destination: String

  @OptionGroup var json: JSONFlag

  func validate() throws {
    guard !folder.isEmpty, !destination.isEmpty else {
      throw ValidationError("FOLDER and DESTINATION are paths of folders")
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    let display = ProgressDisplay(context)
    let report: ServerBackup.Report
    do throws(BackupError) {
      report = try ServerBackup.make(
        of: folder, at: destination, random: SystemCalls.randomNumber,
        progress: { name, share in display.show("copying \(name)", share: share) })
    } catch {
      display.finish()
      switch error {
      case .destinationInside: throw CommandError(printable("\(error)"), status: .usage)
      default: throw error
      }
    }
    display.finish()
    if json.isOn {
      try context.writeJSON([
        .init("destination", destination), .init("version", report.version),
        .init("files", report.fileCount), .init("bytes", report.byteCount),
        .init("leftOut", .list(report.leftOut.map { .string($0) })),
      ])
    } else {
      try context.output.write(
        "\(printable(destination)): \(Quantity.count(report.fileCount, "file", "files")), "
          + "\(Quantity.bytes(report.byteCount))\n")
      for path in report.leftOut { try context.output.write("left out: \(printable(path))\n") }
    }
    return .success
  }
}
#endif
