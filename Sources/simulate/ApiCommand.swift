internal import ArgumentParser
internal import TestSupport

/// `simulate api`: random programs of the Swift interface, compared with a model.
struct ApiCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "api",
    abstract: "Run random programs of the Swift interface.",
    discussion: """
      A program of some dozens of steps uses a file in three places, a thread and two queues: it \
      makes objects of many classes, sets properties, changes lists, sets, maps, embedded objects \
      and mixed values, deletes, reads, commits and cancels, freezes, hands objects over, observes, \
      uses projections, closes the file and opens it again. Classes are first used at any time, in \
      an open write or outside of it, for reading or for writing. What a place shows must be what a \
      plain model shows.

      No program may end the process, take 20 seconds or much memory. Exit status: 0 when all is \
      well, 1 for a violation, 64 for a command line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(
    name: "api", columns: ["committed", "cancelled", "extended"])

  @OptionGroup var options: CaseOptions

  @Flag(
    help: "Run the first case in this process and print its steps; make it shorter if it fails.")
  var show = false

  func run() throws {
    if show {
      return try ApiCase(number: options.seed).show { print($0) }
    }
    try options.run(Self.kind) { worker in
      worker.run { try ApiCase(number: $0).run() }
    }
  }
}
