import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCapture

@Suite(.computing) struct RecordedCodingTests {
  static let address = ObjectAddress(className: "Task", primaryKey: .string("a"))
  static let id = ElementID(client: 7, number: 3, index: 1)

  static let moment = Timestamp(seconds: -1, nanoseconds: -5)

  static let values: [RecordedValue] = [
    .null, .bool(true), .bool(false), .int(0), .int(.min), .int(.max), .float(-0), .double(.nan),
    .decimal(.infinity), .string("é"), .data([0, 255]),
    moment.map { .date($0) } ?? .null,
    .objectID(ObjectID(high: .max, low: 1)), .uuid(UniqueID(high: 1, low: .max)), .link(address),
    .embedded(
      EmbeddedValue([RecordedField(property: "x", value: .list([.int(1), .null]))])),
    .embedded(
      EmbeddedValue(incarnation: id, [RecordedField(property: "x", value: .int(1))])),
    .set([.int(1), .int(2)]),
    .map([RecordedEntry(key: "", value: .null), RecordedEntry(key: "k", value: .link(address))]),
  ]

  static let entry = OutboxEntry(
    number: 300, firstName: EntryName(client: .max, number: 2), digest: 5,
    content: .push(
      RecordedTransaction(
        clock: HybridClock(milliseconds: 1_700_000_000_000),
        seen: Cursor(incarnation: 9, version: 1000),
        operations: [
          Operation(object: address, generation: nil, action: .create),
          Operation(
            object: address, generation: .pending(number: 300, index: 0),
            action: .set(property: "name", .string("new"))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .insert(property: "tags", id, ListPosition([1, 2]), .string("t"))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .setElement(property: "tags", id, .null)),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .removeElement(property: "tags", id)),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .setEntry(property: "scores", key: .string("k"), .int(1))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .addMember(property: "marks", .link(address))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .removeEntry(property: "marks", key: .string(""))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .increment(property: "count", by: -5)),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .moveElement(property: "tags", id, ListPosition([3]))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .edit(
              .property("place"), InnerPlace(incarnation: id, names: ["street"]),
              .set(.string("s")))),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .edit(
              .element(property: "any", id), InnerPlace(incarnation: nil, names: ["k", "l"]),
              .remove)),
          Operation(
            object: address, generation: .confirmed(Cursor(incarnation: 1, version: 2)),
            action: .edit(
              .entry(property: "rooms", .string("k")),
              InnerPlace(incarnation: id, names: ["size"]),
              .increment(by: -2, startsAtZero: true))),
          Operation(
            object: ObjectAddress(className: "Task", primaryKey: .int(-1)),
            generation: .confirmed(Cursor(incarnation: 1, version: 2)), action: .delete),
        ])))

  private func bytes(of entry: OutboxEntry) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(entry)
    return writer.bytes
  }

  @Test(arguments: values) func eachValueComesBack(value: RecordedValue) throws {
    var writer = RecordedWriter()
    writer.append(value)
    writer.append(value)
    var reader = RecordedReader(writer.bytes)
    #expect(try reader.readValue() == value)
    #expect(try reader.readValue() == value)
    try reader.finish()
  }

  @Test func anEntryComesBack() throws {
    for content in [Self.entry.content, .schema, .sets(version: 12)] {
      var entry = Self.entry
      entry.content = content
      var reader = RecordedReader(bytes(of: entry))
      #expect(try reader.readEntry() == entry)
      #expect(reader.isAtEnd)
    }
  }

  @Test func aNameAndAnAddressAreWrittenOnce() throws {
    var writer = RecordedWriter()
    for _ in 0..<3 {
      writer.append(
        Operation(
          object: Self.address, generation: .pending(number: 1, index: 0),
          action: .set(property: "name", .bool(true))))
    }
    let first = 1 + (1 + (1 + 5) + 3) + 3 + (1 + 5) + 1
    #expect(writer.bytes.count == first + 2 * 7)
  }

  @Test func valuesAreToldApartByTheirBytes() {
    #expect(RecordedValue.double(.nan) == .double(.nan))
    #expect(RecordedValue.double(0) != .double(-0.0))
    #expect(RecordedValue.int(1) != .double(1))
    #expect(RecordedValue.string("e\u{301}") != .string("\u{e9}"))
    #expect(Set(Self.values + Self.values).count == Self.values.count)
  }

  @Test func everyTruncationIsAnError() {
    let bytes = bytes(of: Self.entry)
    for count in 0..<bytes.count {
      #expect(throws: ValueCodingError.self) {
        var reader = RecordedReader(Array(bytes[..<count]))
        _ = try reader.readEntry()
      }
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>) func anyBytesGiveAValueOrAnError(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let sound = bytes(of: Self.entry)
    for _ in 0..<200 {
      var bytes = sound
      for _ in 0..<1 + random.next() % 4 {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      var reader = RecordedReader(bytes)
      guard let entry = try? reader.readEntry() else { continue }
      // What was read is written and read as the same.
      var writer = RecordedWriter()
      writer.append(entry)
      var again = RecordedReader(writer.bytes)
      #expect((try? again.readEntry()) == entry)
    }
  }

  @Test func deepNestingAndFalseCountsAreErrors() {
    let deep = (0..<1_000_000).map { $0 % 2 == 0 ? 14 : 1 as UInt8 }
    var reader = RecordedReader(deep)
    #expect(throws: ValueCodingError.nestingTooDeep(limit: RecordedReader.nestingLimit)) {
      _ = try reader.readValue()
    }
    var claim = RecordedReader([14, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
    #expect(throws: ValueCodingError.self) { _ = try claim.readValue() }
  }

  @Test func theClockGoesOnAlsoWhenTheWallClockDoesNot() {
    let start = HybridClock(milliseconds: 1000)
    #expect(start.next(milliseconds: 5) == HybridClock(rawValue: start.rawValue + 1))
    #expect(start.next(milliseconds: 1000) == HybridClock(rawValue: start.rawValue + 1))
    #expect(start.next(milliseconds: 1001) == HybridClock(milliseconds: 1001))
    let end = HybridClock(rawValue: .max)
    #expect(end.next(milliseconds: .max) == end)
  }
}
