import AtollImport
import AtollObjects
import TestThreads
import Testing

@testable import AtollCommand

@Suite(.computing) struct SalvageCommandTests {
  /// The demo's file with a byte changed in every page from the middle of the file on.
  private static func damage(_ path: String, from share: Int) throws {
    var bytes = try readFile(path)
    for block in stride(from: bytes.count / 4096 * share / 8, to: bytes.count / 4096, by: 1) {
      bytes[block * 4096 + 100] ^= 1
    }
    try writeFile(path, bytes)
  }

  @Test func copiesASoundFileWhole() throws {
    let run = CommandRun()
    try run.importAll()
    let text = run.expect("salvage", run.path("geo"), run.path("new"))
    #expect(text.contains("654 objects of version"))
    #expect(text.contains("nothing was lost"))
    #expect(
      run.expect("dump", run.path("new"), "City") == run.expect("dump", run.path("geo"), "City"))
    run.expect("check", run.path("new"))
  }

  @Test func saysNoAndListsWhatIsLost() throws {
    let run = CommandRun()
    try run.importAll()
    let before = try readFile(run.path("geo"))
    try Self.damage(run.path("geo"), from: 1)
    let outcome = run("salvage", run.path("geo"), run.path("new"))
    // Either the list of classes was hit, or there is a copy of the rest.
    if outcome.errors.isEmpty {
      #expect(outcome.status == .failure)
      #expect(outcome.output.contains("lost: "))
      run.expect("check", run.path("new"))
    }
    #expect(try readFile(run.path("geo")).count == before.count)
  }

  @Test func neverWritesOverAFile() throws {
    let run = CommandRun()
    try run.importAll()
    let other = try run.file("other", "mine")
    let outcome = run("salvage", run.path("geo"), other)
    #expect(outcome.status == .failure)
    #expect(try readFile(other) == Array("mine".utf8))
  }

  @Test func leavesNothingBehindWhenThereIsNothingToCopy() throws {
    let run = CommandRun()
    let other = try run.file("other", String(repeating: "no database\n", count: 1000))
    let outcome = run("salvage", other, run.path("new"))
    #expect(outcome.status == .failure)
    #expect(outcome.errors.contains("is not an Atoll database"))
    #expect(run("check", run.path("new")).errors.contains("No such file"))
  }

  @Test func answersPrograms() throws {
    let run = CommandRun()
    try run.importAll()
    let text = run.expect("salvage", run.path("geo"), run.path("new"), "--json")
    let json = try #require(try readJSON(text).first)
    #expect(json.fields.map(\.name) == ["version", "isComplete", "classes", "losses"])
  }
}
