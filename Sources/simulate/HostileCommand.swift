#if Sync
internal import ArgumentParser
internal import TestSupport

/// `simulate hostile`: attacks a server process beside honest devices.
struct HostileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hostile",
    abstract: "Attack a server process beside honest devices.",
    discussion: """
      Runs Tests/Wire/hostile.py, of the checkout that this program was built in, with the program \
      'atoll' that lies beside this one. Clients in Python, written from Format.md alone, send \
      what costs a server much: queries of 250 kB, floods of small messages, pushes of millions of \
      operations or that never end, password log-ins, ten thousand connections. Beside them honest \
      devices write once a second. All attacks run at once, by 50 users from 20 addresses; with \
      --single one after the other. What is measured is printed: the time from a write to the \
      other device, of log-ins, refreshes and health checks, and the server's memory, before the \
      attack, under it, and five seconds after it.

      Exit status: 0 when all that was written has arrived, the server lives, its memory stayed \
      below --memory and, with a --scale of 1 or more, all attacks have begun; 1 otherwise, 64 for \
      a command line that makes no sense, 69 when Python or one of the programs is not there. Times do not matter for it: \
      they depend on what else the machine does.
      """)

  @Option(help: "How long the attack lasts, in seconds.")
  var seconds = 60

  @Option(help: "How many honest devices there are.")
  var devices = 100

  @Option(help: "By what all sizes of the attacks are multiplied.")
  var scale = 1.0

  @Option(help: "How many MiB the server may use.")
  var memory = 1024

  @Option(help: "How modest the attackers' processes are, from 0 to 19.")
  var nice = 5

  @Option(help: "Only the attacks whose name begins with this.")
  var only: String?

  @Flag(help: "Run one attack after the other.")
  var single = false

  @Flag(help: "Write the results as JSON, for programs.")
  var json = false

  func validate() throws {
    guard (1...86_400).contains(seconds) else {
      throw ValidationError("--seconds is from 1 to 86400")
    }
    guard (2...250).contains(devices) else { throw ValidationError("--devices is from 2 to 250") }
    guard scale > 0, scale <= 4 else { throw ValidationError("--scale is above 0, up to 4") }
    guard (1...1_000_000).contains(memory) else {
      throw ValidationError("--memory is from 1 to 1000000")
    }
    guard (0...19).contains(nice) else { throw ValidationError("--nice is from 0 to 19") }
  }

  func run() throws {
    let programs: HostilePrograms
    do throws(HostilePrograms.Missing) { programs = try HostilePrograms() } catch {
      writeToStandardError("simulate: \(error)")
      throw ExitCode(69)
    }
    var arguments = [
      "--server", programs.server, "--seconds", "\(seconds)", "--devices", "\(devices)",
      "--scale", "\(scale)", "--memory", "\(memory)", "--nice", "\(nice)",
    ]
    if let only { arguments += ["--only", only] }
    if !single { arguments.append("--minute") }
    if json { arguments.append("--json") }
    throw ExitCode(try programs.run(arguments))
  }
}
#endif
