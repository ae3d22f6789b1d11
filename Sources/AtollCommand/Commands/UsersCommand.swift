#if Sync
import ArgumentParser
import AtollImport
import AtollObjects
import AtollServer
import AtollStorage

/// `atoll users`: the users of a server, also while it runs.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Lists, adds, disables and deletes the users of a server.",
    discussion: """
      Works on the folder of a server, also while that runs: it closes the connections of log-ins \
      that end within a second. USER is an id, an e-mail address, or a log-in as the list has it, \
      for example api-key:importer. Passwords are the first line of standard input.
      """,
    subcommands: [
      ListUsersCommand.self, AddUserCommand.self, DisableUserCommand.self, EnableUserCommand.self,
      SetPasswordCommand.self, UnlinkCommand.self, EndSessionsCommand.self,
      DeleteUserCommand.self,
    ], defaultSubcommand: ListUsersCommand.self)
}

/// The folder of the server.
struct ServerFolder: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of the server.", valueName: "dir"), completion: .directory)
  var dir: String

  func validate() throws {
    guard !dir.isEmpty else { throw ValidationError("--dir is the path of a folder") }
  }

  /// Does `body` with the accounts; what they do not allow is bad usage.
  func withAccounts<Result>(_ body: (AccountStore, UInt64) throws -> Result) throws -> Result {
    do {
      return try ServerDirectory.withAccounts(of: dir, random: SystemCalls.randomNumber) {
        try body($0, SystemCalls.millisecondsSince1970())
      }
    } catch let error as AccountError {
      throw CommandError(printable("\(error)"), status: error == .busy ? .failure : .usage)
    }
  }
}

/// What the subcommands that change one user take.
struct UserArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("An id, an e-mail address, or a log-in.", valueName: "user"))
  var user: String

  @OptionGroup var folder: ServerFolder
  @OptionGroup var json: JSONFlag

  /// Changes the user and reports it.
  ///
  /// `done`: what was done, for people; `body` returns how many log-ins it ended.
  func change(
    _ done: String, in context: CommandContext,
    _ body: (AccountStore, String, UInt64) throws -> Int
  ) throws -> ExitStatus {
    let (id, count) = try folder.withAccounts { accounts, now in
      let id = try accounts.userID(of: user)
      return (id, try body(accounts, id, now))
    }
    let name = user == id ? id : "\(printable(user)) (\(id))"
    try context.report("\(done) \(name)", user: id, endedCount: count, json)
    return .success
  }
}

extension CommandContext {
  /// Reports what was done to a user, and how many log-ins that ended.
  fileprivate func report(
    _ done: String, user id: String, endedCount count: Int, _ json: JSONFlag
  ) throws {
    guard !json.isOn else {
      return try writeJSON([.init("id", id), .init("endedLogIns", count)])
    }
    let ended =
      count > 0 ? "; \(Quantity.count(count, "log-in was", "log-ins were")) ended" : ""
    try output.write("\(done)\(ended)\n")
  }
}

/// Reads a password of a user.
private func readPassword(of user: String, in context: CommandContext) throws -> String {
  let prompt = "Password for \(printable(user)): "
  guard let password = try Terminal.readSecret(prompt, context.errors) else {
    throw CommandError("standard input is no UTF-8", status: .usage)
  }
  return password
}

struct ListUsersCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows all users, and how many log-ins of each are open.")

  @OptionGroup var folder: ServerFolder
  @OptionGroup var json: JSONFlag

  func run(in context: CommandContext) throws -> ExitStatus {
    let users = try folder.withAccounts { accounts, now in try accounts.users(now: now) }
    if json.isOn {
      for user in users {
        try context.writeJSON([
          .init("id", user.id), .init("logIns", .list(user.identities.map { .string($0) })),
          .init("created", user.creation), .init("isDisabled", user.isDisabled),
          .init("openLogIns", user.sessionCount),
        ])
      }
      return .success
    }
    var table = TableRenderer(
      names: ["id", "log-in", "created", "state", "open log-ins"],
      isNumber: [false, false, false, false, true], terminalWidth: context.output.terminalWidth)
    for user in users {
      let logIns = user.identities.isEmpty ? ["anonymous"] : user.identities
      try context.output.write(
        table.add([
          user.id, logIns.joined(separator: ", "), user.creation,
          user.isDisabled ? "disabled" : "enabled", Quantity.count(user.sessionCount),
        ]))
    }
    try context.output.write(table.finish())
    return .success
  }
}

extension AccountStore.UserEntry {
  /// When the user came, in UTC.
  fileprivate var creation: String {
    Timestamp(seconds: Int64(clamping: createdAtMilliseconds / 1_000), nanoseconds: 0)?
      .description ?? ""
  }
}

struct AddUserCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Makes an account with a password, also where registration is closed.")

  @Argument(help: "The e-mail address.")
  var email: String

  @OptionGroup var folder: ServerFolder
  @OptionGroup var json: JSONFlag

  func run(in context: CommandContext) throws -> ExitStatus {
    // The folder is checked before the password is read.
    try ServerDirectory.check(folder: folder.dir)
    let password = try readPassword(of: email, in: context)
    let id = try folder.withAccounts { accounts, now in
      try accounts.register(email: email, password: password, now: now)
      return try accounts.userID(of: email)
    }
    if json.isOn {
      try context.writeJSON([.init("id", id)])
    } else {
      try context.output.write("There is an account for \(printable(email)) now, of user \(id)\n")
    }
    return .success
  }
}

struct DisableUserCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Refuses all log-ins of a user, and ends those that are open."
  )

  @OptionGroup var arguments: UserArguments

  func run(in context: CommandContext) throws -> ExitStatus {
    try arguments.change("Disabled", in: context) { accounts, id, now in
      try accounts.setDisabled(true, user: id, now: now)
    }
  }
}

struct EnableUserCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Lets a disabled user log in again.")

  @OptionGroup var arguments: UserArguments

  func run(in context: CommandContext) throws -> ExitStatus {
    try arguments.change("Enabled", in: context) { accounts, id, now in
      try accounts.setDisabled(false, user: id, now: now)
    }
  }
}

struct SetPasswordCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-password",
    abstract: "Gives an account another password, and ends the log-ins of its user.")

  @OptionGroup var arguments: UserArguments

  func run(in context: CommandContext) throws -> ExitStatus {
    try ServerDirectory.check(folder: arguments.folder.dir)
    let password = try readPassword(of: arguments.user, in: context)
    return try arguments.change("Changed the password of", in: context) { accounts, id, now in
      try accounts.setPassword(password, user: id, now: now)
    }
  }
}

struct UnlinkCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink",
    abstract: "Takes one of several log-ins from its user, and ends the log-ins that are open.",
    discussion: """
      The next use of it makes a new user. The only log-in of a user is not removed; delete or \
      disable the user instead. The command does not check whether the server still accepts the \
      other log-ins.
      """)

  @Argument(
    help: ArgumentHelp("An e-mail address, or a log-in as the list has it.", valueName: "log-in"))
  var logIn: String

  @OptionGroup var folder: ServerFolder
  @OptionGroup var json: JSONFlag

  func run(in context: CommandContext) throws -> ExitStatus {
    let (id, count) = try folder.withAccounts { accounts, now in
      try accounts.unlink(logIn, now: now)
    }
    try context.report("Took \(printable(logIn)) from \(id)", user: id, endedCount: count, json)
    return .success
  }
}

struct EndSessionsCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-out", abstract: "Ends all log-ins of a user, who may log in again.")

  @OptionGroup var arguments: UserArguments

  func run(in context: CommandContext) throws -> ExitStatus {
    try arguments.change("Logged out", in: context) { accounts, id, now in
      try accounts.endSessions(of: id, now: now)
    }
  }
}

struct DeleteUserCommand: ContextCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes a user and the account, and ends the log-ins.",
    discussion: """
      What the user has synchronised stays. A user of another service or of an API key is a new one \
      with the next log-in: disable such a user.
      """)

  @OptionGroup var arguments: UserArguments

  func run(in context: CommandContext) throws -> ExitStatus {
    try arguments.change("Deleted", in: context) { accounts, id, now in
      try accounts.delete(user: id, now: now)
    }
  }
}
#endif
