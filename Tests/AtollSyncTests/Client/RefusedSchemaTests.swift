import AtollCapture
import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Classes that the server refuses, until it has other rules.
@Suite(.computing) struct RefusedSchemaTests {
  private static let place = ClassSchema(
    "Place", properties: [PropertySchema("_id", .int)], primaryKey: "_id", isSynced: true)

  /// A device with a class, sent in entry 1, which the server has refused.
  private func refused(_ text: String = "the server has no Place") throws -> TestDevice {
    let device = try TestDevice()
    try device.database.write { try $0.addClasses([Self.place]) }
    try device.connect()
    #expect(try device.outgoing().map(\.kind) == [.confirm, .schema])
    try refuse(1, text, device, from: nil, to: 10)
    #expect(schemaEvents(device) == [text])
    return device
  }

  private func refuse(
    _ number: UInt64, _ text: String, _ device: TestDevice, from: UInt64?, to: UInt64
  ) throws {
    let refusal = Refusal(.unknownSchema, text: text)
    try device.receive(
      .live(from, to, [], [Answer(number: number, verdicts: [.refused(refusal)])]))
  }

  private func schemaEvents(_ device: TestDevice) -> [String] {
    device.client.takeEvents().compactMap {
      if case .schemaRefused(let refusal) = $0 { refusal.text } else { nil }
    }
  }

  /// The schemas that leave, by the numbers of their entries.
  private func schemas(_ device: TestDevice) throws -> [UInt64] {
    try device.outgoing().compactMap {
      if case .schema(let entry) = $0 { entry.header.number } else { nil }
    }
  }

  /// Before what waits in the outbox, as that may need the classes, and as an entry that is
  /// answered.
  ///
  /// Promise: refusals.schemaAgain.
  @Test func eachConnectionAsksOnceForWhatWasRefused() throws {
    let device = try refused()
    #expect(try schemas(device) == [])
    device.client.close(now: 0)
    try device.database.write { try $0.create("Place", ["_id": .int(1)]) }
    try device.connect()
    let sent = try device.outgoing()
    #expect(sent.map(\.kind) == [.confirm, .schema, .push, .schema])
    guard case .schema(let first) = sent[1], case .schema(let last) = sent[3] else { return }
    #expect(first.header.number == 0 && last.header.number == 3)
    #expect(first.classes.map(\.name).contains("Place"))
    #expect(try schemas(device) == [])
    // The server has lost the entry: it is still in the outbox, and there is no other one.
    device.client.close(now: 0)
    try device.connect(pushed: 1)
    #expect(try schemas(device) == [0, 3])
    #expect(try device.outbox.count == 2)
  }

  /// Promise: refusals.schemaAgain.
  @Test func whatIsAcceptedAtLastIsNotAskedForAgain() throws {
    let device = try refused()
    device.client.close(now: 0)
    try device.connect()
    #expect(try schemas(device) == [0, 2])
    try device.receive(
      .live(10, 20, [], [Answer(number: 2, verdicts: [.applied(generation: nil)])]))
    #expect(schemaEvents(device) == [])
    device.client.close(now: 0)
    try device.connect()
    #expect(try schemas(device) == [])
    #expect(try device.outbox.isEmpty)
  }

  /// Promise: refusals.schemaAgain.
  @Test func aRefusalIsToldWhenItIsAnother() throws {
    let device = try refused("one")
    device.client.close(now: 0)
    try device.connect()
    #expect(try schemas(device) == [0, 2])
    _ = device.client.takeEvents()
    // The answer to the first of the two has no number, and the same text.
    try device.receive(.error(ErrorMessage(.report, .schemaConflict, text: "one")))
    try refuse(2, "one", device, from: 10, to: 20)
    #expect(device.client.takeEvents() == [.answered(upTo: 2)])
    device.client.close(now: 0)
    try device.connect()
    #expect(try schemas(device) == [0, 3])
    try refuse(3, "two", device, from: 20, to: 30)
    #expect(schemaEvents(device) == ["two"])
    // Other classes are refused with the same words.
    try device.database.write { transaction in
      try transaction.addClasses([
        ClassSchema(
          "Shop", properties: [PropertySchema("_id", .int)], primaryKey: "_id", isSynced: true)
      ])
    }
    #expect(try schemas(device) == [4])
    try refuse(4, "two", device, from: 30, to: 40)
    #expect(schemaEvents(device) == ["two"])
  }

  /// The repeated request has another number under another id, but is one entry.
  @Test func aNewIdentityAsksOnce() throws {
    let device = try refused()
    device.client.close(now: 0)
    try device.connect()
    #expect(try schemas(device) == [0, 2])
    device.client.close(now: 0)
    try device.database.write { transaction in
      try NewIdentity.take(transaction, client: 99)
      let capture = try transaction.capture
      #expect(try RefusedSchema.askAgain(capture))
      #expect(try RefusedSchema.find(capture)?.request.number == 1)
      #expect(try capture.entry(2) == nil)
    }
  }
}
