import ArgumentParser
import AtollImport
import AtollObjects
import AtollQuery
import AtollStorage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The command `atoll`: databases from the command line.
///
/// Read next: the subcommands beside this file; the module `AtollImport`, from a file's bytes to
/// objects; `Output/`, from objects to text; `System/`, the files that are no databases.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atoll",
    abstract: "Imports, queries, checks and looks after Atoll database files.",
    discussion: """
      Exit status: 0 on success; 1 when the answer is no (a check has found faults) or a file or \
      its data is bad; 2 for a command line, or a query in it, that makes no sense.
      """,
    version: "0.1.0-dev",
    subcommands: [
      ImportCommand.self, QueryCommand.self, InfoCommand.self, WatchCommand.self,
      CheckCommand.self, DumpCommand.self, CompactCommand.self, SalvageCommand.self,
      DemoCommand.self,
    ] + networkSubcommands)

  /// The subcommands that use the network.
  private static var networkSubcommands: [any ParsableCommand.Type] {
    #if Sync
    [ServeCommand.self, UsersCommand.self, BackupCommand.self]
    #else
    []
    #endif
  }
}

/// A subcommand that gets its world as a parameter.
protocol ContextCommand: ParsableCommand {
  func run(in context: CommandContext) throws -> ExitStatus
}

@main enum Program {
  static func main() {
    let status = run(Array(CommandLine.arguments.dropFirst()), in: .standard())
    exit(status.rawValue)
  }

  /// Parses `arguments`, runs the subcommand, writes what went wrong to the context's errors.
  static func run(_ arguments: [String], in context: CommandContext) -> ExitStatus {
    do {
      let status = try perform(arguments, in: context)
      try context.output.flush()
      try context.errors.flush()
      return status
    } catch {
      // Output before the error is part of the answer.
      try? context.output.flush()
      let failure = describe(error)
      try? context.note("atoll: " + failure.message)
      return failure.status
    }
  }

  private static func perform(
    _ arguments: [String], in context: CommandContext
  ) throws -> ExitStatus {
    let command: any ParsableCommand
    do {
      command = try RootCommand.parseAsRoot(arguments)
      if let command = command as? any ContextCommand { return try command.run(in: context) }
    } catch  where RootCommand.exitCode(for: error).isSuccess {
      // A request for help is an error to the parser.
      try context.output.write(RootCommand.fullMessage(for: error) + "\n")
      return .success
    } catch  where RootCommand.exitCode(for: error) == .validationFailure {
      try context.note(RootCommand.fullMessage(for: error))
      return .usage
    }
    if command is RootCommand {
      try context.note(RootCommand.helpMessage())
      return .usage
    }
    // `atoll help import`: its run ends in a clean exit with the text.
    var other = command
    do {
      try other.run()
      return .success
    } catch  where RootCommand.exitCode(for: error).isSuccess {
      try context.output.write(RootCommand.fullMessage(for: error) + "\n")
      return .success
    }
  }

  private static func describe(_ error: any Error) -> CommandError {
    switch error {
    case let error as CommandError: error
    // A name in the command line is not in the file, or a query is invalid.
    case ObjectError.noSuchClass, is QueryError: CommandError("\(error)", status: .usage)
    case ObjectError.storage(.corrupted): CommandError("\(error)\n\(SalvageCommand.hint)")
    case ObjectError.storage(.encryption(_, .keyMissing)):
      CommandError("\(error): name the file that has it with --key-file")
    case ObjectError.storage(.encryption(_, .keyByteCount)):
      CommandError("\(error): a key file holds these bytes as they are, not as digits or lines")
    default: CommandError("\(error)")
    }
  }
}
