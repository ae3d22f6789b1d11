import AtollImport
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A process that imports is killed: its file is at a batch boundary, sound, and nothing that the
/// process has acknowledged is missing.
@Suite(.computing) struct KilledImportTests {
  static let batchRecordCount = 5

  @Test(arguments: 0..<8 as Range<UInt64>)
  func leavesWholeBatches(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let run = CommandRun()
    let geo = run.path("geo")
    let data = try run.file("City.jsonl", CommandRun.Geography.city.data)
    let ids = try readJSON(CommandRun.Geography.city.data).map { $0.fields[0].value }
    let child = try ChildProcess(
      ChildProcess.path(ofProgram: "atoll"),
      ["import", geo, "City", data, "--json", "--batch", "\(Self.batchRecordCount)"]
        + CommandRun.Geography.city.options)

    // Wait for some batches, then a little more, so that the end falls anywhere in a commit.
    var acknowledgedCount = 0
    for _ in 0..<Int.random(in: 0..<60, using: &random) {
      acknowledgedCount = try Self.recordCount(child.receive())
    }
    usleep(UInt32.random(in: 0..<(acknowledgedCount == 0 ? 60_000 : 4_000), using: &random))
    child.kill()
    while let line = try? child.receive() { acknowledgedCount = try Self.recordCount(line) }

    // Before its first write the file does not exist, or has no bytes; then it is sound.
    let isBegun = try FileSystem.exists(geo) && !readFile(geo).isEmpty
    #expect(isBegun || acknowledgedCount == 0)
    if isBegun {
      let check = run("check", geo)
      #expect(check.status == .success, "\(check.output)\(check.errors)")
    }
    // No class yet is no objects yet.
    let found = try readJSON(run("dump", geo, "City").output).map { $0.fields[0].value }
    let foundCount = found.count
    #expect(foundCount % Self.batchRecordCount == 0 || foundCount == ids.count)
    #expect(foundCount >= acknowledgedCount)
    #expect(foundCount <= acknowledgedCount + Self.batchRecordCount)
    // Objects come in the order of their keys, batches in that of the file.
    #expect(Set(found.map(Self.id)) == Set(ids.prefix(foundCount).map(Self.id)))

    // The file can be used from there.
    try run.importGeography(.country)
    try run.importGeography(.continent)
    let outcome = try run.importGeography(.city)
    #expect(
      outcome.output.hasPrefix(
        "City: \(ids.count - foundCount) created, \(foundCount) updated,"), "\(outcome)")
    #expect(run("check", geo).status == .success)
  }

  private static func recordCount(_ line: String) throws -> Int {
    let record = try #require(try readJSON(line).first)
    let records = try #require(record.fields.first { $0.name == "records" })
    return id(records.value)
  }

  private static func id(_ value: DataValue) -> Int {
    if case .int(let number) = value { Int(number) } else { -1 }
  }
}
