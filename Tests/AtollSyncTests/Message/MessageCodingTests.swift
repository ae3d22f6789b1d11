import AtollCapture
import AtollObjects
import AtollSync
import TestSupport
import TestThreads
import Testing

/// Messages survive their bytes, and bytes that are no messages are refused without harm.
@Suite(.computing) struct MessageCodingTests {
  private static func decode(_ frames: [[UInt8]]) throws -> SyncMessage? {
    var reader = MessageReader()
    var message: SyncMessage?
    for frame in frames {
      #expect(message == nil)
      message = try reader.receive(frame)
    }
    return message
  }

  @Test(arguments: seeds(10))
  func everyMessageSurvivesItsBytes(seed: UInt64) throws {
    var make = RandomMessages(seed: seed)
    for _ in 0..<40 {
      let message = make.message()
      let frames = MessageFrames.encode(message)
      #expect(try Self.decode(frames) == message)
    }
  }

  /// Cut anywhere, a frame is refused, or is another message that was complete before the cut.
  @Test(arguments: seeds(5))
  func aTruncatedFrameIsRefused(seed: UInt64) throws {
    var make = RandomMessages(seed: seed)
    for _ in 0..<20 {
      let frame = MessageFrames.encode(make.message())[0]
      for count in 0..<frame.count where count < 16 || count % 7 == 0 {
        #expect(throws: MessageError.self) {
          if let message = try Self.decode([Array(frame[..<count])]) {
            Issue.record("\(message) came from a part of its bytes")
          }
        }
      }
    }
  }

  @Test(arguments: seeds(5))
  func damagedAndRandomFramesGiveAMessageOrAnError(seed: UInt64) throws {
    var make = RandomMessages(seed: seed)
    for _ in 0..<200 {
      var frame = MessageFrames.encode(make.message())[0]
      for _ in 0...make.number(4) {
        frame[make.number(frame.count)] = UInt8(truncatingIfNeeded: make.random.next())
      }
      do { _ = try Self.decode([frame]) } catch is MessageError {}
      var random = make.array(80) { UInt8(truncatingIfNeeded: $0.random.next()) }
      if !random.isEmpty { random[0] = UInt8(1 + make.number(10)) }
      if random.count > 1 { random[1] = 0 }
      do { _ = try Self.decode([random]) } catch is MessageError {}
    }
  }

  @Test func trailingBytesAreRefused() {
    #expect(throws: MessageError.malformed(.bye, .trailingBytes(byteOffset: 0))) {
      try Self.decode([[10, 0, 0]])
    }
  }

  @Test func unknownKindsAreSkippedOnlyIfTheyAllowIt() throws {
    #expect(try Self.decode([[0xF0, 0, 1, 2, 3]]) == nil)
    #expect(throws: MessageError.unknownKind(0x70)) { try Self.decode([[0x70, 0, 1, 2, 3]]) }
  }

  @Test func anotherVersionIsRefusedNamingTheKnownOnes() {
    #expect(throws: MessageError.unknownVersion(9, known: [1])) {
      try Self.decode([[1, 0, 9, 200, 200]])
    }
    #expect("\(MessageError.unknownVersion(9, known: [1]))".hasSuffix("known: 1"))
  }

  @Test func aLargeTransactionComesInPartsAndIsOneMessage() throws {
    let message = Self.largePush(byteCount: 900_000)
    let frames = MessageFrames.encode(message)
    #expect(frames.count == 4)
    #expect(frames.allSatisfy { $0.count <= MessageFrames.frameByteLimit })
    #expect(try Self.decode(frames) == message)
  }

  @Test func partsMayHaveShortMessagesBetweenThem() throws {
    let frames = MessageFrames.encode(Self.largePush(byteCount: 400_000))
    var reader = MessageReader()
    #expect(try reader.receive(frames[0]) == nil)
    #expect(try reader.receive(MessageFrames.encode(.ping(7))[0]) == .ping(7))
    #expect(try reader.receive(frames[1]) == Self.largePush(byteCount: 400_000))
  }

  @Test func partsOfTwoMessagesDoNotMix() throws {
    let frames = MessageFrames.encode(Self.largePush(byteCount: 400_000))
    var reader = MessageReader()
    #expect(try reader.receive(frames[0]) == nil)
    let other = MessageFrames.encode(.sets(SetsEntry(header: Self.header, version: 1, members: [])))
    #expect(throws: MessageError.partOutOfOrder(kind: 4)) { try reader.receive(other[0]) }
  }

  /// Else a sender of tiny parts could make the receiver do much for little.
  @Test func onlyTheLastPartMayBeShort() {
    var reader = MessageReader()
    #expect(throws: MessageError.partOutOfOrder(kind: 5)) { try reader.receive([5, 1, 0, 0]) }
  }

  @Test func whatIsTooLargeIsRefusedBeforeItIsHeld() throws {
    var reader = MessageReader(messageByteLimit: 600_000)
    let frames = MessageFrames.encode(Self.largePush(byteCount: 900_000))
    _ = try reader.receive(frames[0])
    _ = try reader.receive(frames[1])
    #expect(throws: MessageError.messageTooLarge(byteCount: 786_426, limit: 600_000)) {
      try reader.receive(frames[2])
    }
    #expect(throws: MessageError.frameTooLarge(byteCount: 262_145, limit: 262_144)) {
      try Self.decode([[UInt8](repeating: 0, count: 262_145)])
    }
  }

  /// The answer to a million operations takes a few bytes, and no memory before it is read.
  @Test func equalVerdictsAreOneRun() throws {
    let made = Verdict.applied(generation: Cursor(incarnation: 1, version: 2))
    let answer = Answer(number: 1, verdicts: repeatElement(made, count: 1_000_000))
    #expect(answer.runs.count == 1)
    #expect(answer.verdictCount == 1_000_000)
    let batch = Batch(
      from: nil, to: Cursor(incarnation: 1, version: 2), readAt: 2, readTime: 0,
      newestClock: HybridClock(rawValue: 0), setNumber: 0, run: nil, answers: [answer])
    #expect(MessageFrames.encode(.batch(batch))[0].count < 60)
    let mixed = Answer(number: 1, verdicts: [made, made, .outdated(.newerClock), made])
    #expect(Array(mixed.verdicts) == [made, made, .outdated(.newerClock), made])
  }

  private static let header = EntryHeader(
    number: 1, digest: 2, firstName: EntryName(client: 3, number: 1))

  private static func largePush(byteCount: Int) -> SyncMessage {
    let object = ObjectAddress(className: "Task", primaryKey: .int(1))
    let value = RecordedValue.data([UInt8](repeating: 7, count: byteCount))
    return .push(
      PushEntry(
        header: header,
        transaction: RecordedTransaction(
          clock: HybridClock(rawValue: 1), seen: nil,
          operations: [
            Operation(
              object: object, generation: .pending(number: 1, index: 0),
              action: .set(property: "picture", value))
          ])))
  }
}
