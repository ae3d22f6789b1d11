internal import ArgumentParser

/// `simulate messages`: devices and servers that do not keep to the protocol.
struct MessagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages",
    abstract: "Let one side of a conversation be hostile.",
    discussion: """
      In half of the cases a device is hostile: its messages, in the middle of a conversation that \
      began normally, are cut, changed, repeated, reordered, or forged from overheard values: ids \
      of other devices, tokens, clocks from the end of time, queries of a hundred thousand terms. \
      The server must continue, its store must be whole, and the other devices must hold exactly \
      its contents, which only they have written. In the other half the server is hostile. The \
      device changes nothing for a message that it rejects, loses nothing of its outbox without a \
      valid answer, and recovers with the next server.

      No message may end the process, take 20 seconds or much memory; so the cases are run by \
      processes of their own. Exit status: 0 when all is well, 1 for a violation, 64 for a command \
      line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(
    name: "messages", columns: ["onDevice", "changed", "ended", "taken"])

  @OptionGroup var options: CaseOptions

  func run() throws {
    try options.run(Self.kind) { worker in
      let sample = try MessageSample()
      worker.run { number in
        let edits = MessageEdits(Array(MessageEdits.text(number: number).utf8))
        let trial = MessageTrial(sample: sample, edits: edits)
        let outcome = try trial.run()
        return CaseOutcome(flags: outcome.flags, inputByteCount: outcome.byteCount)
      }
    }
  }
}
