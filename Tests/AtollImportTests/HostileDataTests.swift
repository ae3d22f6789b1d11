import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollImport

/// Data files with wrong bytes are imported or refused, and refused alike however they arrive.
@Suite(.computing) struct HostileDataTests {
  private struct Maker: RandomMaker {
    var random: SplitMix64

    mutating func damaged(_ text: String, marks: String) -> [UInt8] {
      var bytes = Array(text.utf8)
      damage(&bytes, marks: marks)
      return bytes
    }
  }

  private static let json = """
    {"id":1,"name":"Ada","tags":["a","b"],"born":"1815-12-10T00:00:00Z","x":1.5e3,"ok":true}
    {"id":2,"name":"Gr\\u00e4ce \\ud83d\\ude00","tags":[],"born":null,"x":-0.25,"ok":false}
    {"id":-9223372036854775808,"name":"","tags":["\\\\","\\n"],"x":12345678901234567890,"deep":[[1],{"a":{}}]}

    """
  private static let csv = """
    id,name,born,x
    1,Ada,1815-12-10,1.5
    2,"Grace ""the"" Hopper",,-3
    3,"line
    end",1906-12-09T01:02:03Z,1e400
    4,Zürich,x,

    """

  /// The reader's result for the bytes: the records, or the error.
  private static func outcome(_ body: () throws(ImportError) -> [DataRecord]) -> String {
    do throws(ImportError) { return "\(try body())" } catch { return "\(error)" }
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func wrongBytesAreAnErrorWithAPlace(seed: UInt64) throws
  {
    var maker = Maker(random: SplitMix64(seed: seed))
    for _ in 0..<50 {
      let bytes = maker.damaged(Self.json, marks: "{}[]\",:\\\r\n\0-e.")
      let whole = Self.outcome { () throws(ImportError) in try readJSON(bytes) }
      let parts = Self.outcome { () throws(ImportError) in try readJSON(bytes, chunkByteCount: 5) }
      #expect(whole == parts)
      let table = maker.damaged(Self.csv, marks: "\",;\t\r\n \0-e.")
      try Self.run { JSONReader(MemorySource(bytes)) }
      try Self.run { CSVReader(MemorySource(table)) }
    }
  }

  /// Imports into a database of its own, which is sound afterwards.
  private static func run<Reader: RecordReader & ~Copyable>(_ reader: () -> Reader) throws {
    let database = try Database.inMemory()
    let importer = Importer(
      destination: ImportDestination(database), className: "Thing",
      options: ImportOptions(primaryKey: "id"), batchRecordCount: 2)
    do { _ = try importer.run(readingTwice: reader) } catch {
      #expect(error is ImportError || error is ObjectError, "\(type(of: error)): \(error)")
    }
    #expect(try database.check().findings == [])
  }

  /// Nesting as deep as a file is long ends in an error, not in the stack.
  @Test func deepDataIsRefused() {
    for open in ["[", "{\"a\":"] {
      let text = "{\"a\":" + String(repeating: open, count: 200_000)
      #expect(throws: ImportError.self) { try readJSON(text) }
    }
  }
}
