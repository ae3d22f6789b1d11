import AtollObjects
import TestThreads
import Testing

@testable import AtollCapture

/// Names are two when their bytes are, also where Unicode takes them for one, as é in one scalar and
/// in two.
@Suite(.computing) struct RecordedNamesTests {
  private static let names = ["\u{E9}", "e\u{301}"]

  /// What sync records of two properties is not taken for one.
  @Test func unitsOfTwoNamesDiffer() throws {
    #expect(UnitPath.property(Self.names[0]) != .property(Self.names[1]))
    #expect(
      ObjectAddress(className: Self.names[0], primaryKey: .int(1))
        != ObjectAddress(className: Self.names[1], primaryKey: .int(1)))
    var writer = RecordedWriter()
    for name in Self.names + Self.names { writer.append(name: name) }
    var reader = RecordedReader(writer.bytes)
    for name in Self.names + Self.names { #expect(try reader.readName().hasSameBytes(as: name)) }
  }
}
