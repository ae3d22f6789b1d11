import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand

@Suite(.computing) struct ProgramTests {
  @Test(arguments: [
    ["import"], ["import", "f", "C"], ["frobnicate"], ["--nonsense"], [],
    ["import", "f", "C", "d.json", "--batch", "0"], ["import", "f", "C", "d.json", "--batch", "x"],
    ["import", "f", "C", "d.json", "--link", "noclass"],
    ["import", "f", "C", "d.json", "--link", "a=B", "--list-link", "a=B"],
    ["import", "f", "C", "d.json", "--format", "xml"],
    ["query", "f", "C", "TRUEPREDICATE", "--count", "--explain"],
    ["query", "f", "C", "TRUEPREDICATE", "--limit", "-1"],
    ["query", "f", "C", "TRUEPREDICATE", "--arg", "[1"], ["info"], ["compact", "a", "b"],
    ["watch", "f", "--count", "0"], ["watch", "f", "--timeout", "-1"],
  ])
  func badUsageExitsWithTwo(arguments: [String]) {
    let outcome = CommandRun()(arguments)
    #expect(outcome.status == .usage)
    #expect(!outcome.errors.isEmpty)
    #expect(outcome.output.isEmpty)
  }

  @Test func theVersionIsPrinted() {
    let outcome = CommandRun()("--version")
    #expect(outcome.status == .success)
    #expect(outcome.output.hasPrefix("0.1.0"))
  }

  @Test(arguments: ["import", "query", "info", "watch", "check", "dump", "compact", "demo"])
  func everySubcommandHasHelp(name: String) {
    for arguments in [[name, "--help"], ["help", name]] {
      let outcome = CommandRun()(arguments)
      #expect(outcome.status == .success)
      #expect(outcome.output.contains("USAGE: atoll \(name)"))
    }
  }

  @Test(arguments: [
    ["query", "FILE", "C", "TRUEPREDICATE"], ["info", "FILE"], ["watch", "FILE"],
    ["check", "FILE"], ["dump", "FILE"], ["compact", "FILE"], ["import", "FILE", "C", "DATA"],
  ])
  func aFileThatCannotBeOpenedIsAnErrorInTheSystemsWords(command: [String]) throws {
    let run = CommandRun()
    let data = try run.file("data.json", #"{"a":1}"#)
    func outcome(_ file: String) -> CommandRun.Outcome {
      run(command.map { $0 == "FILE" ? file : $0 == "DATA" ? data : $0 })
    }
    let folder = outcome(run.folder.path)
    #expect(folder.status == .failure)
    #expect(folder.errors.contains("Is a directory"))
    let nowhere = outcome(run.path("nowhere/geo"))
    #expect(nowhere.status == .failure)
    #expect(nowhere.errors.contains("No such file or directory"))
    if command[0] != "import" {
      #expect(outcome(run.path("absent")).errors.contains("No such file or directory"))
      #expect(!FileSystem.exists(run.path("absent")))
    }
  }

  #if Sync
  // The command blocks its thread while tasks do the work.
  @Test func theDemoTellsTheWholeStoryAndKeepsItsFiles() async throws {
    let run = CommandRun()
    let kept = run.path("a") + "/kept"
    // Once in a process: an app is known by its id.
    let outcome = try await onOwnThread { CommandRun()("demo", "--keep", kept) }
    #expect(outcome.status == .success, "\(outcome.errors)")
    for line in [
      "The office uploads 654 objects in one transaction", "Ana's file has 14 cities",
      "Ben: Tokyo, 9733277 people, note: cherry blossoms in April, visitors: ",
      "Ana has Atlantis: no", "outside of the subscriptions", "Ben's file has 0 cities",
      "Office: \"population > 3000000",
    ] {
      #expect(outcome.output.contains(line), "\(line) in \(outcome.output)")
    }
    #expect(run.expect("info", "\(kept)/ana.atoll").contains("City"))
    #expect(run.expect("serve", "--dir", "\(kept)/server", "--print-config").contains("  City:"))
    #expect(run("demo", "--keep", kept).errors.contains("exists; the demo makes a new folder"))
  }
  #endif

  @Test func aTemporaryFolderGoesWithAllThatIsInIt() throws {
    var folder: AtollCommand.TemporaryFolder? = try AtollCommand.TemporaryFolder(
      prefix: "atoll-test-")
    let path = try #require(folder?.path)
    try FileManager.default.createDirectory(
      atPath: path + "/a/b", withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: path + "/a/b/file"))
    #expect(FileSystem.exists(path))
    folder = nil
    #expect(!FileSystem.exists(path))
  }

  @Test func theDemoIsATour() throws {
    let run = CommandRun()
    let text = run.expect("demo", "--local", run.path("geo"))
    for line in [
      "  City: 395 objects, 0 µs; 395 links wait", "Moscow            RU         10381222",
      "Antarctica        1100", "Antarctica        1101", "Munich",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(run("check", run.path("geo")).status == .success)
    let again = run("demo", "--local", run.path("geo"))
    #expect(again.status == .failure)
    #expect(again.errors.contains("exists; the demo makes a new file"))
    #expect(run.expect("demo", "--local").contains("atoll demo --local geo.atoll"))
  }
}
