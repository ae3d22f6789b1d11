import ArgumentParser
import AtollImport
import AtollObjects

/// The argument that most subcommands begin with.
struct DatabaseArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The database file.", valueName: "file"), completion: .file())
  var path: String

  @Option(
    name: .customLong("key-file"),
    help: ArgumentHelp(
      "The key of an encrypted file: a file of 64 random bytes, or 32.", valueName: "file"),
    completion: .file())
  var keyPath: String?

  func encryptionKey() throws(SystemError) -> [UInt8]? {
    try keyPath.map { path throws(SystemError) in try KeyFile.read(path) }
  }

  func options(mode: Database.Options.Mode) throws(SystemError) -> Database.Options {
    Database.Options(mode: mode, encryptionKey: try encryptionKey())
  }
}

/// The flag that makes the answer one for programs.
struct JSONFlag: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Write the answer as JSON, for programs.")
  var isOn = false
}
