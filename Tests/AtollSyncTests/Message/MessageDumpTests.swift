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
  private static let members = [
    SetMember(className: "Task", query: "progressMinutes > 60")
  ]

  /// The generation of the object that the PUSH creates.
  private static let made = Cursor(incarnation: cursor.incarnation, version: 301)

  /// Names an element of the transaction that became version 41 of a file.
  private static func elementID(_ index: UInt32) -> ElementID {
    ElementID(client: 0xE1, number: 41, index: index)
  }

  /// A position of the run of mark 0x12345678 at 0.
  private static func position(_ place: UInt8) -> ListPosition {
    guard
      let position = ListPosition(decoding: [0x80, 0xC3, 0x12, 0x34, 0x56, 0x38, 0x80 + place])
    else { preconditionFailure("the numbers 0, 0x12345678 and \(place) are a position") }
    return position
  }

  private static let transaction = RecordedTransaction(
    clock: HybridClock(milliseconds: 1_700_000_000_000), seen: cursor,
    operations: [
      Operation(object: task, generation: nil, action: .create),
      Operation(
        object: task, generation: .pending(number: 7, index: 0),
        action: .set(property: "taskName", .string("Write it down"))),
      Operation(
        object: other, generation: .confirmed(cursor),
        action: .set(property: "progressMinutes", .int(90))),
    ])

  /// The digest of the PUSH, chained to that of the WELCOME.
  private static let pushDigest: UInt64 = {
    var writer = RecordedWriter()
    writer.append(OutboxEntry.Content.push(transaction))
    return Capture.digest(after: 0xD6, EntryName(client: 0xA1, number: 7), writer.bytes)
  }()

  private static func header(_ number: UInt64, _ digest: UInt64) -> EntryHeader {
    EntryHeader(
      number: number, digest: digest, firstName: EntryName(client: 0xA1, number: number))
  }

  /// A PUSH of other operations and values.
  private static let collections: SyncMessage = {
    let operations: [Operation.Action] = [
      .insert(property: "labels", elementID(0), position(0), .string("blue")),
      .insert(property: "labels", elementID(1), position(1), .string("old")),
      // 12.50
      .set(property: "cost", .decimal(Decimal128(low: 1_250, high: 0x303C_0000_0000_0000))),
      .set(
        property: "place",
        .embedded(
          EmbeddedValue(
            incarnation: elementID(2), [RecordedField(property: "floor", value: .int(3))]))),
    ]
    return .push(
      PushEntry(
        header: header(8, 0xD8),
        transaction: RecordedTransaction(
          clock: transaction.clock.next(milliseconds: 0), seen: cursor,
          operations: operations.map {
            Operation(object: other, generation: .confirmed(cursor), action: $0)
          })))
  }()

  /// The digest of a view that holds the created object alone.
  private static let viewDigest: ViewDigest = {
    var digest = ViewDigest()
    digest.add(task, made)
    return digest
  }()

  static let dumps = [
    Dump(
      name: "hello",
      message: .hello(
        Hello(
          client: 0xA1, token: 0xB2, proof: cursor, cursor: cursor, answered: 5,
          sets: AnsweredSets(number: 2, version: 1, members: members),
          bootstrap: BootstrapPosition(run: 9, position: [1, 2, 3], from: cursor),
          isProgressive: false))),
    Dump(
      name: "welcome",
      message: .welcome(
        Welcome(token: 0xB3, isFromStart: false, pushed: 6, digest: 0xD6, wantsSchema: false))),
    Dump(
      name: "schema",
      message: .schema(
        SchemaEntry(
          header: header(1, 0xD1),
          classes: [
            ClassSchema(
              "Place", properties: [PropertySchema("floor", .int)], isEmbedded: true),
            ClassSchema(
              "Task",
              properties: [
                PropertySchema("_id", .int),
                PropertySchema("taskName", .string, isIndexed: true),
                PropertySchema("cost", .decimal, isOptional: true),
                PropertySchema("labels", .string, collection: .list),
                PropertySchema("place", linkTo: "Place"),
              ], primaryKey: "_id"),
          ]))),
    Dump(
      name: "sets",
      message: .sets(SetsEntry(header: header(2, 0xD2), version: 1, members: members))),
    Dump(
      name: "push",
      message: .push(PushEntry(header: header(7, pushDigest), transaction: transaction))),
    Dump(name: "collections", message: collections),
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
                generation: made,
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
                .applied(generation: made),
                .applied(generation: nil), .outdated(.newerClock),
              ])
          ]))),
    Dump(
      name: "confirm",
      message: .confirm(
        Confirmation(
          token: 0xB3, cursor: Cursor(incarnation: cursor.incarnation, version: 302),
          answered: 7))),
    Dump(
      name: "error",
      message: .error(
        ErrorMessage(
          .report, .setRefused, text: "no property 'minutes'",
          members: [RefusedMember(index: 0, text: "no property 'minutes'")]))),
    Dump(
      name: "digests",
      message: .digests(
        ViewDigests(
          number: 1, cursor: Cursor(incarnation: cursor.incarnation, version: 302), setNumber: 2,
          digests: [viewDigest]))),
  ]

  @Test(arguments: dumps)
  func dumpIsTheBytesOfTheMessage(dump: Dump) throws {
    let frames = MessageFrames.encode(dump.message)
    try #require(frames.count == 1)
    let lines = HexDump.render(try FormatMessage(frames[0]).fields, of: frames[0])
    if GoldenFiles.isWriting { try GoldenFiles.setDump(dump.name, lines) }
    #expect(try GoldenFiles.dump(dump.name) == lines)
  }

  @Test(.enabled(if: !GoldenFiles.isWriting), arguments: dumps)
  func bytesOfTheDumpAreReadAsTheMessage(dump: Dump) throws {
    var reader = MessageReader()
    #expect(try reader.receive(try Self.bytes(dump.name)) == dump.message)
  }

  /// As the text says, without the library: FNV-1a over the digest before, the name and the content.
  @Test(.enabled(if: !GoldenFiles.isWriting))
  func digestOfThePushIsTheOneOfTheText() throws {
    let frame = try Self.bytes("push")
    let start = 2 + 1 + 8 + 8 + 1
    var bytes: [UInt8] = []
    for number: UInt64 in [0xD6, 0xA1, 7] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    bytes += [0] + frame[start...]
    #expect(FormatReader.littleEndian(frame[3..<11]) == Self.fnv1a(bytes))
  }

  /// As the text says, without the library: the mixed FNV-1a of address and generation.
  @Test(.enabled(if: !GoldenFiles.isWriting))
  func digestOfAViewIsTheOneOfTheText() throws {
    let batch = try Self.bytes("batch")
    // The address and the generation of the object in the BATCH, between which is a tag.
    var hash = Self.fnv1a(Array(batch[0x2C..<0x35] + batch[0x36..<0x40]))
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    #expect(FormatReader.littleEndian(try Self.bytes("digests").suffix(8)) == hash)
  }

  private static func fnv1a(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The bytes of a dump of Format.md.
  private static func bytes(_ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for row in HexDump.parse(try GoldenFiles.dump(name)) {
      try #require(row.byteOffset == bytes.count, "the dump '\(name)' is cut")
      bytes += row.bytes
    }
    return bytes
  }
}
