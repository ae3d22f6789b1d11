internal import ArgumentParser
internal import Atoll
internal import TestSupport

/// `simulate migrator`: one of the processes of `simulate migrations`, which may kill it.
///
/// It says `begin`, waits for a line if it is told to, and then says `ran` or `passed` when the file
/// has the new version, by its own block or by that of another process, or `refused WORDS`.
struct MigratorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrator", abstract: "One of the processes of 'simulate migrations'.",
    shouldDisplay: false)

  @Argument var path: String
  @Option var seed: UInt64
  @Option var step: Int
  @Option var deathAtWrite: Int?
  @Flag var waits = false

  func run() throws {
    ChildProcess.ignoreBrokenPipes()
    let script = MigrationTrial.scripts(seed)[step]
    writeToStandardOutput("begin")
    if waits { _ = readLine() }
    if let deathAtWrite { DeathAtWrite.begin(after: deathAtWrite) }
    do {
      let ran = try MigrationTrial.migrate(path, script, step: step)
      writeToStandardOutput(ran ? "ran" : "passed")
    } catch {
      writeToStandardOutput(
        "refused \(script.expects(error) ? "" : "\(error)".replacing("\n", with: " "))")
    }
  }
}
