import RealmSwift
import Synchronization
import TestSupport
import TestThreads
import Testing

/// Every row of the page `Interface.md` is used by a test as RealmSwift declares it.
///
/// The page is written from the rows:
///
///     ATOLL_WRITE_GOLDEN=1 swift test --filter InterfaceTests
@MainActor @Suite(.waiting, .hangLimit) struct InterfaceTests {
  private static let path = "Sources/Atoll/Atoll.docc/Interface.md"
  /// Both language modes may write the page.
  private static let page = Mutex(())

  @Test(arguments: Interface.sections)
  func everyMemberIsUsed(section: Interface.Section) async throws {
    for row in try section.read() {
      do { try await row.use?() } catch { Issue.record("\(row.members[0]): \(error)") }
    }
  }

  @Test func thePageHasTheRows() throws {
    var lines: [String] = []
    var counts: [InterfaceState: Int] = [:]
    for section in Interface.sections {
      let rows = try section.read()
      lines += ["", "### \(section.title)", ""]
      lines += ["| Member | Here | How it differs |", "| --- | --- | --- |"]
      lines += rows.map(\.line)
      for row in rows { counts[row.state, default: 0] += 1 }
      for row in rows where row.state != .done {
        #expect(row.note.hasSuffix("."), "\(row.members[0]) does not say how or why")
      }
    }
    #expect(counts[.done, default: 0] > 200)
    let states: [InterfaceState] = [.done, .differs, .no, .notOnLinux]
    let summary = states.map { "\(counts[$0, default: 0]) *\($0.rawValue)*" }
    let text = """
      \(Interface.introduction)
      Of the rows, \(summary.joined(separator: ", ")).
      \(lines.joined(separator: "\n"))

      """
    try Self.page.withLock { _ in
      if GoldenFiles.isWriting { try GoldenFiles.write(Array(text.utf8), to: Self.path) }
      let written = try GoldenFiles.text(Self.path).split(separator: "\n")
      let rows = text.split(separator: "\n")
      let stale = zip(written, rows).first { $0 != $1 }
      #expect(
        stale == nil && written.count == rows.count,
        "ATOLL_WRITE_GOLDEN=1 swift test --filter InterfaceTests writes the page")
    }
  }

  /// A row that said nothing would hide a difference.
  @Test func aRowIsWritten() {
    let rows = InterfaceRows()
    rows.done("x || y", "a c") {}
    rows.differs("d", how: "It is e.") {}
    rows.no("f", why: "There is no f.")
    rows.notOnLinux("g", why: "Use h.")
    #expect(
      rows.rows.map(\.line) == [
        "| `x \\|\\| y`, a c | done | |", "| `d` | differs | It is e. |",
        "| `f` | no | There is no f. |", "| `g` | not on Linux | Use h. |",
      ])
  }
}
