import Testing

@testable import AtollImport

/// Reads all records of a JSON text that comes in chunks of `chunkByteCount`.
func readJSON(_ text: String, chunkByteCount: Int = 1 << 16) throws(ImportError) -> [DataRecord] {
  try readJSON(Array(text.utf8), chunkByteCount: chunkByteCount)
}

func readJSON(
  _ bytes: [UInt8], chunkByteCount: Int = 1 << 16
) throws(ImportError) -> [DataRecord] {
  // The window is as small as the chunks, so that tokens straddle its end.
  var reader = JSONReader(
    MemorySource(bytes, chunkByteCount: chunkByteCount), chunkByteCount: max(4, chunkByteCount))
  var records: [DataRecord] = []
  while let record = try reader.next() { records.append(record) }
  return records
}

func readCSV(_ text: String, chunkByteCount: Int = 1 << 16) throws(ImportError) -> [DataRecord] {
  var reader = CSVReader(
    MemorySource(text, chunkByteCount: chunkByteCount), chunkByteCount: max(4, chunkByteCount))
  var records: [DataRecord] = []
  while let record = try reader.next() { records.append(record) }
  return records
}

/// The value of the one field of the one record `{"a":…}` around `text`.
func readValue(_ text: String) throws -> DataValue {
  let records = try readJSON(#"{"a":\#(text)}"#)
  return try #require(records.first?.fields.first).value
}

func dataError(_ problem: DataProblem, _ line: Int, _ column: Int) -> ImportError {
  .data(problem, at: SourcePosition(line: line, column: column))
}

/// The error that `body` throws, nil when it does not.
func importError(_ body: () throws(ImportError) -> Void) -> ImportError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}
