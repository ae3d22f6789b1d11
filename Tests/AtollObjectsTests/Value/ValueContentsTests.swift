import AtollObjects
import TestThreads
import Testing

@Suite(.computing) struct ValueContentsTests {
  private static let values: [Value] = [
    .bool(true), .int(-5), .float(1.5), .double(2.5), .decimal(Decimal128(7)), .string("Oslo"),
    .data([1, 2]), .objectID(ObjectID(seconds: 1, random: 2, counter: 3)),
    .uuid(UniqueID(high: 1, low: 2)), .link(ObjectLink(table: 3, key: 4)), .list([.int(1), .null]),
    .set([.string("a")]), .map(ValueMap([("k", .int(1))])),
  ]

  @Test func eachTypeIsReadByItsOwnNameOnly() {
    for (index, value) in Self.values.enumerated() {
      let isThere = [
        value.bool == true, value.int == -5, value.float == 1.5, value.double == 2.5,
        value.decimal == Decimal128(7), value.string == "Oslo", value.data == [1, 2],
        value.objectID == ObjectID(seconds: 1, random: 2, counter: 3),
        value.uuid == UniqueID(high: 1, low: 2), value.link == ObjectLink(table: 3, key: 4),
        value.list == [.int(1), .null], value.set == [.string("a")], value.map != nil,
      ]
      #expect(isThere == isThere.indices.map { $0 == index }, "\(value)")
    }
    let date = Timestamp("2026-03-01")
    #expect(date.map { Value.date($0) }?.date == date)
    #expect(Value.null.date == nil)
  }

  @Test func aValueIsPrintedAsPeopleWriteIt() {
    let shown = Self.values.map { "\($0)" }
    #expect(
      shown == [
        "true", "-5", "1.5", "2.5", "7", "Oslo", "2 bytes", "000000010000000002000003",
        "00000000-0000-0001-0000-000000000002", "object 3#4", "[1, null]", "{a}", "{k: 1}",
      ])
    #expect("\(Value.null)" == "null")
  }
}
