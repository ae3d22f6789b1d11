import Foundation
import TestSupport
import TestThreads
import Testing

/// The sources and documents obey the rules that no formatter knows.
@Suite(.computing) struct TidyTests {
  private static let documents = ["README.md", "Format.md"]
  private static let everything =
    documents + [".ci/run", "Package.swift", "Sources", "Tests", "Benchmarks"]

  @Test func unsafeCodeStaysInItsFolders() throws {
    let broken = try SourceTree.texts("Sources").flatMap(TidyRules.unsafeOutsideItsFolders)
    #expect(broken == [])
  }

  @Test func everyFolderWithUnsafeCodeStillNeedsIt() {
    #expect(TidyRules.unsafeFolders.keys.filter { !SourceTree.exists($0) } == [])
  }

  @Test func librariesTakeTimeAndRandomnessFromTheirCaller() throws {
    let libraries = try SourceTree.folders("Sources").filter { $0.hasPrefix("Atoll") }
    let broken = try libraries.flatMap { try SourceTree.texts("Sources/\($0)") }
      .flatMap(TidyRules.clockOrRandomness)
    #expect(broken == [])
  }

  @Test func errorsArriveWhereTheCallerRuns() throws {
    let broken = try SourceTree.texts("Sources").flatMap(TidyRules.errorsThatMayArriveElsewhere)
    #expect(broken == [])
  }

  @Test(arguments: everything)
  func nothingIsLeftToDo(path: String) throws {
    #expect(try SourceTree.texts(path).flatMap(TidyRules.leftovers) == [])
  }

  @Test(arguments: everything)
  func mergesAreFinished(path: String) throws {
    #expect(try SourceTree.texts(path).flatMap(TidyRules.conflicts) == [])
  }

  @Test func uncheckedSendableSaysWhy() throws {
    let broken = try ["Sources", "Tests"].flatMap(SourceTree.texts)
      .flatMap(TidyRules.uncheckedSendableWithoutReason)
    #expect(broken == [])
  }

  @Test func suitesSayWhichThreadsTheirTestsTake() throws {
    #expect(try SourceTree.texts("Tests").flatMap(TidyRules.suitesWithoutThreads) == [])
  }

  @Test(arguments: everything)
  func textsSayNothingOfHowTheyWereMade(path: String) throws {
    #expect(try SourceTree.texts(path).flatMap(TidyRules.forbidden) == [])
  }

  @Test(arguments: documents)
  func linksLeadSomewhere(document: String) throws {
    let texts = try SourceTree.texts(document)
    #expect(texts.count == 1)
    let dead = try texts.flatMap { text in
      try TidyRules.deadLinks(text, exists: SourceTree.exists) { path in
        Set(try SourceTree.texts(path).flatMap(TidyRules.anchors))
      }
    }
    #expect(dead == [])
  }

  /// Comments name the sections of Format.md, and a decoder's comment the one it follows.
  @Test func sectionsOfFormatThatCommentsNameExist() throws {
    let headings = try GoldenFiles.text("Format.md").split(separator: "\n")
      .filter { $0.hasPrefix("#") }
      .map { $0.drop { $0 == "#" || $0 == " " || $0 == "." || $0.isNumber } }
    var namedCount = 0
    for text in try SourceTree.texts("Sources") where text.mentions(["Format.md, "]) {
      for line in text.lines where line.contains("Format.md, ") {
        for match in line.matches(of: /Format\.md, "([^"]+)"/) {
          namedCount += 1
          #expect(headings.contains(match.1), "\(text): \(match.1)")
        }
      }
    }
    #expect(namedCount > 20)
  }

  /// A reader finds every folder of a library in its reading order, or in README's.
  @Test func readingOrdersNameEveryFolder() throws {
    let readme = try GoldenFiles.text("README.md")
    var missing: [String] = []
    for module in try SourceTree.folders("Sources") where module.hasPrefix("Atoll") {
      let opening = "Sources/\(module)/\(module).swift"
      let order = readme + (SourceTree.exists(opening) ? try GoldenFiles.text(opening) : "")
      for folder in try SourceTree.folders("Sources/\(module)")
      where !order.contains("`\(folder)`") && !order.contains("`\(folder)/`") {
        missing.append("\(module)/\(folder)")
      }
    }
    #expect(missing == [])
  }

  /// In a checkout; other folders may lie beside a package that is only built.
  @Test(.enabled(if: SourceTree.exists(".git")))
  func topLevelHoldsNothingElse() throws {
    let allowed: Set = [
      "Package.swift", "Package.resolved", "Sources", "Tests", "Benchmarks", "Format.md",
      "README.md", "LICENSE",
    ]
    let found = try FileManager.default.contentsOfDirectory(atPath: GoldenFiles.packageFolder)
    #expect(found.filter { !$0.hasPrefix(".") && !allowed.contains($0) } == [])
  }

  @Test func goldenFilesSayWhichFormatTheyHave() throws {
    let folders = ["AtollStorageTests", "AtollObjectsTests"].map { "Tests/\($0)/Golden/Files" }
    for folder in folders {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: "\(GoldenFiles.packageFolder)/\(folder)")
      #expect(files.count > 0)
      for file in files {
        let isNamed = file.firstMatch(of: /^v[0-9]+-[a-z-]+\.golden$/) != nil
        #expect(isNamed, "\(folder)/\(file)")
      }
    }
  }
}
