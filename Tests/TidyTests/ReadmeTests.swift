import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

/// The commands and examples in README.md, and that of its page about the layers below, are those
/// that are tested.
@Suite(.computing) struct ReadmeTests {
  @Test func exampleRuns() throws {
    let folder = TemporaryFolder()
    // A user who tries it will try it again.
    for _ in 0..<2 { try example(path: folder.path(of: "example.atoll")) }
    let database = try Database.open(folder.path(of: "example.atoll"))
    let snapshot = try database.snapshot()
    #expect(try snapshot.table("City").count == 1)
    #expect(try snapshot.table("Country").object(primaryKey: .string("IS")) != nil)
    try database.close()
  }

  private func example(path: String) throws {
    // Page begins here
    let database = try Database.open(path)
    try database.write { transaction in
      // A file that was there has the classes already.
      if transaction.schema["City"] != nil { return }
      let name = PropertySchema("name", .string, isIndexed: true)
      let country = PropertySchema("country", linkTo: "Country")
      try transaction.addClasses([
        ClassSchema(
          "Country", properties: [PropertySchema("iso", .string), name], primaryKey: "iso"),
        ClassSchema("City", properties: [name, PropertySchema("population", .int), country]),
      ])
      try transaction.create("Country", ["iso": .string("IS"), "name": .string("Iceland")])
      let city = try transaction.create(
        "City", ["name": .string("Reykjavík"), "population": .int(118_918)])
      try transaction.link("City", city, "country", toPrimaryKeys: [.string("IS")])
    }
    let snapshot = try database.snapshot()
    let query = try Query(
      "population > $0 AND country.name BEGINSWITH 'I' SORT(name ASC)", on: "City",
      in: snapshot.schema, arguments: [.int(100_000)])
    try query.results(in: snapshot).forEach { city in
      print(try city["name"], try city["population"].int ?? 0)
    }
    try database.close()
    // Page ends here
  }

  /// README shows a package's manifest, and otherwise what a test of it compiles.
  @Test func itsExamplesAreThoseThatAreCompiled() throws {
    let folder = "Tests/EndToEndTests"
    let compiled = try ["ReadmeLocalTests", "ReadmeExampleTests"].flatMap {
      CodeBlocks.parts(of: try GoldenFiles.text("\(folder)/\($0).swift"))
    }
    let shown = try blocks("swift", of: "README.md")
    let (manifests, examples) = (
      shown.filter { $0.first?.hasPrefix("dependencies:") == true },
      shown.filter { $0.first?.hasPrefix("dependencies:") != true }
    )
    #expect(manifests.count == 1)
    #expect(examples == compiled && compiled.count == 2)
  }

  @Test func itIsAFrontPage() throws {
    let lines = try GoldenFiles.text("README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.dropLast().count <= 200)
  }

  @Test func thereAreExactlyTwoSetUpCommands() throws {
    let lines = try GoldenFiles.text("README.md").split(separator: "\n")
    let begin = try #require(lines.firstIndex(of: "## Set up"))
    let end = try #require(lines[(begin + 1)...].firstIndex { $0.hasPrefix("## ") })
    let section = lines[begin..<end].joined(separator: "\n")
    let commands = CodeBlocks.blocks("sh", in: section)
    #expect(commands.count == 2)
    #expect(commands.allSatisfy { $0.count == 1 })
    #expect(commands.first?.first?.contains("atoll demo") == true)
    let testCommand = try #require(commands.last?.first)
    let script = try GoldenFiles.text(".ci/run").split(separator: "\n")
    #expect(script.contains { $0 == "step tests \(testCommand)" })
  }

  @Test func setUpInstallsWhatThePackageLinks() throws {
    let setUp = try #require(try blocks("sh", of: "README.md").first?.first)
    let script = try GoldenFiles.text(".ci/run")
    for package in ["liblz4-dev", "pkg-config"] {
      #expect(setUp.contains(package))
      #expect(script.contains(package))
    }
  }

  private func blocks(_ language: String, of path: String) throws -> [[String]] {
    CodeBlocks.blocks(language, in: try GoldenFiles.text(path))
  }
}
