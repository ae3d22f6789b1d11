internal import ArgumentParser

/// `simulate leaks`: pairs of worlds that differ only in what a user may not read.
struct LeaksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leaks",
    abstract: "Look for what a server tells users that they may not read.",
    discussion: """
      A seed decides a pair of worlds: a server with rules, a user who may read everything, and a \
      spy. In both worlds the data that the spy may read changes alike. The data that it may not \
      read (objects outside of its role, hidden properties) is created, changed and deleted at \
      random, differently in each world. The spy subscribes, edits objects that it holds or \
      guesses, reconnects in the middle of catch-ups, and gets another role. Every frame sent to \
      it must be the same in both worlds, byte by byte: also lengths, counts, positions, refusals.

      How many transactions there were is no secret. Exit status: 0 when all is well, 1 for a \
      difference, 64 for a command line that makes no sense.
      """)

  @OptionGroup var options: SeedOptions<LeakWork>

  func run() throws { try options.run(options.simulation) }
}
