import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

@Suite(.computing) struct ExtendedJSONTests {
  private static let identifier = "65f0a1b2c3d4e5f60718293a"
  private static let uuid = "0123abcd-4567-89ab-cdef-0123456789ab"

  /// As mongoexport writes them, canonical and relaxed, and the older forms.
  @Test func readsTheTypesThatItNames() throws {
    let moment = try #require(Timestamp("2024-03-01T12:30:00.250Z"))
    let before = try #require(Timestamp("1969-12-31T23:59:58.5Z"))
    let uuid = try #require(UniqueID(Self.uuid))
    for (text, value) in [
      (#"{"$oid":"\#(Self.identifier)"}"#, Value.objectID(try #require(ObjectID(Self.identifier)))),
      (#"{"$uuid":"\#(Self.uuid)"}"#, .uuid(uuid)),
      (#"{"$binary":{"base64":"ASOrzUVniavN7wEjRWeJqw==","subType":"04"}}"#, .uuid(uuid)),
      (#"{"$binary":{"subType":"4","base64":"ASOrzUVniavN7wEjRWeJqw=="}}"#, .uuid(uuid)),
      (#"{"$binary":"ASOrzUVniavN7wEjRWeJqw==","$type":"04"}"#, .uuid(uuid)),
      (#"{"$binary":{"base64":"AP8=","subType":"00"}}"#, .data([0, 255])),
      (#"{"$binary":{"base64":"","subType":"80"}}"#, .data([])),
      (#"{"$date":"2024-03-01T12:30:00.250Z"}"#, .date(moment)),
      (#"{"$date":"2024-03-01T13:30:00.25+0100"}"#, .date(moment)),
      (#"{"$date":{"$numberLong":"1709296200250"}}"#, .date(moment)),
      (#"{"$date":1709296200250}"#, .date(moment)),
      (#"{"$date":{"$numberLong":"-1500"}}"#, .date(before)),
      (
        #"{"$numberDecimal":"123456789012345678.910"}"#,
        .decimal(try #require(Decimal128("123456789012345678.910")))
      ),
      (#"{ "$numberDecimal" : "-Infinity" }"#, .decimal(-.infinity)),
      (#"{"$numberFloat":"0.1"}"#, .float(0.1)),
      // By way of a double, another float would be the nearest.
      (#"{"$numberFloat":"7.038531e-26"}"#, .float(7.038531e-26)),
    ] {
      let found = try readValue(text)
      #expect(found == .typed(value), "\(text)")
      // Equality takes 1.10 for 1.1.
      if case .typed(let found) = found { #expect("\(found)" == "\(value)") }
    }
    for (text, value) in [
      (#"{"$numberInt":"-7"}"#, DataValue.int(-7)), (#"{"$numberLong":"7"}"#, .int(7)),
      (#"{"$numberLong":"-9223372036854775808"}"#, .int(.min)),
      (#"{"$numberDouble":"1.50"}"#, .double(1.5, digits: "1.50")),
      (#"{"$numberDouble":"7"}"#, .double(7, digits: "7")),
      (#"{"$numberDouble":"-Infinity"}"#, .double(-.infinity, digits: "-Infinity")),
      (#"{"a":{"$numberInt":"5"}}"#, .object([field("a", .int(5), 11)])),
      (#"{"$object":{"$oid":1}}"#, .object([field("$oid", .int(1), 25)])),
      // The mark counts for one object: what is in that is read as elsewhere.
      (#"{"$object":{"$object":{"$numberInt":"5"}}}"#, .object([field("$object", .int(5), 28)])),
      (
        #"{"$object":{"$object":{"$object":{"$oid":1}}}}"#,
        .object([field("$object", .object([field("$oid", .int(1), 47)]), 28)])
      ),
      (#"{"b":1,"$oid":2}"#, .object([field("b", .int(1), 11), field("$oid", .int(2), 20)])),
    ] {
      #expect(try readValue(text) == value, "\(text)")
    }
    guard case .double(let value, _) = try readValue(#"{"$numberDouble":"NaN"}"#) else {
      Issue.record("NaN is a double")
      return
    }
    #expect(value.isNaN)
  }

  private func field(_ name: String, _ value: DataValue, _ column: Int) -> DataField {
    DataField(name: name, value: value, position: .init(line: 1, column: column))
  }

  /// Each names the place, and what was expected there.
  @Test(arguments: [
    (#"{"$oid":"65f0"}"#, 14, "expected after '$oid' 24 hexadecimal digits", "found '65f0'"),
    (#"{"$oid":5}"#, 14, "24 hexadecimal digits", "found 5"),
    (#"{"$oid":{"$oid":"65f0a1b2c3d4e5f60718293a"}}"#, 14, "24 hexadecimal", "of another type"),
    (#"{"$uuid":"x"}"#, 15, "8-4-4-4-12", "found 'x'"),
    (#"{"$date":"yesterday"}"#, 15, "a date in ISO 8601", "found 'yesterday'"),
    (#"{"$date":1.5}"#, 15, "a date in ISO 8601", "found 1.5"),
    (#"{"$date":{"$numberLong":"x"}}"#, 30, "'$numberLong' the text of an integer of 64", "'x'"),
    (#"{"$numberInt":"2147483648"}"#, 20, "an integer of 32 bits", "found '2147483648'"),
    (#"{"$numberLong":"9223372036854775808"}"#, 21, "of 64 bits", "found '9223372036854775808'"),
    (#"{"$numberLong":" 1"}"#, 21, "of 64 bits", "found ' 1'"),
    (#"{"$numberDouble":"1e400"}"#, 23, "1e400 is larger than any double", ""),
    (#"{"$numberDouble":"one"}"#, 23, "the text of a number", "found 'one'"),
    (#"{"$numberDouble":true}"#, 23, "the text of a number", "found true"),
    (#"{"$numberDecimal":"1E+7000"}"#, 24, "that a decimal128 holds", "found '1E+7000'"),
    (#"{"$numberDecimal":"1E-7000"}"#, 24, "that a decimal128 holds", "found '1E-7000'"),
    (
      #"{"$numberDecimal":"1.2345678901234567890123456789012345678901234"}"#, 24, "of 34 digits",
      "found '1.23456789012345678901234567890123456789"
    ),
    (#"{"$numberDouble":"1e-400"}"#, 23, "1e-400 is nearer to zero than any double", ""),
    (#"{"$numberDecimal":"1.1.1"}"#, 24, "the text of a number", "found '1.1.1'"),
    (#"{"$numberDecimal":1.5}"#, 24, "in double quotes", "found 1.5"),
    (#"{"$binary":{"base64":"AP8","subType":"00"}}"#, 27, "'base64' data in Base64", "found 'AP8'"),
    (#"{"$binary":{"base64":"AP8=","subType":"04"}}"#, 27, "16 bytes of a UUID", "found 'AP8='"),
    (#"{"$binary":{"base64":"AP8=","subType":"xyz"}}"#, 44, "hexadecimal digits", "found 'xyz'"),
    (#"{"$binary":{"base64":"AP8="}}"#, 17, "\"base64\": …, \"subType\": …", "found an object"),
    (#"{"$binary":"AP8="}"#, 17, "\"base64\"", "found 'AP8='"),
    (#"{"$oid":"65f0a1b2c3d4e5f60718293a","x":1}"#, 45, "'x' stands beside it", "plain-json"),
    (#"{"$symbol":"x"}"#, 6, "'$symbol' is a symbol", "no property can hold"),
    (#"{"$undefined":true}"#, 6, "'$undefined' is an undefined value", "no property"),
    (#"{"$minKey":1}"#, 6, "'$minKey' is a lowest key", "no property"),
    (#"{"$regularExpression":{"pattern":"a","options":""}}"#, 6, "a regular expression", ""),
    (#"{"$timestamp":{"t":1,"i":1}}"#, 6, "a timestamp of a replica set", ""),
    (#"{"$ref":"c","$id":1}"#, 6, "a reference to a document", ""),
    (#"{"$ooid":"x"}"#, 6, "'$ooid' is no word of Extended JSON", "$oid, $uuid, $date"),
    (#"{"$object":1}"#, 17, "expected after '$object' an object", "found 1"),
  ])
  func saysWhatIsWrongAndWhere(text: String, column: Int, words: String, more: String) throws {
    let error = importError { () throws(ImportError) in
      _ = try readJSON(#"{"a":1}"# + "\n" + #"{"a":\#(text)}"#)
    }
    let description = try #require(error).description(name: "f.json")
    #expect(description.hasPrefix("f.json:2:\(column): "), "\(description)")
    #expect(description.contains(words) && description.contains(more), "\(description)")
  }

  /// Names of the record itself, and all names when the reader is told so.
  @Test func namesAreNamesWhereNothingElseIsMeant() throws {
    let record = #"{"$oid":1,"$x":{"$y":{"$oid":"x"}}}"#
    var reader = JSONReader(MemorySource(record), isPlain: true)
    let fields = try #require(try reader.next()).fields
    #expect(fields.map(\.name) == ["$oid", "$x"])
    guard case .object(let inner)? = fields.last?.value else {
      Issue.record("an object is an object")
      return
    }
    #expect(inner.map(\.name) == ["$y"])
    #expect(try readJSON(#"{"$oid":1,"$x":2}"#).first?.fields.map(\.name) == ["$oid", "$x"])
  }
}
