import AtollImport

/// Reads all records of a JSON text, such as what a command has written.
func readJSON(_ text: String) throws -> [DataRecord] {
  var reader = JSONReader(MemorySource(text))
  var records: [DataRecord] = []
  while let record = try reader.next() { records.append(record) }
  return records
}
