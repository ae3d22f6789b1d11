internal import ArgumentParser
internal import AtollSync

/// `simulate leaks`: pairs of worlds that differ only in what a user may not read.
struct LeaksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leaks",
    abstract: "Look for what a server tells users that they may not read.",
    discussion: """
      A seed decides a pair of worlds: a server with rules, a user who may read everything, and a \
      spy. In both worlds the same happens to all that the spy may read; what it may not read \
      (objects outside of its role, hidden properties) is made, changed and deleted at random, in \
      each world in its own way. The spy subscribes, edits what it holds and what it guesses, \
      reconnects in the middle of catch-ups, and gets another role. Every frame that it is sent must \
      be the same in both worlds, byte by byte: lengths, counts, positions and refusals are told too.

      Then every planted leak is run until it is found: a simulation that finds none proves \
      nothing. How many transactions there were is no secret. Exit status: 0 when all is well, 1 \
      for a difference or a planted leak that was not found, 64 for a command line that makes no \
      sense.
      """)

  @OptionGroup var options: SeedOptions<LeakWork>

  func run() throws { try options.run() }
}

extension LeakFault: ExpressibleByArgument {}
