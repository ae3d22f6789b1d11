import ArgumentParser

#if Sync
import Foundation
#endif

/// `atoll demo`: the tour for newcomers.
struct DemoCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Shows what Atoll can do, on a small extract of real data.",
    discussion: """
      Starts a server on a free port and two devices, which subscribe to different parts of the \
      data (GeoNames, CC BY 4.0), go offline, edit the same objects and reconnect. Takes some \
      seconds; everything is removed at the end unless --keep names a folder. With --local it \
      shows one file without a server: imports, queries, versions, sizes.
      """)

  @Flag(help: "Show one file without a server.")
  var local = false

  @Option(
    help: ArgumentHelp(
      "Keep the server's folder and the devices' files in a new folder.", valueName: "dir"),
    completion: .directory)
  var keep: String?

  @Argument(
    help: ArgumentHelp(
      "With --local: where to keep the database file; it must not exist yet.", valueName: "file"),
    completion: .file())
  var path: String?

  func validate() throws {
    if path != nil, !local { throw ValidationError("a file is kept with --local only; see --keep") }
    if keep != nil, local {
      throw ValidationError("--keep goes without --local; name a file instead")
    }
  }

  func run(in context: CommandContext) throws -> ExitStatus {
    #if Sync
    if !local { return try runWithServer(in: context) }
    #endif
    return try runLocally(in: context)
  }

  private func runLocally(in context: CommandContext) throws -> ExitStatus {
    if let path {
      guard !FileSystem.exists(path) else {
        throw CommandError("'\(path)' exists; the demo makes a new file")
      }
      try LocalTour(path: path, context: context).run()
      try context.output.write("\nThe file is yours: atoll info \(path)\n")
    } else {
      let folder = try TemporaryFolder(prefix: "atoll-demo-")
      defer { withExtendedLifetime(folder) {} }
      try LocalTour(path: folder.path + "/geo.atoll", context: context).run()
      try context.output.write("\nTo keep the file and go on: atoll demo --local geo.atoll\n")
    }
    return .success
  }

  #if Sync
  private func runWithServer(in context: CommandContext) throws -> ExitStatus {
    if let keep {
      guard !FileSystem.exists(keep) else {
        throw CommandError("'\(keep)' exists; the demo makes a new folder")
      }
      let folder = URL(filePath: keep)
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch { throw CommandError("cannot make '\(keep)': \(error.localizedDescription)") }
      try SyncTour.run(folder: folder, context: context)
      try context.output.write(
        """

        The server's folder and the devices' files are yours:
          atoll info \(keep)/ana.atoll
          atoll query \(keep)/ana.atoll City 'population > 5000000'
          atoll serve --dir \(keep)/server --development

        """)
    } else {
      let folder = try TemporaryFolder(prefix: "atoll-demo-")
      defer { withExtendedLifetime(folder) {} }
      try SyncTour.run(folder: URL(filePath: folder.path), context: context)
      try context.output.write(
        "\nTo keep the files and go on: atoll demo --keep DIR; one file alone: atoll demo --local\n"
      )
    }
    return .success
  }
  #endif
}
