import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

/// Dumps that lack objects.
@Suite(.computing) struct DamagedDumpTests {
  /// Data from a pipe, of which no earlier pass has found what is missing.
  @Test(arguments: [
    (##""a":"#9""##, "#9", "C", 26), (##""e":{"a":"#8"}"##, "#8", "C", 31),
    (##""m":[{"$link":{"class":"C","key":"#7"}}]"##, "#7", "C", 27),
  ])
  func aLinkToAnObjectThatIsNotInTheDumpIsAnErrorWithItsPlace(
    field: String, key: String, className: String, column: Int
  ) throws {
    let dump = """
      {"class":{"name":"C","properties":[{"name":"a","type":"link to C"},\
      {"name":"e","type":"link to E"},{"name":"m","type":"mixed"}]}}
      {"class":{"name":"E","isEmbedded":true,"properties":[{"name":"a","type":"link to C"}]}}
      {"of":"C","key":1,"object":{"a":"#1"}}
      {"of":"C", "object":{\(field)}}
      """
    for isPipe in [false, true] {
      let database = try Database.inMemory()
      let importer = DumpImporter(
        destination: ImportDestination(database), batchRecordCount: 1)
      #expect(throws: dataError(.notInDump(key, className: className), 4, column)) {
        if isPipe {
          _ = try importer.run(readingOnce: JSONReader(MemorySource(dump))) { _, _ in }
        } else {
          _ = try importer.run(readingTwice: { JSONReader(MemorySource(dump)) }) { _, _ in }
        }
      }
      #expect(try database.snapshot().schema.classes.isEmpty == !isPipe)
      #expect(try database.check().findings == [])
    }
  }
}
