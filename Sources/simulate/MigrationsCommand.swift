internal import ArgumentParser
internal import TestSupport

/// `simulate migrations`: files that go through random versions of their classes.
struct MigrationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrations",
    abstract: "Migrate files between versions of their classes, and compare them with a model.",
    discussion: """
      A number decides a case: a file with random objects of one of seven versions of its classes, \
      which link to each other, embed objects, have unique indexes and rules of deletion; and three \
      migrations to others, with blocks that rename, set, link, create and delete, give classes up, \
      change primary keys, and fail at a random place. Some migrations are done by another process, \
      which is killed at some moment or some write, some by two processes at once, while a third, of \
      the old version, reads and writes. After each one the file must hold what the model does: all \
      of the migration, or nothing; no write may be lost; and a check must find no fault.

      Exit status: 0 when all is well, 1 for a violation, 64 for a command line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(
    name: "migrations", columns: ["failed", "killed before", "killed after", "together"])

  @OptionGroup var options: CaseOptions

  @Flag(help: "Run the first case in this process and print what it does.")
  var show = false

  func run() throws {
    if show {
      for script in MigrationTrial.scripts(options.seed) {
        print("from \(script.oldVersion) to \(script.newVersion), fails: \(script.failures)")
        print(script.before)
        for step in script.steps { print("  \(step)") }
      }
      var trial = MigrationTrial(number: options.seed)
      return try trial.run()
    }
    try options.run(Self.kind) { worker in
      worker.run { number in
        var trial = MigrationTrial(number: number)
        try trial.run()
        return CaseOutcome(flags: trial.flags, inputByteCount: 100_000 + trial.objectCount * 1000)
      }
    }
  }
}
