internal import ArgumentParser

/// `simulate where`: random conditions in Swift, compared with a plain reading of them.
struct WhereCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "where",
    abstract: "Compare conditions of where { } with a plain reading of them.",
    discussion: """
      A seed decides a few objects with properties of all kinds and links to each other, and \
      conditions that are composed of the typed operators of `Query` at random. Each is asked of \
      the realm and evaluated over plain Swift values; the objects found must be the same, and so \
      must be their count, the answer to the negation, and the answer to the condition printed as \
      text and read again, also with constants and lists as arguments. Lists, sets, linking \
      objects and results are asked too. The realm is live, frozen, or in an open write with \
      objects that were made and deleted there; enums have raw values that no case has.

      Exit status: 0 when all is well, 1 for a difference, 64 for a command line that makes no \
      sense.
      """)

  @OptionGroup var options: SeedOptions<WhereWork>

  @Flag(help: "Print every condition and what it finds.")
  var verbose = false

  func validate() throws {
    guard !verbose || options.seeds == 1 else {
      throw ValidationError("--verbose needs --seeds 1")
    }
  }

  func run() throws {
    var simulation = options.simulation
    simulation.isVerbose = verbose
    try options.run(simulation)
  }
}
