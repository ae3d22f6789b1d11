import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import TestThreads
import Testing

/// The dumps of messages in Format.md are the bytes of the codec, and mean what the tables say.
@Suite(.computing) struct MessageDumpTests {
  struct Dump: Sendable, CustomTestStringConvertible {
    let name: String
    let message: SyncMessage

    var testDescription: String { name }
  }

  private static let cursor = Cursor(incarnation: 0x1122_3344_5566_7788, version: 300)
  private static let task = ObjectAddress(className: "Task", primaryKey: .int(7))
  private static let other = ObjectAddress(className: "Task", primaryKey: .int(8))

  static let dumps = [
    Dump(
      name: "hello",
      message: .hello(
        Hello(
          client: 0xA1, token: 0xB2, proof: cursor, cursor: cursor, answered: 5,
          sets: AnsweredSets(
            number: 2, version: 1,
            members: [SetMember(className: "Task", query: "progressMinutes > 60")]),
          bootstrap: BootstrapPosition(run: 9, position: [1, 2, 3], from: cursor),
          isProgressive: false))),
    Dump(
      name: "welcome",
      message: .welcome(
        Welcome(token: 0xB3, isFromStart: false, pushed: 6, digest: 0xD6, wantsSchema: false))),
    Dump(
      name: "push",
      message: .push(
        PushEntry(
          header: EntryHeader(
            number: 7, digest: 0xD7, firstName: EntryName(client: 0xA1, number: 7)),
          transaction: RecordedTransaction(
            clock: HybridClock(milliseconds: 1_700_000_000_000), seen: cursor,
            operations: [
              Operation(object: task, generation: nil, action: .create),
              Operation(
                object: task, generation: .pending(number: 7, index: 0),
                action: .set(property: "taskName", .string("Write it down"))),
              Operation(
                object: other, generation: .confirmed(cursor),
                action: .set(property: "progressMinutes", .int(90))),
            ])))),
    Dump(
      name: "batch",
      message: .batch(
        Batch(
          from: cursor, to: Cursor(incarnation: cursor.incarnation, version: 302), readAt: 302,
          readTime: 1_700_000_001_000,
          newestClock: HybridClock(milliseconds: 1_700_000_000_000), setNumber: 2, run: nil,
          objects: [
            ObjectChange(
              task,
              .full(
                generation: Cursor(incarnation: cursor.incarnation, version: 301),
                [
                  UnitChange(.property("taskName"), .value(.string("Write it down"))),
                  UnitChange(.property("completed"), .value(.bool(true))),
                ])),
            ObjectChange(other, .leave),
          ],
          answers: [
            Answer(
              number: 7,
              verdicts: [
                .applied(generation: Cursor(incarnation: cursor.incarnation, version: 301)),
                .applied(generation: nil), .outdated(.newerClock),
              ])
          ]))),
    Dump(
      name: "confirm",
      message: .confirm(
        Confirmation(
          token: 0xB3, cursor: Cursor(incarnation: cursor.incarnation, version: 302),
          answered: 7))),
  ]

  @Test(arguments: dumps)
  func dumpIsTheBytesOfTheMessage(dump: Dump) throws {
    let frames = MessageFrames.encode(dump.message)
    try #require(frames.count == 1)
    let lines = HexDump.render(try FormatMessage(frames[0]).fields, of: frames[0])
    if GoldenFiles.isWriting { try GoldenFiles.setDump(dump.name, lines) }
    #expect(try GoldenFiles.dump(dump.name) == lines)
  }
}
