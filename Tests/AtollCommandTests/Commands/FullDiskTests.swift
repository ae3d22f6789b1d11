import AtollImport
import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollCommand

/// An import that the system refuses more room: an error, and what was acknowledged is kept.
@Suite(.computing) struct FullDiskTests {
  /// The limit is in units of 512 bytes; one of them lies inside of the first commits, too.
  @Test(arguments: [64, 130, 200, 300])
  func keepsTheBatchesBefore(blockLimit: Int) throws {
    let run = CommandRun()
    let geo = run.path("geo")
    let data = try run.file("City.jsonl", CommandRun.Geography.city.data)
    let total = try readJSON(CommandRun.Geography.city.data).count
    let options = CommandRun.Geography.city.options.joined(separator: " ")
    let program = ChildProcess.path(ofProgram: "atoll")
    // Without the trap the system would end the program instead of answering with an error. The
    // thread sanitizer maps a file that it writes to the temporary folder, if that is one.
    let script = """
      trap '' XFSZ; ulimit -f \(blockLimit)
      TMPDIR=/dev/null "\(program)" import "\(geo)" City "\(data)" --json --batch 5 \(options) 2>&1
      echo "status $?"
      """
    let child = try ChildProcess("/bin/sh", ["-c", script])
    var lines: [String] = []
    while let line = try? child.receive() { lines.append(line) }
    #expect(lines.last == "status 1")
    #expect(lines.contains { $0.hasPrefix("atoll: cannot ") && $0.contains("File too large") })

    let acknowledged = lines.filter { $0.hasPrefix("{\"batch\"") }.count * 5
    #expect(acknowledged < total)
    let note = "atoll: note: the first \(acknowledged) records are in '\(geo)'"
    #expect(lines.contains(note) == (acknowledged > 0), "\(lines)")
    if try FileSystem.exists(geo) && !readFile(geo).isEmpty {
      let check = run("check", geo)
      #expect(check.status == .success, "\(check.output)\(check.errors)")
    }
    #expect(try readJSON(run("dump", geo, "City").output).count == acknowledged)
    try run.importGeography(.city)
    #expect(try readJSON(run("dump", geo, "City").output).count == total)
  }
}
