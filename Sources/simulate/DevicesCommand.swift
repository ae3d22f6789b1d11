#if Sync
internal import ArgumentParser
internal import TestSupport

/// `simulate devices`: devices and a server that are killed.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Kill devices and their server.",
    discussion: """
      Programs with a synced file each share objects through 'atoll serve', over TCP on this \
      machine: they create, change and delete objects, change lists and subscriptions, write what \
      their subscriptions do not allow, and go offline. They and the server are killed at random \
      moments and started again. Each logs, outside of its database, every commit that has \
      returned. At the end each of these must be on the server, or outdated by a newer one, or \
      refused and reported to the app; every device must hold exactly the objects of its \
      subscriptions, as a new device reads them; elements of lists must keep their order; a check \
      of every file must find no fault. A seed decides the work; where a signal hits is up to the \
      system.

      The first violation ends the run. Exit status: 0 when all is well, 1 for a violation, 64 for \
      a command line that makes no sense.
      """)

  @Option(help: "How many processes to kill; a sixth of them are the server.")
  var kills = 60

  @Option(help: "The seed of the work.")
  var seed: UInt64 = 0

  @Option(help: "How many devices there are.")
  var devices = 3

  @Option(help: "How many transactions the devices commit at least; by default 340 for a kill.")
  var transactions: Int?

  @Option(help: "How long to go on at least, in seconds; as many kills as come in that time.")
  var seconds: Int?

  @Option(help: "How many operations a transaction does on one list at most.")
  var lists = 1

  @Flag(help: "Put a network between that delays, goes silent and cuts connections.")
  var proxy = false

  @Option(
    help: ArgumentHelp(
      "Keep everything in this folder, which must not exist; else in one that is deleted.",
      valueName: "path"))
  var dir: String?

  @Flag(help: "Write the summary as JSON, for programs.")
  var json = false

  func validate() throws {
    guard (1...100_000).contains(kills) else {
      throw ValidationError("--kills is from 1 to 100000")
    }
    guard (1...64).contains(devices) else { throw ValidationError("--devices is from 1 to 64") }
    guard (1...100).contains(lists) else { throw ValidationError("--lists is from 1 to 100") }
    guard (0...86_400).contains(seconds ?? 0) else {
      throw ValidationError("--seconds is from 0 to 86400")
    }
    guard (0...1_000_000_000).contains(transactions ?? 0) else {
      throw ValidationError("--transactions is from 0 to 1000000000")
    }
  }

  func run() throws {
    ChildProcess.ignoreBrokenPipes()
    let options = DevicesRun.Options(
      seed: seed, killCount: kills, deviceCount: devices,
      transactionCount: transactions ?? 340 * kills, seconds: seconds, hasProxy: proxy,
      listOperationCount: lists, folder: dir)
    let report = DevicesSimulation(
      options: options,
      progress: { [kills] in writeToStandardError("simulate: \($0) of \(kills) kills") }
    ).run()
    for line in report.details { writeToStandardError(line) }
    print(json ? report.json : report.summary)
    guard report.isSound else { throw ExitCode.failure }
  }
}
#endif
