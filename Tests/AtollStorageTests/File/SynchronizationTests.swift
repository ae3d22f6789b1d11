#if os(Linux)
import AtollStorage
import TestSupport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What reaches the system before something is acknowledged, in the file of a real process.
///
/// Every other test of power cuts runs on a simulated file, which does not see whether `PosixFile`
/// passes a synchronisation on.
@Suite(
  .computing,
  .enabled(
    if: SystemCallTrace.isPossible,
    "needs strace (Debian: the package of that name) and the permission to trace a process"))
struct SynchronizationTests {
  let folder = TemporaryFolder()
  var path: String { folder.path(of: "data") }

  /// Runs the commands in a store on a new file, and returns the trace of each with its answer.
  private func trace(_ commands: [String], failing: String? = nil) throws
    -> [SystemCallTrace.Section]
  {
    let output = folder.path(of: "trace")
    let process = try SystemCallTrace.start(
      ChildProcess.path(ofProgram: "probe"), ["store", path], output: output,
      failing: failing)
    var answers = [try process.receive()]
    for command in commands { answers.append(try process.ask(command)) }
    try process.send("end")
    #expect(process.waitForSuccess())
    let text = try PosixFile(path: output, mode: .readOnly)
    let bytes = try text.bytes(at: 0, count: Int(text.byteCount()))
    let sections = try SystemCallTrace(String(decoding: bytes, as: UTF8.self)).sections
    #expect(sections.map(\.answer) == answers)
    return sections
  }

  @Test func nothingIsAcknowledgedBeforeItIsSynchronised() throws {
    let commands = [
      "grow", "change", "change relaxed", "synchronize", "grow relaxed", "synchronize", "cut",
      "change", "close",
    ]
    let sections = try trace(commands)
    #expect(sections.map(\.answer) == ["make"] + commands)

    let made = sections[0]
    #expect(made.isNameSynchronized(after: .make(path), in: folder.path))
    for section in sections {
      switch section.answer {
      case "change relaxed", "grow relaxed":
        // Acknowledged all the same: that it is not waited for is what is promised of it.
        #expect(section.events.contains(.write(path)))
        #expect(!section.synchronizes(path))
      case "synchronize":
        // All that it has to make durable was written before; the mark that it is may come later.
        #expect(section.synchronizes(path))
      default:
        #expect(section.events.contains(.write(path)), "\(section)")
        #expect(section.isSynchronized(path) || section.answer == "cut", "\(section)")
      }
    }
    // A synchronisation of the bytes alone need not write a new length.
    #expect(sections[1].events.contains(.resize(path)))
  }

  @Test func aGrownFileIsSynchronisedWithItsLength() throws {
    let sections = try trace(["grow", "change", "grow relaxed", "synchronize"])
    #expect(sections[1].events.contains(.resize(path)))
    #expect(sections[1].isSynchronized(path))
    let grown = sections[3].events.contains(.resize(path))
    #expect(grown)
    #expect(sections[4].events.contains(.synchronize(path, isFull: true)))
  }

  /// Else the version that a power cut brings back may reach behind the end of the file.
  @Test func theFileIsCutAfterTheShorterVersionIsSynchronised() throws {
    let sections = try trace(["grow", "cut"])
    let cut = try #require(sections[2].events.lastIndex(of: .resize(path)))
    #expect(sections[2].events[..<cut].contains(.write(path)))
    #expect(sections[2].isSynchronized(path, before: cut))
  }

  @Test func aFileTakesThePlaceOfAnotherWhenAllOfItIsSynchronised() throws {
    let sections = try trace(["grow", "close", "replace"])
    let copyPath = "\(path)-compact"
    let replacement = sections[3]
    let rename = SystemCallTrace.Event.rename(copyPath, to: path)
    let place = try #require(replacement.events.firstIndex(of: rename))
    #expect(replacement.events[..<place].contains(.write(copyPath)))
    #expect(replacement.isSynchronized(copyPath, before: place))
    #expect(replacement.isNameSynchronized(after: rename, in: folder.path))
  }

  /// What a synchronisation could not write the system may take for written, so that the next would
  /// succeed without it.
  @Test func afterAFailedSynchronisationNothingIsWritten() throws {
    let commands = [
      "grow", "change", "change", "write to the file", "synchronize the file", "close",
    ]
    let sections = try trace(commands, failing: "fdatasync:error=EIO:when=1")
    #expect(
      sections.map(\.answer) == [
        "make", "grow", "synchronize: \(EIO)", "closed: \(EIO)", "closed: \(EIO)",
        "closed: \(EIO)", "close",
      ])
    #expect(sections[2].events.last == .failedSync(path))
    for section in sections[3...] { #expect(section.events == []) }
  }
}
#endif
