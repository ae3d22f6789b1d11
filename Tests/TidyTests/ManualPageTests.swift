import Foundation
import TestSupport
import TestThreads
import Testing

/// The Swift examples of the manual are those that are compiled and run.
@Suite(.computing) struct ManualPageTests {
  private static let manual = "Sources/Atoll/Atoll.docc"
  private static let sources = "Tests/ManualTests"

  /// Pages whose examples are compiled elsewhere.
  private static let elsewhere = ["StorageBackend": "Tests/TidyTests/ReadmeTests.swift"]

  private static let pages: [String] = {
    let texts = (try? SourceTree.texts(manual)) ?? []
    return texts.filter { !CodeBlocks.blocks("swift", in: $0.joined).isEmpty }
      .compactMap { $0.path.split(separator: "/").last.map { String($0.dropLast(3)) } }
  }()

  @Test func pagesAreFound() {
    #expect(Self.pages.count > 20)
  }

  @Test(arguments: pages)
  func examplesAreThoseOfTheSource(page: String) throws {
    let source = Self.elsewhere[page] ?? "\(Self.sources)/\(page).swift"
    try #require(SourceTree.exists(source), "the examples of \(page).md are compiled nowhere")
    let difference = CodeBlocks.difference(
      page: try GoldenFiles.text("\(Self.manual)/\(page).md"), source: try GoldenFiles.text(source))
    #expect(difference == nil)
  }

  @Test func everySourceHasItsPage() throws {
    for text in try SourceTree.texts(Self.sources)
    where text.folder == Self.sources && !text.path.hasSuffix("/Manual.swift") {
      let name = text.path.dropFirst(Self.sources.count + 1).dropLast(6)
      #expect(Self.pages.contains(String(name)), "\(text)")
    }
  }

  /// Swift 5 is what many applications are compiled as; a copy would come apart.
  @Test func theSameSourcesAreCompiledInBothModes() throws {
    let folder = "\(GoldenFiles.packageFolder)/Tests/ManualSwift5Tests"
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder) == "ManualTests")
  }

  @Test func whatDiffersIsFound() {
    let source = """
      struct Page {
        // Page begins here
        func one() {
          two()

        }
        // Page ends here
        // Page begins here
        let three = 3
        // Page ends here
      }
      """
    let page = "```swift\nfunc one() {\n  two()\n\n}\n```\n\n```swift\nlet three = 3\n```\n"
    #expect(CodeBlocks.difference(page: page, source: source) == nil)
    #expect(
      CodeBlocks.difference(page: page.replacing("two()", with: "too()"), source: source)
        == "example 1 has '  too()', and the source '  two()'")
    #expect(
      CodeBlocks.difference(page: page.replacing("\n\n}", with: "\n}"), source: source) != nil)
    #expect(
      CodeBlocks.difference(page: page.replacing("= 3\n", with: "= 3\n\n"), source: source)
        == "example 2 has 2 lines, and the source 1")
    #expect(
      CodeBlocks.difference(page: "```swift\nfunc one() {\n  two()\n\n}\n```", source: source)
        == "the page has 1 examples, and the source 2")
    #expect(
      CodeBlocks.difference(page: page + "```swift\nfour()\n```\n", source: source)
        == "the page has 3 examples, and the source 2")
  }
}
